// The pods of kube-system: mirror pods of the control plane, and pods of every node.
import { expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { quantityMilliValue } from "../../shared/k8s/quantity.ts";
import { daemonSets } from "../../worker/kinds/apps/daemon-set.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster, quietCluster, type TestCluster } from "../cluster.ts";

const namespace = "kube-system";
const generated = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

test.each(["layered", "written", undefined] as const)(
  "N5: all of kube-system is ready with a base that is %s",
  (base) => {
    const cluster = quietCluster({ ...(base ? { base } : {}), systemPods: true });
    const listedPods = cluster.client.list(pods, { namespace });
    expect(
      listedPods.map(({ metadata }) => (metadata.name ?? "").replace(generated, "").replace(/-[0-9a-f]{9,10}$/, "")),
    ).toEqual([
      "coredns",
      "coredns",
      "etcd-node-1",
      "kindnet",
      "kindnet",
      "kindnet",
      "kube-apiserver-node-1",
      "kube-controller-manager-node-1",
      "kube-proxy",
      "kube-proxy",
      "kube-proxy",
      "kube-scheduler-node-1",
      "metrics-server",
    ]);
    expect(listedPods.filter((pod) => !isReady(pod)).map(({ metadata }) => metadata.name)).toEqual([]);
  },
);

test("N5: a deleted mirror pod is created again, owned by its node and with the same hash", () => {
  const cluster = quietCluster({ base: "layered", systemPods: true });
  const before = cluster.get(pods, namespace, "etcd-node-1");
  cluster.client.delete(pods, namespace, "etcd-node-1");
  cluster.step(60_000);
  const after = cluster.get(pods, namespace, "etcd-node-1");
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
  const hash = "kubernetes.io/config.hash";
  expect(after.metadata.annotations?.[hash]).toBe(before.metadata.annotations?.[hash]);
  expect(after.metadata.ownerReferences).toEqual([
    {
      apiVersion: "v1",
      kind: "Node",
      name: "node-1",
      uid: cluster.get(nodes, "", "node-1").metadata.uid,
      controller: true,
    },
  ]);
  expect(isReady(after)).toBe(true);
});

test("N5: a cluster without system pods creates none, and removing the first node removes its static pods", () => {
  const bare = quietCluster({ base: "layered" });
  expect(bare.client.list(pods, { namespace }).map(({ metadata }) => metadata.name?.replace(/-.*/, ""))).toEqual([
    "coredns",
    "coredns",
  ]);
  const cluster = quietCluster({ base: "layered", systemPods: true });
  cluster.client.delete(nodes, "", "node-1");
  cluster.step(600_000);
  expect(cluster.client.list(pods, { namespace }).filter(({ spec }) => spec.nodeName === "node-1")).toEqual([]);
});

test("N5: a new node gets its kube-system pods", () => {
  const cluster = quietCluster({ base: "layered", systemPods: true });
  cluster.apply(nodes, { metadata: { name: "more", annotations: { "sandbar.dev/simulated": "true" } } });
  cluster.step(60_000);
  const listedPods = cluster.client.byIndexValue(pods, "more");
  expect([...listedPods].map(({ metadata }) => metadata.name?.replace(generated, "")).sort()).toEqual([
    "kindnet",
    "kube-proxy",
  ]);
  expect(cluster.get(daemonSets, namespace, "kube-proxy").status.numberReady).toBe(4);
});

test("N5: kube-system pods leave room for other pods", () => {
  const cluster = quietCluster({ base: "layered", systemPods: true });
  for (const name of ["node-1", "node-2", "node-3"]) {
    const all = [...cluster.client.byIndexValue(pods, name)].flatMap(({ spec }) => spec.containers);
    const cpu = all.reduce((sum, { resources }) => sum + quantityMilliValue(resources.requests?.["cpu"] ?? "0"), 0);
    expect(cpu).toBeLessThan(1000);
  }
});

test("a node's start has events from its kubelet, its kube-proxy and the node controller", () => {
  const expected = [
    "kubelet Starting: Starting kubelet.",
    "kubelet InvalidDiskCapacity: invalid capacity 0 on image filesystem",
    "kubelet NodeHasSufficientMemory: Node $ status is now: NodeHasSufficientMemory",
    "kubelet NodeHasNoDiskPressure: Node $ status is now: NodeHasNoDiskPressure",
    "kubelet NodeHasSufficientPID: Node $ status is now: NodeHasSufficientPID",
    "kubelet NodeAllocatableEnforced: Updated Node Allocatable limit across pods",
    "kubelet NodeReady: Node $ status is now: NodeReady",
    "node-controller RegisteredNode: Node $ event: Registered Node $ in Controller",
  ];
  const fresh = quietCluster({ base: "layered", systemPods: true });
  expect(eventsOf(fresh, "node-2")).toEqual([...expected, "kube-proxy Starting: "].sort());
  const cluster = newCluster();
  cluster.runUntilQuiet();
  expect(eventsOf(cluster, "node-2")).toEqual([]);
  cluster.apply(nodes, { metadata: { name: "more", annotations: { "sandbar.dev/simulated": "true" } } });
  cluster.runUntilQuiet();
  expect(eventsOf(cluster, "more")).toEqual([...expected].sort());
});

test("cordoning, uncordoning and removing a node have events", () => {
  const cluster = quietCluster();
  for (const unschedulable of [true, false]) {
    cluster.edit(nodes, "", "node-2", ({ spec }) => void (spec.unschedulable = unschedulable));
    cluster.runUntilQuiet();
  }
  cluster.client.delete(nodes, "", "node-2");
  cluster.step(60_000);
  expect(eventsOf(cluster, "node-2")).toEqual([
    "kubelet NodeNotSchedulable: Node $ status is now: NodeNotSchedulable",
    "kubelet NodeSchedulable: Node $ status is now: NodeSchedulable",
    "node-controller RemovingNode: Node $ event: Removing Node $ from Controller",
  ]);
});

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}

/** `component reason: message`, in no order; the node's name is `$`. */
function eventsOf(cluster: TestCluster, node: string): string[] {
  return cluster.client
    .list(events, { namespace: "default" })
    .filter(({ involvedObject }) => involvedObject.kind === "Node" && involvedObject.name === node)
    .map(({ source, reportingComponent, reason, message }) => {
      const reporter = source.component ?? reportingComponent ?? "";
      return `${reporter} ${reason ?? ""}: ${(message ?? "").replaceAll(node, "$")}`;
    })
    .sort();
}
