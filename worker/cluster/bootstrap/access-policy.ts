// The roles and bindings that an API server makes by itself (upstream: the rbac/bootstrap-roles post-start hook).
import { clusterRoleBindings } from "../../kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../kinds/rbac/cluster-role.ts";
import { roleBindings } from "../../kinds/rbac/role-binding.ts";
import { roles } from "../../kinds/rbac/role.ts";
import type { Release } from "../../../shared/k8s/settings/release.ts";
import { policyOf, type PolicyRole } from "../../access/policy.ts";
import { type Seed, seed } from "./seed.ts";

const aggregation = "rbac.authorization.k8s.io/aggregate-to-";

export function* accessPolicy(release: Release): Generator<Seed> {
  const policy = policyOf(release);
  for (const role of policy.clusterRoles) {
    const { rules, aggregates } = role;
    const selector = { matchLabels: { [aggregation + (aggregates ?? "")]: "true" } };
    const aggregationRule = aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [selector] } };
    yield seed(clusterRoles, { metadata: metadata(role), rules, ...aggregationRule });
  }
  for (const { roleRef, subjects, ...of } of policy.clusterRoleBindings) {
    yield seed(clusterRoleBindings, { metadata: metadata(of), roleRef, subjects });
  }
  for (const role of policy.roles) yield seed(roles, { metadata: metadata(role), rules: role.rules });
  for (const { roleRef, subjects, ...of } of policy.roleBindings) {
    yield seed(roleBindings, { metadata: metadata(of), roleRef, subjects });
  }
}

function metadata({
  namespace,
  name,
  aggregatesTo = [],
}: Pick<PolicyRole, "namespace" | "name"> & Partial<PolicyRole>) {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...Object.fromEntries(aggregatesTo.map((role) => [aggregation + role, "true"])),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}
