import { describe, expect, test } from "vitest";
import type { Node, NodeCondition } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339Micro } from "../../../shared/k8s/time.ts";
import { leases } from "../../../worker/kinds/coordination/lease.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "" } as const;

/** Returns a cluster with a user's node, whose kubelet has reported once, beside a simulated one. */
function clusterWithNode(conditions: readonly NodeCondition[] = [ready]): TestCluster {
  const cluster = newCluster({ nodes: 1 });
  cluster.step(1_000);
  cluster.apply(nodes, {
    metadata: { name: "mine" },
    status: { conditions, allocatable: { cpu: "4", memory: "8Gi", pods: "110" } },
  });
  renew(cluster);
  cluster.step(0);
  return cluster;
}

function renew(cluster: TestCluster): void {
  const metadata = { name: "mine", namespace: "kube-node-lease" };
  const spec = { holderIdentity: "mine", leaseDurationSeconds: 40, renewTime: rfc3339Micro(cluster.clock.nowMs()) };
  const lease = cluster.client.get(leases, "kube-node-lease", "mine");
  if (lease) cluster.client.update(leases, { ...lease, spec });
  else cluster.apply(leases, { metadata, spec });
}

const nodeOf = (cluster: TestCluster, name = "mine") => cluster.get(nodes, "", name);
const taintsOf = ({ spec }: Node) => (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const readyOf = ({ status }: Node) => status.conditions?.find(({ type }) => type === "Ready");

function applyPod(cluster: TestCluster, name: string, spec: object = {}) {
  return cluster.apply(pods, {
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "web", image: "nginx:1" }], ...spec },
  });
}

describe("the node lifecycle controller", () => {
  test("keeps a node with a renewed lease ready", () => {
    const cluster = clusterWithNode();
    for (let at = 0; at < 10; at++) {
      cluster.step(40_000);
      renew(cluster);
    }
    cluster.step(0);
    expect(readyOf(nodeOf(cluster))?.status).toBe("True");
    expect(taintsOf(nodeOf(cluster))).toEqual([]);
  });

  test("marks a node that is silent for 50 seconds as unreachable, and its pods as not ready", () => {
    const cluster = clusterWithNode();
    const pod = applyPod(cluster, "web", { nodeName: "mine" });
    cluster.client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Running", conditions: [ready] } });
    cluster.step(49_000);
    expect(readyOf(nodeOf(cluster))?.status).toBe("True");
    cluster.step(2_000);
    expect(readyOf(nodeOf(cluster))).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect(taintsOf(nodeOf(cluster))).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(cluster.eventsOf(nodeOf(cluster))).toEqual([
      "RegisteredNode: Node mine event: Registered Node mine in Controller",
      "NodeNotReady: Node mine status is now: NodeNotReady",
    ]);
    expect(cluster.eventsOf(pod)).toEqual(["NodeNotReady: Node is not ready"]);
    expect(cluster.get(pods, "default", "web").status.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
    // DefaultTolerationSeconds lets the pod tolerate it for five minutes.
    cluster.step(298_000);
    expect(cluster.get(pods, "default", "web").metadata.deletionTimestamp).toBeUndefined();
    cluster.step(2_000);
    expect(cluster.get(pods, "default", "web").metadata.deletionTimestamp).toBeDefined();
    expect(cluster.eventsOf(pod)).toContain("TaintManagerEviction: Marking for deletion Pod default/web");
  });

  test("removes the taints of a node that reports again", () => {
    const cluster = clusterWithNode();
    cluster.step(60_000);
    expect(taintsOf(nodeOf(cluster))).toHaveLength(2);
    const node = nodeOf(cluster);
    renew(cluster);
    cluster.client.updateStatus(nodes, { ...node, status: { ...node.status, conditions: [ready] } });
    cluster.step(0);
    expect(taintsOf(nodeOf(cluster))).toEqual([]);
  });

  test("marks a node that never reported as unreachable after a minute", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.apply(nodes, { metadata: { name: "mute" } });
    cluster.step(62_000);
    expect(nodeOf(cluster, "mute").status.conditions?.map(({ type, reason }) => `${type}: ${reason ?? ""}`)).toEqual([
      "Ready: NodeStatusNeverUpdated",
      "MemoryPressure: NodeStatusNeverUpdated",
      "DiskPressure: NodeStatusNeverUpdated",
      "PIDPressure: NodeStatusNeverUpdated",
    ]);
  });

  test.each([
    [{ ...ready, status: "False" } as const, ["not-ready:NoSchedule", "not-ready:NoExecute"]],
    [{ type: "DiskPressure", status: "True" } as const, ["disk-pressure:NoSchedule"]],
  ])("taints a node with the condition %j", (condition, taints) => {
    const cluster = clusterWithNode([condition]);
    cluster.step(100);
    expect(taintsOf(nodeOf(cluster))).toEqual(taints.map((taint) => `node.kubernetes.io/${taint}`));
  });

  test("never marks a simulated node as silent, and taints it for a cordon", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.step(600_000);
    expect(taintsOf(nodeOf(cluster, "node-1"))).toEqual([]);
    const cordon = (unschedulable: boolean) =>
      cluster.edit(nodes, "", "node-1", ({ spec }) => {
        spec.unschedulable = unschedulable;
      });
    cordon(true);
    cluster.step(0);
    expect(taintsOf(nodeOf(cluster, "node-1"))).toEqual(["node.kubernetes.io/unschedulable:NoSchedule"]);
    cordon(false);
    cluster.step(0);
    expect(taintsOf(nodeOf(cluster, "node-1"))).toEqual([]);
  });
});

describe("eviction from many silent nodes", () => {
  /** Returns a cluster with `ready` simulated nodes, and users' nodes that have just stopped reporting. */
  function silent(count: number, readyNodes: number, zone = "a"): TestCluster {
    const cluster = newCluster({ nodes: 0 });
    const labels = (of: string) => ({ "topology.kubernetes.io/zone": of });
    for (let at = 1; at <= readyNodes; at++) {
      cluster.apply(nodes, {
        metadata: { name: `well-${at}`, labels: labels("a"), annotations: { "sandbar.dev/simulated": "true" } },
      });
    }
    for (let at = 1; at <= count; at++) {
      cluster.apply(nodes, {
        metadata: { name: `mine-${at}`, labels: labels(zone) },
        status: { conditions: [ready] },
      });
    }
    cluster.step(51_000);
    return cluster;
  }

  const givenUp = (cluster: TestCluster) =>
    cluster.client.list(nodes).filter((node) => taintsOf(node).some((taint) => taint.endsWith("NoExecute"))).length;

  test("continues with one node every ten seconds", () => {
    const cluster = silent(3, 10);
    expect(givenUp(cluster)).toBe(1);
    cluster.step(8_000);
    expect(givenUp(cluster)).toBe(1);
    cluster.step(1_500);
    expect(givenUp(cluster)).toBe(2);
    cluster.step(10_000);
    expect(givenUp(cluster)).toBe(3);
    cluster.runUntilQuiet();
  });

  test("stops if most of a small zone is silent, until enough nodes are back", () => {
    const cluster = silent(4, 3);
    cluster.step(600_000);
    expect(givenUp(cluster)).toBe(0);
    for (const name of ["mine-1", "mine-2"]) {
      const node = nodeOf(cluster, name);
      cluster.client.updateStatus(nodes, { ...node, status: { ...node.status, conditions: [ready] } });
      const spec = { renewTime: rfc3339Micro(cluster.clock.nowMs()) };
      cluster.apply(leases, { metadata: { name, namespace: "kube-node-lease" }, spec });
    }
    cluster.step(100);
    expect(givenUp(cluster)).toBe(1);
    cluster.step(10_000);
    expect(givenUp(cluster)).toBe(2);
  });

  test("runs at the usual rate in a completely silent zone while another is healthy", () => {
    const cluster = silent(3, 1, "b");
    expect(givenUp(cluster)).toBe(1);
    cluster.step(20_000);
    expect(givenUp(cluster)).toBe(3);
  });

  test("stops if no node is ready, and earlier evictions are cancelled", () => {
    const cluster = silent(2, 0);
    expect(givenUp(cluster)).toBe(0);
    const secondCluster = silent(1, 1);
    expect(givenUp(secondCluster)).toBe(1);
    secondCluster.client.delete(nodes, "", "well-1");
    secondCluster.step(0);
    expect(givenUp(secondCluster)).toBe(0);
  });

  test("is ten times slower in a large zone", () => {
    const cluster = silent(40, 20);
    expect(givenUp(cluster)).toBe(1);
    cluster.step(98_000);
    expect(givenUp(cluster)).toBe(1);
    cluster.step(1_500);
    expect(givenUp(cluster)).toBe(2);
  });

  test("does not count a node with the exclusion label", () => {
    const cluster = silent(3, 2);
    expect(givenUp(cluster)).toBe(0);
    cluster.edit(nodes, "", "mine-1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, "node.kubernetes.io/exclude-disruption": "" };
    });
    cluster.step(100);
    expect(givenUp(cluster)).toBe(1);
  });
});

describe("a node object", () => {
  test("has an event when it is deleted", () => {
    const cluster = clusterWithNode();
    const node = nodeOf(cluster);
    cluster.client.delete(nodes, "", "mine");
    cluster.step(0);
    expect(cluster.eventsOf(node)).toContain("RemovingNode: Node mine event: Removing Node mine from Controller");
  });

  test("has the older names of its labels too", () => {
    const cluster = clusterWithNode();
    cluster.edit(nodes, "", "mine", ({ metadata }) => {
      metadata.labels = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "x" };
    });
    cluster.step(0);
    expect(nodeOf(cluster).metadata.labels).toMatchObject({
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": "arm64",
    });
  });
});

describe("taint eviction", () => {
  function tainted(): TestCluster {
    const cluster = newCluster({ nodes: 1 });
    cluster.runUntilQuiet();
    const tolerations = (tolerationSeconds?: number) => ({
      tolerations: [
        { key: "gone", operator: "Exists", effect: "NoExecute", ...(tolerationSeconds ? { tolerationSeconds } : {}) },
      ],
    });
    applyPod(cluster, "plain");
    applyPod(cluster, "patient", tolerations(60));
    applyPod(cluster, "forever", tolerations());
    cluster.step(10_000);
    cluster.edit(nodes, "", "node-1", ({ spec }) => {
      spec.taints = [{ key: "gone", effect: "NoExecute" }];
    });
    return cluster;
  }

  const names = (cluster: TestCluster) =>
    cluster.client.list(pods, { namespace: "default" }).flatMap(({ metadata }) => metadata.name ?? []);

  test("evicts pods immediately, after their toleration's time, or never", () => {
    const cluster = tainted();
    cluster.step(50_000);
    expect(names(cluster)).toEqual(["forever", "patient"]);
    cluster.step(20_000);
    expect(names(cluster)).toEqual(["forever"]);
  });

  test("spares a pod if the taint is removed in time", () => {
    const cluster = tainted();
    cluster.step(50_000);
    cluster.edit(nodes, "", "node-1", ({ spec }) => {
      spec.taints = [];
    });
    cluster.step(60_000);
    expect(names(cluster)).toEqual(["forever", "patient"]);
    expect(cluster.eventsOf(cluster.get(pods, "default", "patient"))).toContain(
      "TaintManagerEviction: Cancelling deletion of Pod default/patient",
    );
  });
});

test("a node that is no longer simulated becomes silent, and is ready again when it is simulated", () => {
  const cluster = newCluster({ nodes: 3 });
  cluster.step(600_000);
  cluster.edit(nodes, "", "node-2", ({ metadata }) => {
    delete metadata.annotations?.["sandbar.dev/simulated"];
  });
  cluster.step(45_000);
  expect(readyOf(nodeOf(cluster, "node-2"))?.status).toBe("True");
  cluster.step(10_000);
  const silent = nodeOf(cluster, "node-2");
  expect(readyOf(silent)).toMatchObject({ status: "Unknown", message: "Kubelet stopped posting node status." });
  expect(taintsOf(silent)).toContain("node.kubernetes.io/unreachable:NoExecute");
  expect(cluster.eventsOf(silent)).toEqual(["NodeNotReady: Node node-2 status is now: NodeNotReady"]);
  cluster.edit(nodes, "", "node-2", ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, "sandbar.dev/simulated": "true" };
  });
  cluster.step(10_000);
  expect(readyOf(nodeOf(cluster, "node-2"))?.status).toBe("True");
  expect(taintsOf(nodeOf(cluster, "node-2"))).toEqual([]);
});
