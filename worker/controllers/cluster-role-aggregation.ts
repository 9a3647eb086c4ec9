// The cluster role aggregator: a role with selectors has the rules of the roles that they select.
import type { PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { clusterRoles } from "../kinds/cluster-roles.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

export const clusterRoleAggregation = defineController({
  name: "clusterrole-aggregation-controller",
  component: "clusterrole-aggregation-controller",
  watches: [
    // Roles are few, and which of them are selected by what only a look at each can tell.
    watch(clusterRoles, function* (_next, _previous, client) {
      for (const role of client.list(clusterRoles)) if (role.aggregationRule) yield requestOf(role);
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
