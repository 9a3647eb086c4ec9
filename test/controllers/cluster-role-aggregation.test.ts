import { expect, test } from "vitest";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { type TestCluster, newCluster } from "../cluster.ts";

const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

function applyRole(cluster: TestCluster, name: string, resources: readonly string[], view = true): void {
  const labels: Record<string, string> = view ? { "example.com/to-view": "true" } : {};
  cluster.apply(clusterRoles, { metadata: { name, labels }, rules: resources.map(rule) });
}

test("a role has the rules of the roles that it selects, each once, as they come and go", () => {
  const cluster = newCluster({ nodes: 0 });
  const clusterRoleSelectors = [{ matchLabels: { "example.com/to-view": "true" } }];
  cluster.apply(clusterRoles, { metadata: { name: "all" }, aggregationRule: { clusterRoleSelectors }, rules: [] });
  applyRole(cluster, "b", ["pods", "services"]);
  applyRole(cluster, "a", ["secrets", "pods"]);
  applyRole(cluster, "other", ["nodes"], false);
  cluster.step(0);
  const resources = () => cluster.get(clusterRoles, "", "all").rules.flatMap((one) => one.resources ?? []);
  expect(resources()).toEqual(["secrets", "pods", "services"]);
  cluster.client.delete(clusterRoles, "", "a");
  cluster.step(0);
  expect(resources()).toEqual(["pods", "services"]);
});
