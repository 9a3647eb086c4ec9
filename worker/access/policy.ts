// The bootstrap roles and bindings of an API server of this version (upstream: bootstrappolicy), expanded from a table.
import type { PolicyRule, RoleRef, Subject } from "../../shared/k8s/api/rbac-v1.ts";
import type { KubernetesVersion, Release } from "../../shared/k8s/settings/release.ts";
import { releaseFacts } from "../../shared/schema/facts/releases/release-facts.ts";
import { must } from "../../shared/base/assert.ts";
import table from "./policy.json" with { type: "json" };

export interface PolicyRole {
  readonly namespace: string;
  readonly name: string;
  readonly rules: PolicyRule[];
  /** The roles (`admin`, `edit`, `view`) that aggregate its rules. */
  readonly aggregatesTo: readonly string[];
  /** The label value of the roles whose rules this role aggregates. */
  readonly aggregates: string | undefined;
}

export interface PolicyBinding {
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: Subject[];
}

interface RoleRow {
  /** Rules as text: `verbs groups resources [names]`, or `verbs urls`. `core` is the group without a name. */
  readonly rules?: readonly string[];
  readonly aggregates?: string;
  readonly aggregatesTo?: readonly string[];
}

interface BindingRow {
  /** The role as text: `ClusterRole name`. */
  readonly role: string;
  /** The subjects as text: `User name`, `Group name`, `ServiceAccount namespace/name`. */
  readonly subjects: readonly string[];
}

interface Table {
  readonly clusterRoles: Readonly<Record<string, RoleRow>>;
  /** The roles by `namespace/name`. */
  readonly roles: Readonly<Record<string, RoleRow>>;
  readonly clusterRoleBindings: Readonly<Record<string, BindingRow>>;
  readonly roleBindings: Readonly<Record<string, BindingRow>>;
}

const group = "rbac.authorization.k8s.io";
// The file has this shape.
const newest = table as unknown as Table;

/** The roles and bindings of a release. */
export interface Policy {
  readonly clusterRoles: readonly PolicyRole[];
  readonly roles: readonly PolicyRole[];
  readonly clusterRoleBindings: readonly PolicyBinding[];
  readonly roleBindings: readonly PolicyBinding[];
}

export function policyOf({ version }: Release): Policy {
  const { clusterRoles, roles, clusterRoleBindings, roleBindings } = tableOf(version);
  return {
    clusterRoles: Object.entries(clusterRoles).map(([name, row]) => roleOf("", name, row, clusterRoles)),
    roles: Object.entries(roles).map(([key, row]) => roleOf(...split(key), row, clusterRoles)),
    clusterRoleBindings: Object.entries(clusterRoleBindings).map(([name, row]) => bindingOf("", name, row)),
    roleBindings: Object.entries(roleBindings).map(([key, row]) => bindingOf(...split(key), row)),
  };
}

/** Returns the table of a release: the newest one with the rows that differ. */
function tableOf(version: KubernetesVersion): Table {
  const changes = releaseFacts(version)?.policy;
  if (!changes) return newest;
  const sections = Object.entries<object>({ ...newest }).map(([section, rows]) => {
    const merged = Object.entries<unknown>({ ...rows, ...changes[section] });
    return [section, Object.fromEntries(merged.filter(([, row]) => row !== null))];
  });
  // Each section has rows of its form, as the generator writes them.
  return Object.fromEntries(sections) as Table;
}

/** The rules of nodes that apply to all objects of a resource. Those of older releases are among them. */
export function nodeRules(): PolicyRule[] {
  const { clusterRoles } = newest;
  return rulesOf(must(clusterRoles["system:node"], "system:node"), clusterRoles);
}

/** Builds a role. A role with aggregation starts with its aggregated rules, in the order of the aggregation controller. */
function roleOf(namespace: string, name: string, row: RoleRow, clusterRoles: Table["clusterRoles"]): PolicyRole {
  const { aggregates, aggregatesTo = [] } = row;
  return { namespace, name, rules: rulesOf(row, clusterRoles), aggregatesTo, aggregates };
}

function rulesOf({ rules = [], aggregates }: RoleRow, clusterRoles: Table["clusterRoles"]): PolicyRule[] {
  if (aggregates === undefined) return rules.map(ruleOf);
  // The table is ordered by name, as the controller aggregates, and has no duplicate rules.
  return Object.values(clusterRoles)
    .filter(({ aggregatesTo }) => aggregatesTo?.includes(aggregates))
    .flatMap((row) => rulesOf(row, clusterRoles));
}

function ruleOf(text: string): PolicyRule {
  const [verbs = "", groups = "", resources, names] = text.split(" ");
  const list = (words: string) => words.split(",");
  if (resources === undefined) return { verbs: list(verbs), nonResourceURLs: list(groups) };
  return {
    verbs: list(verbs),
    apiGroups: list(groups).map((entry) => (entry === "core" ? "" : entry)),
    resources: list(resources),
    ...(names === undefined ? {} : { resourceNames: list(names) }),
  };
}

function bindingOf(namespace: string, name: string, { role, subjects }: BindingRow): PolicyBinding {
  const [kind = "", roleName = ""] = role.split(" ");
  return { namespace, name, roleRef: { apiGroup: group, kind, name: roleName }, subjects: subjects.map(subjectOf) };
}

function subjectOf(text: string): Subject {
  const [kind = "", name = ""] = text.split(" ");
  if (kind !== "ServiceAccount") return { kind, apiGroup: group, name };
  const [namespace, account] = split(name);
  return { kind, name: account, namespace };
}

function split(key: string): [string, string] {
  const at = key.indexOf("/");
  return [key.slice(0, at), key.slice(at + 1)];
}
