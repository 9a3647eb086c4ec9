// The ways to become another user, in the order in which they are tried: each asks for permissions of its own. The constrained ones also
// ask whether the sender may do as another what the request does; the last is the oldest, which asks for whom alone.
import type { Attributes, Authorizer, UserInfo } from "../../../shared/k8s/authorizer.ts";
import { path } from "../../../shared/k8s/field.ts";
import { domainPathErrors, dns1123Label, dns1123Subdomain } from "../../../shared/k8s/names.ts";
import type { RequestInfo, ResourceAttributes } from "../request-info.ts";
import { authorize, forbidden, requesterOf } from "./authorization.ts";
import type { Identity } from "../api-server.ts";

export interface WantedUser {
  readonly name: string;
  /** "" where none is wanted. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[];
}

/** What the request does. */
export interface RequestAttributes {
  readonly info: RequestInfo;
  readonly fields: NonNullable<Attributes["fields"]>;
}

interface Mode {
  applies(wanted: WantedUser, sender: UserInfo): boolean;
  /** Throws ApiError for what the sender may not. */
  become(authorizer: Authorizer, sender: Identity, wanted: WantedUser, asked: RequestAttributes): UserInfo;
}

const anonymous = "system:anonymous";
const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";
const nodesGroup = "system:nodes";
const nodeNameKey = "authentication.kubernetes.io/node-name";
const reviews = "authentication.k8s.io";
/** From so many on, all at once are asked for first. */
const many = 4;

export const modes: readonly Mode[] = [
  constrained("associated-node", (wanted, sender) => {
    const node = isPlain(wanted) ? nodeOf(wanted.name) : undefined;
    const own = sender.extra?.[nodeNameKey] ?? [];
    return node !== undefined && accountOf(sender.name) !== undefined && own.length === 1 && own[0] === node;
  }),
  constrained("arbitrary-node", (wanted) => isPlain(wanted) && nodeOf(wanted.name) !== undefined),
  constrained("serviceaccount", (wanted) => isPlain(wanted) && accountOf(wanted.name) !== undefined),
  constrained("user-info", ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined),
  {
    applies: () => true,
    become: (authorizer, sender, wanted) => become({ authorizer, sender, verb: "impersonate", constraint: "" }, wanted),
  },
];

function constrained(constraint: string, applies: Mode["applies"]): Mode {
  return {
    applies,
    become: (authorizer, sender, wanted, { info, fields }) => {
      const on = `impersonate-on:${constraint}:${info.verb}`;
      authorize(authorizer, sender, { ...info, verb: on }, fields);
      return become({ authorizer, sender, verb: `impersonate:${constraint}`, constraint }, wanted);
    },
  };
}

interface Impersonation {
  readonly authorizer: Authorizer;
  readonly sender: Identity;
  readonly verb: string;
  /** "" for the oldest mode. */
  readonly constraint: string;
}

function become(impersonation: Impersonation, wanted: WantedUser): UserInfo {
  const groups = checkName(impersonation, wanted);
  if (wanted.uid) check(impersonation, { group: reviews, plural: "uids", name: wanted.uid });
  checkGroups(impersonation, wanted.groups);
  checkExtra(impersonation, wanted.extra);
  return {
    name: wanted.name,
    groups: withEveryone(wanted.name, groups),
    ...(wanted.uid ? { uid: wanted.uid } : {}),
    ...(wanted.extra.length > 0 ? { extra: Object.fromEntries(wanted.extra) } : {}),
  };
}

/** Returns the groups, which follow from the name for some. */
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
  // Of its own node an account may be told by no name: all are one.
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

function attributesOf({ verb }: Impersonation, part: Impersonated): ResourceAttributes {
  return { isResource: true, group: "", namespace: "", plural: "", name: "", subresource: "", ...part, verb };
}

function check(impersonation: Impersonation, part: Impersonated): void {
  authorize(impersonation.authorizer, impersonation.sender, attributesOf(impersonation, part));
}

function may(impersonation: Impersonation, part: Impersonated): boolean {
  const { authorizer, sender } = impersonation;
  return authorizer.decide(requesterOf(sender), { ...attributesOf(impersonation, part), path: "" }).allowed;
}

function refuse(impersonation: Impersonation, part: Impersonated, why: string): never {
  throw forbidden(impersonation.sender, attributesOf(impersonation, part), why);
}

/** The oldest mode's users and groups are of the core group. */
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
