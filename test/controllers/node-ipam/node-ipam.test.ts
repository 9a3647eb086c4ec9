// Node IPAM and TTL of users' nodes.
import { expect, test } from "vitest";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

function register(cluster: TestCluster, name: string, spec: object = {}) {
  cluster.apply(nodes, { metadata: { name }, spec });
  cluster.step(0);
  return cluster.get(nodes, "", name);
}

test("a node gets a free range, simulated or not, and keeps its own", () => {
  const cluster = newCluster({ nodes: 2 });
  expect(register(cluster, "a").spec).toMatchObject({ podCIDR: "10.244.3.0/24", podCIDRs: ["10.244.3.0/24"] });
  expect(register(cluster, "b", { podCIDR: "10.244.4.0/24" }).spec.podCIDR).toBe("10.244.4.0/24");
  cluster.apply(nodes, { metadata: { name: "s", annotations: { "sandbar.dev/simulated": "true" } } });
  expect(register(cluster, "c").spec.podCIDR).toBe("10.244.6.0/24");
  expect(cluster.get(nodes, "", "s").spec.podCIDR).toBe("10.244.5.0/24");
});

test("the range of a deleted node is reused", () => {
  const cluster = newCluster({ nodes: 1 });
  register(cluster, "a");
  register(cluster, "b");
  cluster.client.delete(nodes, "", "a");
  cluster.step(0);
  expect(register(cluster, "c").spec.podCIDR).toBe("10.244.2.0/24");
});

test("a node gets a TTL for secrets that grows with the number of nodes", () => {
  const cluster = newCluster({ nodes: 99 });
  const ttl = (name: string) => cluster.get(nodes, "", name).metadata.annotations?.["node.alpha.kubernetes.io/ttl"];
  register(cluster, "a");
  expect(ttl("a")).toBe("0");
  register(cluster, "b");
  expect([ttl("a"), ttl("b")]).toEqual(["0", "15"]);
  cluster.client.delete(nodes, "", "node-1");
  cluster.edit(nodes, "", "b", ({ spec }) => {
    spec.unschedulable = true;
  });
  cluster.step(0);
  // Near a boundary the value does not change.
  expect(ttl("b")).toBe("15");
});

test("a simulated node counts like any other", () => {
  const cluster = newCluster({ nodes: 0 });
  cluster.apply(nodes, { metadata: { name: "s", annotations: { "sandbar.dev/simulated": "true" } } });
  cluster.step(0);
  expect(cluster.get(nodes, "", "s").metadata.annotations).toMatchObject({
    "node.alpha.kubernetes.io/ttl": "0",
    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
  });
});
