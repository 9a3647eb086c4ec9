// No one may grant what they do not hold, unless they are allowed to `escalate` roles or `bind` them (upstream: policybased storage).
import { adminGroup } from "../../../shared/k8s/access.ts";
import type { ClusterRole, PolicyRule, Role, RoleBinding, RoleRef } from "../../../shared/k8s/api/rbac-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError, type GroupName } from "../../../shared/k8s/status.ts";
import type { WriteContext } from "../kind.ts";
import { goList, ruleText, uncovered } from "./covers.ts";

const group = "rbac.authorization.k8s.io";
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export function refuseRoleWriter(
  plural: "roles" | "clusterroles",
  next: Role | ClusterRole,
  previous: Role | ClusterRole | undefined,
  context: WriteContext,
): void {
  const { namespace = "", name = "" } = next.metadata;
  if (isFree(next, previous, context)) return;
  if (may(context, "escalate", { plural, name: previous ? name : "", namespace })) return;
  const resource = { group, name: plural };
  const complaint = escalation(context, resource, namespace, next.rules ?? []);
  if (complaint) throw ApiError.forbidden(resource, name, complaint);
  if (!isAggregated(next) && !(previous && isAggregated(previous))) return;
  if (escalation(context, resource, namespace, fullAuthority)) {
    throw ApiError.forbidden(resource, name, "must have cluster-admin privileges to use the aggregationRule");
  }
}

export function refuseBindingWriter(
  resource: GroupName,
  next: Pick<RoleBinding, "metadata" | "roleRef"> & KubeObject,
  previous: KubeObject | undefined,
  context: WriteContext,
): void {
  const { namespace = "", name = "" } = next.metadata;
  if (isFree(next, previous, context)) return;
  const plural = pluralOf(next.roleRef);
  if (plural && may(context, "bind", { plural, name: next.roleRef.name, namespace })) return;
  const rules = boundRules(resource, next.roleRef, namespace, context);
  const complaint = escalation(context, resource, namespace, rules);
  if (complaint) throw ApiError.forbidden(resource, name, complaint);
}

/** Administrators, and what the garbage collector changes. */
function isFree(next: KubeObject, previous: KubeObject | undefined, { user }: WriteContext): boolean {
  if (user.groups.includes(adminGroup)) return true;
  if (!previous) return false;
  const { ownerReferences, finalizers, managedFields } = previous.metadata;
  const kept = { ownerReferences, finalizers, managedFields };
  return semanticEqual({ ...next, metadata: { ...next.metadata, ...kept } }, previous);
}

/** Who binds a role that is not there hears of what is written, as upstream has it. */
function boundRules(resource: GroupName, { kind, name }: RoleRef, namespace: string, { authorizer }: WriteContext) {
  try {
    return authorizer.rulesOfRole(kind, name, namespace);
  } catch (error) {
    throw error instanceof ApiError ? ApiError.notFound(resource, name) : error;
  }
}

interface Target {
  readonly plural: string;
  readonly name: string;
  readonly namespace: string;
}

function may({ authorizer, user }: WriteContext, verb: string, target: Target): boolean {
  return authorizer.decide(user, { isResource: true, verb, group, subresource: "", path: "", ...target }).allowed;
}

/** What is wrong with granting these rules, if anything. Roles that are not there are told as if they were of what is written. */
function escalation(
  { authorizer, user }: WriteContext,
  resource: GroupName,
  namespace: string,
  wanted: readonly PolicyRule[],
): string {
  const { rules, missing: absent } = authorizer.grantedTo(user, namespace);
  const ungranted = uncovered(rules, wanted);
  if (ungranted.length === 0) return "";
  const who = `user ${JSON.stringify(user.name)} (groups=${goList(user.groups)})`;
  const texts = [...new Set(ungranted.map(ruleText))].sort();
  const errors = [...new Set(absent)].map((name) => ApiError.notFound(resource, name).message);
  const unresolved = errors.length > 0 ? `; resolution errors: [${errors.join(", ")}]` : "";
  return `${who} is attempting to grant RBAC permissions not currently held:\n${texts.join("\n")}${unresolved}`;
}

function isAggregated(role: Role | ClusterRole): boolean {
  return "aggregationRule" in role && (role.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

function pluralOf({ kind }: RoleRef): string | undefined {
  if (kind === "ClusterRole") return "clusterroles";
  return kind === "Role" ? "roles" : undefined;
}
