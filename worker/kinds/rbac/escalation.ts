// Prevents privilege escalation: users can only grant rules that they have, unless they may `escalate` roles or `bind` them (upstream:
// policybased storage).
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { adminGroup } from "../../../shared/k8s/authorizer.ts";
import type { ClusterRole, PolicyRule, Role, RoleBinding, RoleRef } from "../../../shared/k8s/api/rbac-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError, type GroupName } from "../../../shared/k8s/status.ts";
import type { WriteContext } from "../kind.ts";

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

/** Reports whether escalation is not checked: for administrators, and for changes by the garbage collector. */
function isFree(next: KubeObject, previous: KubeObject | undefined, { user }: WriteContext): boolean {
  if (user.groups.includes(adminGroup)) return true;
  if (!previous) return false;
  const { ownerReferences, finalizers, managedFields } = previous.metadata;
  const mutableMetadata = { ownerReferences, finalizers, managedFields };
  return semanticEqual({ ...next, metadata: { ...next.metadata, ...mutableMetadata } }, previous);
}

/** Returns the rules of a bound role. If the role does not exist, the error names the written object, as upstream. */
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

/** Returns the error of granting rules, if any. Errors about missing roles are those of the written object. */
function escalation(
  { authorizer, user }: WriteContext,
  resource: GroupName,
  namespace: string,
  grantedRules: readonly PolicyRule[],
): string {
  const { rules, missing: absent } = authorizer.grantedTo(user, namespace);
  const ungranted = uncoveredRules(rules, grantedRules);
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

/** Returns the rules that the user does not have, in upstream's compact form. */
function uncoveredRules(owner: readonly PolicyRule[], grantedRules: readonly PolicyRule[]): PolicyRule[] {
  const missing = grantedRules.flatMap(atoms).filter((atom) => !owner.some((rule) => covers(rule, atom)));
  return mergeVerbs(missing);
}

/** Prints `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const fields: [string, readonly string[] | undefined][] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  return `{${fields.flatMap(([name, list]) => (list?.length ? `${name}:${goList(list)}` : [])).join(", ")}}`;
}

/** Prints a list of strings as Go's `%q` does. */
function goList(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(" ")}]`;
}

/** Splits a rule into rules with one verb, one resource and at most one name each, or one verb and one URL. */
function atoms({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  const atomicRules: PolicyRule[] = [];
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) atomicRules.push(atom);
        for (const name of resourceNames) atomicRules.push({ ...atom, resourceNames: [name] });
      }
  for (const url of nonResourceURLs)
    for (const verb of verbs) atomicRules.push({ nonResourceURLs: [url], verbs: [verb] });
  return atomicRules;
}

function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  const { resourceNames: names = [] } = rule;
  const wantedNames = atom.resourceNames ?? [];
  return (
    hasAll(rule.verbs, atom.verbs) &&
    hasAll(rule.apiGroups, atom.apiGroups) &&
    (atom.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (atom.nonResourceURLs ?? []).every(
      (url) => rule.nonResourceURLs?.some((ownedUrl) => coversUrl(ownedUrl, url)) === true,
    ) &&
    (names.length === 0 || (wantedNames.length > 0 && wantedNames.every((name) => names.includes(name))))
  );
}

function hasAll(list: readonly string[] | undefined, required: readonly string[] | undefined): boolean {
  return list?.includes("*") === true || (required ?? []).every((item) => list?.includes(item) === true);
}

function coversResource(list: readonly string[], resource: string): boolean {
  if (list.includes("*") || list.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && list.includes(`*${resource.slice(slash)}`);
}

function coversUrl(ownedUrl: string, url: string): boolean {
  return ownedUrl === url || (ownedUrl.endsWith("*") && url.startsWith(trimmedEnd(ownedUrl, "*")));
}

/** Merges rules of one resource that differ only in the verb. */
function mergeVerbs(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, PolicyRule>();
  const complexRules: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs) {
      complexRules.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const merged = simple.get(key);
    if (merged) merged.verbs.push(...rule.verbs);
    else simple.set(key, { ...rule, verbs: [...rule.verbs] });
  }
  return [...complexRules, ...simple.values()];
}
