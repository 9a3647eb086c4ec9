// The cost of an RBAC decision in this process, in a cluster of 200 roles and 500 bindings.
import { newCluster, type TestCluster } from "../../test/cluster.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { type Figure, atMost } from "../table.ts";

const apiGroup = "rbac.authorization.k8s.io";
const rounds = 20_000;
const user = { name: "jane", groups: ["devs", "system:authenticated"] };

export function access(): Figure[] {
  const { registry } = cluster();
  const deploymentRequest = {
    isResource: true,
    group: "apps",
    plural: "deployments",
    subresource: "",
    name: "web",
    path: "",
  };
  const decide = (verb: string) =>
    registry.authorizer.decide(user, { ...deploymentRequest, verb, namespace: "default" }).allowed;
  if (!decide("get") || decide("delete")) throw new Error("jane may get deployments and not delete them");
  const allowed = microsOf(() => decide("get"));
  const refused = microsOf(() => decide("delete"));
  return [
    { what: "a decision of RBAC that allows", value: allowed, unit: "µs", bar: atMost(allowed, 50, "µs") },
    { what: "one that looks at all and refuses", value: refused, unit: "µs", bar: atMost(refused, 50, "µs") },
  ];
}

/** Creates the cluster. One binding in ten is of one of jane's groups, and the last of these grants the request. */
function cluster(): TestCluster {
  const testCluster = newCluster({ nodes: 0, controllers: [] });
  for (let at = 0; at < 200; at++) {
    const resources = at === 199 ? ["deployments"] : [`things${at}`];
    const rules = [{ verbs: ["get", "list"], apiGroups: ["apps"], resources }];
    testCluster.client.create(clusterRoles, { metadata: { name: `role-${at}` }, rules });
  }
  for (let at = 0; at < 500; at++) {
    const name = at % 10 === 0 || at === 499 ? "devs" : `team-${at}`;
    testCluster.client.create(clusterRoleBindings, {
      metadata: { name: `binding-${String(at).padStart(3, "0")}` },
      roleRef: { apiGroup, kind: "ClusterRole", name: `role-${at === 499 ? 199 : at % 199}` },
      subjects: [{ kind: "Group", apiGroup, name }],
    });
  }
  return testCluster;
}

function microsOf(run: () => void): number {
  for (let round = 0; round < rounds; round++) run();
  const startMs = performance.now();
  for (let round = 0; round < rounds; round++) run();
  return ((performance.now() - startMs) * 1000) / rounds;
}
