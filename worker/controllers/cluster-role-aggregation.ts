// The cluster role aggregator: a role with selectors gets the rules of the selected roles.
import type { ClusterRole, PolicyRule } from "../../shared/k8s/api/rbac-v1.ts";
import { limits } from "../../shared/base/limits.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { type Selector, labelSelectorAsSelector } from "../../shared/k8s/selectors/labels.ts";
import { clusterRoles } from "../kinds/rbac/cluster-role.ts";
import type { Client } from "../registry/client.ts";
import { defineController, requestOf, watch } from "../runtime/controller.ts";

interface Memory {
  /** The selectors of each aggregating role by name. Read once, then updated. */
  aggregating: Map<string, readonly Selector[]> | undefined;
}

export const clusterRoleAggregation = defineController({
  name: "clusterrole-aggregation-controller",
  component: "clusterrole-aggregation-controller",
  memory: (): Memory => ({ aggregating: undefined }),
  watches: [
    watch(clusterRoles, function* (next, previous, client, memory: Memory) {
      if (next?.aggregationRule) yield requestOf(next);
      const aggregating = (memory.aggregating ??= aggregatingRoles(client));
      remember(aggregating, next, previous);
      const changed = [next, previous].flatMap((role) => (role ? [role.metadata.labels] : []));
      for (const [name, selectors] of aggregating) {
        const isMatched = selectors.some((selector) => changed.some((labels) => selector.matches(labels)));
        if (isMatched) yield { namespace: "", name };
      }
    }),
  ],
  reconcile({ name }, { client }) {
    const role = client.get(clusterRoles, "", name);
    if (!role?.aggregationRule) return undefined;
    const rules = new Map<string, PolicyRule>();
    let characters = 0;
    for (const labels of role.aggregationRule.clusterRoleSelectors ?? []) {
      for (const selectedRole of client.each(clusterRoles, { labels: labelSelectorAsSelector(labels) })) {
        if (selectedRole.metadata.name === name) continue;
        for (const rule of selectedRole.rules) {
          const key = keyOf(rule);
          if (rules.has(key)) continue;
          rules.set(key, rule);
          characters += key.length;
          // Such an object could not be stored.
          if (characters > limits.objectBytes) throw tooMany(name);
        }
      }
    }
    const all = [...rules.values()];
    if (!semanticEqual(all, role.rules)) client.update(clusterRoles, { ...role, rules: all });
    return undefined;
  },
});

function aggregatingRoles(client: Client): Map<string, readonly Selector[]> {
  const aggregating = new Map<string, readonly Selector[]>();
  for (const role of client.each(clusterRoles)) remember(aggregating, role, undefined);
  return aggregating;
}

function remember(
  aggregating: Map<string, readonly Selector[]>,
  next: ClusterRole | undefined,
  previous: ClusterRole | undefined,
): void {
  const name = (next ?? previous)?.metadata.name ?? "";
  const selectors = next?.aggregationRule?.clusterRoleSelectors?.map(labelSelectorAsSelector);
  if (selectors) aggregating.set(name, selectors);
  else aggregating.delete(name);
}

/** Returns a key that is equal for equal rules. Empty fields count as absent. */
function keyOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

function tooMany(name: string): ApiError {
  const message = `limit is ${limits.objectBytes} bytes for one object, the rules of cluster role ${JSON.stringify(name)} are more`;
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}
