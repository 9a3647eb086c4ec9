// Golden timelines of cluster role aggregation: every event and every step, in order.
import { expect, test } from "vitest";
import { clusterRoles } from "../../../worker/kinds/rbac/cluster-role.ts";
import { atRest } from "../timeline.ts";

test("an aggregated role follows the selected roles", () => {
  const { cluster } = atRest();
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const aggregate = { "example.com/aggregate": "true" };
  cluster.apply(clusterRoles, {
    metadata: { name: "all" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregate }] },
  });
  cluster.apply(clusterRoles, { metadata: { name: "part", labels: aggregate }, rules });
  cluster.runUntilQuiet();
  expect(cluster.get(clusterRoles, "", "all").rules).toEqual(rules);
  cluster.client.delete(clusterRoles, "", "part");
  cluster.runUntilQuiet();
  expect(cluster.get(clusterRoles, "", "all").rules).toEqual([]);
});
