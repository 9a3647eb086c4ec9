// Authorization requests and decisions: upstream's `authorizer.Attributes` and `Authorizer`.
import type { KubeObject } from "./meta.ts";
import type { NonResourceRule, ResourceRule } from "./api/authorization-v1.ts";
import type { PolicyRule } from "./api/rbac-v1.ts";

/** The authenticated user of a request: upstream's `user.Info`. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface Attributes {
  readonly isResource: boolean;
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  /** "" if the request concerns all namespaces, or a cluster-scoped resource. */
  readonly namespace: string;
  /** "" if the request names no single object. */
  readonly name: string;
  /** The URL path of a request for no resource. */
  readonly path: string;
  /** The requirements of a list's field selector: pairs of a field and its value. */
  readonly fields?: readonly (readonly [field: string, value: string])[];
}

export interface Decision {
  readonly allowed: boolean;
  /** The reason in upstream's words; often "". */
  readonly reason: string;
}

/** The rules that a SelfSubjectRulesReview lists for a user. */
export interface Rules {
  readonly resourceRules: ResourceRule[];
  readonly nonResourceRules: NonResourceRule[];
  /** The errors of rules that could not be resolved. */
  readonly evaluationError: string;
  readonly incomplete: boolean;
}

/** The objects by which an authorizer decides, in their stored form. */
export interface AuthorizerObjects {
  get(key: { readonly resource: string; readonly namespace: string; readonly name: string }): KubeObject | undefined;
  list(query: { readonly resource: string }): Iterable<KubeObject>;
}

export interface Authorizer {
  decide(user: UserInfo, attributes: Attributes): Decision;
  /** Returns an authorizer that decides by the roles and bindings of a past state. Nodes are still authorized by their present pods. */
  ofPast(objects: AuthorizerObjects): Pick<Authorizer, "decide">;
  /** Returns the rules of a user in a namespace. "" stands for no namespace. */
  rulesOf(user: UserInfo, namespace: string): Rules;
  /** Returns the rules that RBAC alone grants: a user cannot grant more than these. */
  grantedTo(user: UserInfo, namespace: string): Grants;
  /** Returns the rules of a role that a binding of this namespace refers to. Throws 404 if the role does not exist. */
  rulesOfRole(kind: string, name: string, namespace: string): readonly PolicyRule[];
}

export interface Grants {
  readonly rules: readonly PolicyRule[];
  /** Names of roles that are bound but do not exist. */
  readonly missing: readonly string[];
}

/** The group whose members may do everything, and grant everything. */
export const adminGroup = "system:masters";
/** The group of view tokens, which may get, list and watch everything but Secrets. Other groups of a viewer add nothing. */
export const viewersGroup = "sandbar:viewers";

const nodePrefix = "system:node:";
const nodesGroup = "system:nodes";

/** Returns the name of the node that a user stands for; "" if the user name does not say which, undefined if the user is no node. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(nodePrefix) || !groups.includes(nodesGroup)) return undefined;
  return name.slice(nodePrefix.length);
}
