// The cluster role aggregator: a role with selectors has the rules of the roles that they select.
import type { PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { clusterRoles } from "../kinds/rbac/cluster-role.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

export const clusterRoleAggregation = defineController({
  name: "clusterrole-aggregation-controller",
  component: "clusterrole-aggregation-controller",
  watches: [
    watch(clusterRoles, function* (next, previous, client) {
      if (next?.aggregationRule) yield requestOf(next);
      const changed = [next, previous].flatMap((role) => (role ? [role.metadata.labels] : []));
      for (const role of client.list(clusterRoles)) {
        const selectors = role.aggregationRule?.clusterRoleSelectors?.map(selectorFrom) ?? [];
        if (selectors.some((selector) => changed.some((labels) => selector.matches(labels)))) yield requestOf(role);
      }
    }),
  ],
  reconcile({ name }, { client }) {
    const role = client.get(clusterRoles, "", name);
    if (!role?.aggregationRule) return undefined;
    const rules: PolicyRule[] = [];
    for (const labels of role.aggregationRule.clusterRoleSelectors ?? []) {
      for (const other of client.list(clusterRoles, { labels: selectorFrom(labels) })) {
        if (other.metadata.name === name) continue;
        for (const rule of other.rules) if (!rules.some((one) => semanticEqual(one, rule))) rules.push(rule);
      }
    }
    if (!semanticEqual(rules, role.rules)) client.update(clusterRoles, { ...role, rules });
    return undefined;
  },
});
