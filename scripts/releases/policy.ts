// Compares the bootstrap roles and bindings of a release with the newest ones, in the form of worker/access/policy.json.
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import newest from "../../worker/access/policy.json" with { type: "json" };
import type { PolicyRule, RoleRef, Subject } from "../../shared/k8s/api/rbac-v1.ts";
import type { ReleaseTable } from "../../shared/schema/facts/releases/release-table.ts";

export const policyFolder = "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata";

interface PolicyObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly { matchLabels: Record<string, string> }[] };
  readonly roleRef?: RoleRef;
  readonly subjects?: readonly Subject[];
}

const files: Readonly<Record<string, readonly string[]>> = {
  clusterRoles: ["cluster-roles", "controller-roles"],
  roles: ["namespace-roles"],
  clusterRoleBindings: ["cluster-role-bindings", "controller-role-bindings"],
  roleBindings: ["namespace-role-bindings"],
};
const aggregation = "rbac.authorization.k8s.io/aggregate-to-";

export function policyChanges(read: (name: string) => string): ReleaseTable["policy"] {
  const changes: Record<string, Record<string, unknown>> = {};
  for (const [section, names] of Object.entries(files)) {
    // Each section is a record of rows.
    const before = newest[section as keyof typeof newest] as Readonly<Record<string, unknown>>;
    const rows = new Map(names.flatMap((name) => rowsOf(read(name))));
    const changed: Record<string, unknown> = {};
    for (const [key, row] of rows) if (!isDeepStrictEqual(row, before[key])) changed[key] = row;
    for (const key of Object.keys(before)) if (!rows.has(key)) changed[key] = null;
    if (Object.keys(changed).length > 0) changes[section] = changed;
  }
  return changes;
}

function rowsOf(text: string): [string, unknown][] {
  const { items } = parse(text) as { readonly items: readonly PolicyObject[] };
  return items.map((item) => {
    const { name, namespace } = item.metadata;
    return [namespace ? `${namespace}/${name}` : name, item.roleRef ? bindingRow(item, item.roleRef) : roleRow(item)];
  });
}

function roleRow({ metadata, rules, aggregationRule }: PolicyObject) {
  const labels = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(aggregation));
  const [selected] = Object.keys(aggregationRule?.clusterRoleSelectors[0]?.matchLabels ?? {});
  const aggregatesTo = labels.map((label) => label.slice(aggregation.length));
  return {
    ...(selected === undefined ? {} : { aggregates: selected.slice(aggregation.length) }),
    ...(aggregatesTo.length > 0 ? { aggregatesTo } : {}),
    ...(selected === undefined && rules ? { rules: rules.map(ruleText) } : {}),
  };
}

function ruleText({ verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs }: PolicyRule): string {
  if (nonResourceURLs) return `${verbs.join()} ${nonResourceURLs.join()}`;
  const groups = apiGroups.map((group) => group || "core");
  return [verbs.join(), groups.join(), resources.join(), ...(resourceNames ? [resourceNames.join()] : [])].join(" ");
}

function bindingRow({ subjects = [] }: PolicyObject, { kind, name }: RoleRef) {
  return {
    role: `${kind} ${name}`,
    subjects: subjects.map((subject) =>
      subject.kind === "ServiceAccount"
        ? `ServiceAccount ${subject.namespace ?? ""}/${subject.name}`
        : `${subject.kind} ${subject.name}`,
    ),
  };
}
