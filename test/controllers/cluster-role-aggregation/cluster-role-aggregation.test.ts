import { expect, test } from "vitest";
import { clusterRoles } from "../../../worker/kinds/rbac/cluster-role.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

function applyRole(cluster: TestCluster, name: string, resources: readonly string[], view = true): void {
  const labels: Record<string, string> = view ? { "example.com/to-view": "true" } : {};
  cluster.apply(clusterRoles, { metadata: { name, labels }, rules: resources.map(rule) });
}

test("a role has the rules of the selected roles, without duplicates, as these change", () => {
  const cluster = newCluster({ nodes: 0 });
  const clusterRoleSelectors = [{ matchLabels: { "example.com/to-view": "true" } }];
  cluster.apply(clusterRoles, { metadata: { name: "all" }, aggregationRule: { clusterRoleSelectors }, rules: [] });
  applyRole(cluster, "b", ["pods", "services"]);
  applyRole(cluster, "a", ["secrets", "pods"]);
  applyRole(cluster, "other", ["nodes"], false);
  cluster.step(0);
  const resources = () =>
    cluster.get(clusterRoles, "", "all").rules.flatMap((policyRule) => policyRule.resources ?? []);
  expect(resources()).toEqual(["secrets", "pods", "services"]);
  cluster.client.delete(clusterRoles, "", "a");
  cluster.step(0);
  expect(resources()).toEqual(["pods", "services"]);
});

test("B2: thousands of rules are aggregated without comparing all pairs", () => {
  const cluster = newCluster({ nodes: 0 });
  const clusterRoleSelectors = [{ matchLabels: { "example.com/to-view": "true" } }];
  for (const name of ["a", "b", "c", "d"]) {
    applyRole(
      cluster,
      name,
      Array.from({ length: 2_000 }, (_one, at) => `${at % 2 === 0 ? "same" : name}${at}`),
    );
  }
  cluster.apply(clusterRoles, { metadata: { name: "all" }, aggregationRule: { clusterRoleSelectors }, rules: [] });
  cluster.step(0);
  expect(cluster.get(clusterRoles, "", "all").rules).toHaveLength(1_000 + 4 * 1_000);
});

test("B2: more rules than an object can have are not aggregated, and the role is unchanged", () => {
  const cluster = newCluster({ nodes: 0 });
  const clusterRoleSelectors = [{ matchLabels: { "example.com/to-view": "true" } }];
  const long = "x".repeat(700_000);
  for (const name of ["a", "b", "c"]) applyRole(cluster, name, [`${name}${long}`]);
  cluster.apply(clusterRoles, { metadata: { name: "all" }, aggregationRule: { clusterRoleSelectors }, rules: [] });
  cluster.step(1_000);
  expect(cluster.get(clusterRoles, "", "all").rules).toEqual([]);
});
