// Who may do what, as a question with an answer: requests are authorized by it, and the access reviews tell it.
// Until there are roles: administrators everything, view tokens reading all but Secrets, others what upstream grants everyone.
import type { NonResourceRule, ResourceRule } from "../../shared/k8s/api/authorization-v1.ts";
import type { Kind, Requester } from "../kinds/kind.ts";

export interface Access {
  readonly isResource: boolean;
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  /** Of what is no resource. */
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface Rules {
  readonly resourceRules: ResourceRule[];
  readonly nonResourceRules: NonResourceRule[];
}

export const adminGroup = "system:masters";
export const viewersGroup = "sandbar:viewers";
const accountsGroup = "system:serviceaccounts";

const readingVerbs = ["get", "list", "watch"];
/** A GET of these does something. */
const connected = new Set(["attach", "exec", "portforward", "proxy"]);

/** What upstream's `system:basic-user` and `system:discovery` grant. */
const everyone: Rules = {
  resourceRules: [
    {
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ],
  nonResourceRules: [
    {
      verbs: ["get"],
      nonResourceURLs: [
        ...["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*"],
        ...["/readyz", "/version", "/version/"],
      ],
    },
  ],
};
/** Upstream's `system:service-account-issuer-discovery`. */
const accounts: Rules = {
  resourceRules: [],
  nonResourceRules: [
    {
      verbs: ["get"],
      nonResourceURLs: [
        ...["/.well-known/openid-configuration", "/.well-known/openid-configuration/"],
        ...["/openid/v1/jwks", "/openid/v1/jwks/"],
      ],
    },
  ],
};
const administrators: Rules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

export function decide(user: Requester, access: Access): Decision {
  // A viewer is never more, whatever other groups say.
  if (user.groups.includes(viewersGroup)) {
    if (mayView(access)) return { allowed: true, reason: "" };
  } else if (user.groups.includes(adminGroup)) return { allowed: true, reason: "" };
  return { allowed: granted(user).some((rules) => covers(rules, access)), reason: "" };
}

/** All that a user may do, as rules; `kinds` are those that a viewer reads. */
export function rulesOf(user: Requester, kinds: readonly Kind[]): Rules {
  const own = user.groups.includes(viewersGroup)
    ? viewing(kinds)
    : user.groups.includes(adminGroup)
      ? administrators
      : undefined;
  const all = [...(own ? [own] : []), ...granted(user)];
  return {
    resourceRules: all.flatMap((rules) => rules.resourceRules),
    nonResourceRules: all.flatMap((rules) => rules.nonResourceRules),
  };
}

function granted({ groups }: Requester): Rules[] {
  return [
    ...(groups.includes("system:authenticated") ? [everyone] : []),
    ...(groups.includes(accountsGroup) ? [accounts] : []),
  ];
}

function mayView({ isResource, verb, plural, subresource }: Access): boolean {
  if (!isResource) return verb === "get" || verb === "head";
  return readingVerbs.includes(verb) && plural !== "secrets" && !connected.has(subresource);
}

function viewing(kinds: readonly Kind[]): Rules {
  const groups = [...new Set(kinds.map((kind) => kind.group))];
  const resourcesOf = (group: string) =>
    kinds
      .filter((kind) => kind.group === group && kind.verbs.includes("get") && kind.plural !== "secrets")
      .flatMap(({ plural, subresources }) => [
        plural,
        ...Object.entries(subresources).flatMap(([name, methods]) =>
          methods.includes("get") && !connected.has(name) ? [`${plural}/${name}`] : [],
        ),
      ]);
  return {
    resourceRules: groups
      .map((group) => ({ verbs: [...readingVerbs], apiGroups: [group], resources: [...new Set(resourcesOf(group))] }))
      .filter(({ resources }) => resources.length > 0),
    nonResourceRules: [{ verbs: ["get", "head"], nonResourceURLs: ["*"] }],
  };
}

function covers(rules: Rules, access: Access): boolean {
  if (!access.isResource) {
    return rules.nonResourceRules.some(
      ({ verbs, nonResourceURLs = [] }) =>
        has(verbs, access.verb) && nonResourceURLs.some((url) => isUnder(url, access.path)),
    );
  }
  const resource = access.subresource ? `${access.plural}/${access.subresource}` : access.plural;
  return rules.resourceRules.some(
    ({ verbs, apiGroups = [], resources = [] }) =>
      has(verbs, access.verb) && has(apiGroups, access.group) && has(resources, resource),
  );
}

function has(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function isUnder(url: string, path: string): boolean {
  return url.endsWith("*") ? path.startsWith(url.slice(0, -1)) : path === url;
}
