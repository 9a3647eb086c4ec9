// Who may do what, as a question and its answer: upstream's `authorizer.Attributes` and `Authorizer`.
import type { NonResourceRule, ResourceRule } from "./api/authorization-v1.ts";
import type { PolicyRule } from "./api/rbac-v1.ts";

/** Who makes a request, as authentication found: `user.Info`. */
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
  /** "" where all namespaces, or none, are concerned. */
  readonly namespace: string;
  /** "" where no single object is. */
  readonly name: string;
  /** Of what is no resource. */
  readonly path: string;
  /** What a list's field selector demands: pairs of a field and its value. */
  readonly fields?: readonly (readonly [field: string, value: string])[];
}

export interface Decision {
  readonly allowed: boolean;
  /** Why, in upstream's words; often "". */
  readonly reason: string;
}

/** All that a user may do, as a rules review tells it. */
export interface Rules {
  readonly resourceRules: ResourceRule[];
  readonly nonResourceRules: NonResourceRule[];
  /** What could not be found out. */
  readonly evaluationError: string;
  readonly incomplete: boolean;
}

export interface Authorizer {
  decide(user: UserInfo, attributes: Attributes): Decision;
  /** What a user may do in a namespace ("": in none). */
  rulesOf(user: UserInfo, namespace: string): Rules;
  /** The rules that RBAC alone grants: no one may grant more than that. */
  grantedTo(user: UserInfo, namespace: string): Grants;
  /** The rules of a role that a binding of this namespace refers to; throws 404 where there is none. */
  rulesOfRole(kind: string, name: string, namespace: string): readonly PolicyRule[];
}

export interface Grants {
  readonly rules: readonly PolicyRule[];
  /** Roles that are bound and not there, by name. */
  readonly missing: readonly string[];
}

/** They may do everything, and grant it. */
export const adminGroup = "system:masters";
/** View tokens: get, list and watch of everything but Secrets. A viewer is never more, whatever other groups say. */
export const viewersGroup = "sandbar:viewers";

const nodePrefix = "system:node:";
const nodesGroup = "system:nodes";

/** The node that a user is; "" for one that does not say which; undefined for who is none. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(nodePrefix) || !groups.includes(nodesGroup)) return undefined;
  return name.slice(nodePrefix.length);
}
