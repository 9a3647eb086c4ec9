// The modes of impersonation, in the order in which they are tried. Each requires its own permissions. The constrained modes also check
// whether the sender may perform the request as the user. The last mode is the legacy one, which only checks the user.
import type { Attributes, Authorizer, UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";
import { path } from "../../../shared/k8s/field.ts";
import { domainPathErrors, dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";
import type { RequestInfo, ResourceAttributes } from "../request-info.ts";
import { authorize, forbidden, requesterOf } from "./authorization.ts";
import type { Identity } from "../api-server.ts";

export interface WantedUser {
  readonly name: string;
  /** "" if no uid is requested. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[];
}

export interface RequestAttributes {
  readonly info: RequestInfo;
  readonly fields: NonNullable<Attributes["fields"]>;
}

interface Mode {
  /** The feature gate without which the mode is off. */
  readonly gate?: keyof Features;
  applies(target: WantedUser, sender: UserInfo): boolean;
  /** Returns the impersonated user. Throws ApiError if the sender lacks a permission. */
  become(authorizer: Authorizer, sender: Identity, target: WantedUser, requestAttributes: RequestAttributes): UserInfo;
}

const anonymous = "system:anonymous";
const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";
const nodesGroup = "system:nodes";
const nodeNameKey = "authentication.kubernetes.io/node-name";
const reviews = "authentication.k8s.io";
/** The number of values from which one permission for all values is checked first. */
const many = 4;

export const modes: readonly Mode[] = [
  constrained("associated-node", (target, sender) => {
    const node = isPlain(target) ? nodeOf(target.name) : undefined;
    const nodeNames = sender.extra?.[nodeNameKey] ?? [];
    return (
      node !== undefined && accountOf(sender.name) !== undefined && nodeNames.length === 1 && nodeNames[0] === node
    );
  }),
  constrained("arbitrary-node", (target) => isPlain(target) && nodeOf(target.name) !== undefined),
  constrained("serviceaccount", (target) => isPlain(target) && accountOf(target.name) !== undefined),
  constrained("user-info", ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined),
  {
    applies: () => true,
    become: (authorizer, sender, target) => become({ authorizer, sender, verb: "impersonate", constraint: "" }, target),
  },
];

function constrained(constraint: string, applies: Mode["applies"]): Mode {
  return {
    gate: "ConstrainedImpersonation",
    applies,
    become: (authorizer, sender, target, { info, fields }) => {
      const on = `impersonate-on:${constraint}:${info.verb}`;
      authorize(authorizer, sender, { ...info, verb: on }, fields);
      return become({ authorizer, sender, verb: `impersonate:${constraint}`, constraint }, target);
    },
  };
}

interface Impersonation {
  readonly authorizer: Authorizer;
  readonly sender: Identity;
  readonly verb: string;
  /** "" for the legacy mode. */
  readonly constraint: string;
}

function become(impersonation: Impersonation, target: WantedUser): UserInfo {
  const groups = checkName(impersonation, target);
  if (target.uid) check(impersonation, { group: reviews, plural: "uids", name: target.uid });
  checkGroups(impersonation, target.groups);
  checkExtra(impersonation, target.extra);
  return {
    name: target.name,
    groups: withEveryone(target.name, groups),
    ...(target.uid ? { uid: target.uid } : {}),
    ...(target.extra.length > 0 ? { extra: Object.fromEntries(target.extra) } : {}),
  };
}

/** Checks the name. Returns the groups, some of which follow from the name. */
function checkName(impersonation: Impersonation, { name, groups }: WantedUser): readonly string[] {
  const group = groupOf(impersonation);
  const node = impersonation.constraint ? nodeOf(name) : undefined;
  const account = accountOf(name);
  if (account) {
    check(impersonation, { group, plural: "serviceaccounts", ...account });
    return groups.length > 0 ? groups : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  }
  if (node === undefined) {
    check(impersonation, { group, plural: "users", name });
    return groups;
  }
  // The associated node needs permission for any name, since an account has only one node.
  check(impersonation, { group, plural: "nodes", name: impersonation.constraint === "associated-node" ? "*" : node });
  return [nodesGroup];
}

function checkGroups(impersonation: Impersonation, groups: readonly string[]): void {
  const attributes = { group: groupOf(impersonation), plural: "groups" };
  if (impersonation.constraint) {
    if (groups.includes("")) refuse(impersonation, attributes, "impersonating the empty string group is not allowed");
    const name = "system:masters";
    if (groups.includes(name)) {
      refuse(impersonation, { ...attributes, name }, "impersonating the system:masters group is not allowed");
    }
    if (groups.length >= many && may(impersonation, { ...attributes, name: "*" })) return;
  }
  for (const name of groups) check(impersonation, { ...attributes, name });
}

function checkExtra(impersonation: Impersonation, extra: WantedUser["extra"]): void {
  if (extra.length === 0) return;
  const attributes = { group: reviews, plural: "userextras" };
  if (impersonation.constraint) {
    const problem = extraProblem(extra);
    if (problem) refuse(impersonation, attributes, problem);
    const isLarge = extra.length >= many || extra.flatMap(([, values]) => values).length >= many;
    if (isLarge && may(impersonation, { ...attributes, subresource: "*", name: "*" })) return;
  }
  for (const [subresource, values] of extra) {
    for (const name of values) check(impersonation, { ...attributes, subresource, name });
  }
}

function extraProblem(extra: WantedUser["extra"]): string | undefined {
  for (const [key, values] of extra) {
    if (!key) return "impersonating the empty string key in extra is not allowed";
    const errors = domainPathErrors(key, path("extra", "key")).map(({ field, message }) => `${field}: ${message}`);
    const all = errors.length > 1 ? `[${errors.join(", ")}]` : errors[0];
    if (all) return `impersonating an invalid key in extra is not allowed: ${all}`;
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    }
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}

type Impersonated = Partial<ResourceAttributes>;

function attributesOf({ verb }: Impersonation, attribute: Impersonated): ResourceAttributes {
  return { isResource: true, group: "", namespace: "", plural: "", name: "", subresource: "", ...attribute, verb };
}

function check(impersonation: Impersonation, attribute: Impersonated): void {
  authorize(impersonation.authorizer, impersonation.sender, attributesOf(impersonation, attribute));
}

function may(impersonation: Impersonation, attribute: Impersonated): boolean {
  const { authorizer, sender } = impersonation;
  return authorizer.decide(requesterOf(sender), { ...attributesOf(impersonation, attribute), path: "" }).allowed;
}

function refuse(impersonation: Impersonation, attribute: Impersonated, why: string): never {
  throw forbidden(impersonation.sender, attributesOf(impersonation, attribute), why);
}

/** Returns the API group. Users and groups of the legacy mode are of the core group. */
function groupOf({ constraint }: Impersonation): string {
  return constraint ? reviews : "";
}

function withEveryone(user: string, groups: readonly string[]): string[] {
  const everyone = user === anonymous ? unauthenticated : authenticated;
  return groups.includes(unauthenticated) || groups.includes(everyone) ? [...groups] : [...groups, everyone];
}

function isPlain({ uid, groups, extra }: WantedUser): boolean {
  return uid === "" && groups.length === 0 && extra.length === 0;
}

function nodeOf(user: string): string | undefined {
  const prefix = "system:node:";
  const name = user.startsWith(prefix) ? user.slice(prefix.length) : "";
  return name && dns1123Subdomain(name).length === 0 ? name : undefined;
}

function accountOf(user: string): { namespace: string; name: string } | undefined {
  const [system, kind, namespace = "", name = "", ...more] = user.split(":");
  if (system !== "system" || kind !== "serviceaccount" || more.length > 0) return undefined;
  return dns1123Label(namespace).length + dns1123Subdomain(name).length > 0 ? undefined : { namespace, name };
}
