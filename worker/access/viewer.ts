// The rules of a view token: it may read everything but Secrets, use discovery and reviews, and connect to nothing.
import type { Attributes, Rules } from "../../shared/k8s/authorizer.ts";
import type { PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";
import type { Kind } from "../kinds/kind.ts";
import { allows } from "./rule.ts";

const readingVerbs = ["get", "list", "watch"];
/** Subresources on which a GET connects to a container or a node. */
const connectSubresources = new Set(["attach", "exec", "portforward", "proxy"]);

/** The rules that upstream's `system:basic-user` grants to all users. */
const reviewRules: readonly PolicyRule[] = [
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  },
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
];

export function mayView(attributes: Attributes): boolean {
  const { isResource, verb, plural, subresource } = attributes;
  if (!isResource) return verb === "get" || verb === "head";
  if (reviewRules.some((rule) => allows(rule, attributes))) return true;
  return readingVerbs.includes(verb) && plural !== "secrets" && !connectSubresources.has(subresource);
}

export function viewerRules(kinds: readonly Kind[]): Pick<Rules, "resourceRules" | "nonResourceRules"> {
  const groups = [...new Set(kinds.map((kind) => kind.group))];
  const resourcesOf = (group: string) =>
    kinds
      .filter((kind) => kind.group === group && kind.verbs.includes("get") && kind.plural !== "secrets")
      .flatMap(({ plural, subresources }) => [
        plural,
        ...Object.entries(subresources).flatMap(([name, methods]) =>
          methods.includes("get") && !connectSubresources.has(name) ? [`${plural}/${name}`] : [],
        ),
      ]);
  const reading = groups
    .map((group) => ({ verbs: [...readingVerbs], apiGroups: [group], resources: [...new Set(resourcesOf(group))] }))
    .filter(({ resources }) => resources.length > 0);
  const reviews = reviewRules.map(({ verbs, apiGroups = [], resources = [] }) => ({ verbs, apiGroups, resources }));
  return {
    resourceRules: [...reading, ...reviews],
    nonResourceRules: [{ verbs: ["get", "head"], nonResourceURLs: ["*"] }],
  };
}
