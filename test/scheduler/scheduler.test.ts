// The scheduler in a whole cluster: bindings, events, conditions and retries.
import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { openCluster } from "../../worker/cluster/cluster.ts";
import { schedulerController } from "../../worker/scheduler/controller.ts";
import { serviceAccountController } from "../../worker/controllers/service-account/controller.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { events as kindOfEvents } from "../../worker/kinds/core/event/event.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { drainCarefully } from "../runtime/careful-run.ts";
import { nodeSql } from "../sqlite.ts";

/** Admission of pods requires a service account. */
const controllers = [schedulerController, serviceAccountController];

function withNodes(...names: readonly string[]): TestCluster {
  const cluster = newCluster({ nodes: 0, controllers });
  cluster.runUntilQuiet();
  for (const name of names) addNode(cluster, name);
  return cluster;
}

function addNode(cluster: TestCluster, name: string, spec: Draft<Node["spec"]> = {}, cpu = "2"): void {
  cluster.apply(nodes, {
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec,
    status: {
      capacity: { cpu, memory: "4Gi", pods: "110" },
      allocatable: { cpu, memory: "4Gi", pods: "110" },
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  // The change of the node controller to a new node that is ready.
  cluster.edit(nodes, "", name, (draft) => {
    draft.spec.taints = draft.spec.taints?.filter(({ key }) => key !== "node.kubernetes.io/not-ready") ?? [];
  });
}

function addPod(cluster: TestCluster, name: string, cpu = "1", spec: Draft<Pod["spec"]> = {}): Pod {
  const container = { name: "c", image: "nginx", resources: { requests: { cpu } } };
  return cluster.apply(pods, { metadata: { namespace: "default", name }, spec: { containers: [container], ...spec } });
}

function nodeOf(cluster: TestCluster, name: string): string | undefined {
  return cluster.get(pods, "default", name).spec.nodeName;
}

function scheduled(cluster: TestCluster, name: string) {
  return cluster.get(pods, "default", name).status.conditions?.find(({ type }) => type === "PodScheduled");
}

describe("a pod that fits", () => {
  test("gets the binding, the condition and the event", () => {
    const cluster = withNodes("n1");
    const pod = addPod(cluster, "p");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
    expect(scheduled(cluster, "p")?.status).toBe("True");
    expect(cluster.eventsOf(pod)).toEqual(["Scheduled: Successfully assigned default/p to n1"]);
  });

  test("is packed only as far as its requests allow", () => {
    const cluster = withNodes("n1", "n2");
    for (const name of ["a", "b", "c", "d", "e"]) addPod(cluster, name);
    cluster.runUntilQuiet();
    const placed = ["a", "b", "c", "d", "e"].map((name) => nodeOf(cluster, name));
    expect(placed.filter((name) => name === "n1")).toHaveLength(2);
    expect(placed.filter((name) => name === "n2")).toHaveLength(2);
    expect(placed[4]).toBeUndefined();
  });

  test("is ignored if it has another scheduler or a gate, until the gate is removed", () => {
    const cluster = withNodes("n1");
    addPod(cluster, "theirs", "1", { schedulerName: "mine" });
    addPod(cluster, "gated", "1", { schedulingGates: [{ name: "example.com/wait" }] });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "theirs")).toBeUndefined();
    expect(nodeOf(cluster, "gated")).toBeUndefined();
    cluster.edit(pods, "default", "gated", (draft) => {
      delete draft.spec.schedulingGates;
    });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "gated")).toBe("n1");
  });
});

describe("an unschedulable pod", () => {
  const insufficient =
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";

  function full(): TestCluster {
    const cluster = withNodes("n1");
    addPod(cluster, "first", "2");
    cluster.runUntilQuiet();
    addPod(cluster, "second", "2");
    cluster.runUntilQuiet();
    return cluster;
  }

  test("has the reason in its condition and event, and nothing is due", () => {
    const cluster = full();
    const second = cluster.get(pods, "default", "second");
    expect(scheduled(cluster, "second")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: insufficient,
    });
    expect(cluster.eventsOf(second)).toEqual([`FailedScheduling: ${insufficient}`]);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("waits without nodes, until one is added", () => {
    const cluster = withNodes();
    const pod = addPod(cluster, "p");
    cluster.runUntilQuiet();
    expect(cluster.eventsOf(pod)).toEqual(["FailedScheduling: no nodes available to schedule pods"]);
    cluster.step(60_000);
    addNode(cluster, "n1");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("is retried when a deleted pod frees resources", () => {
    const cluster = full();
    cluster.client.delete(pods, "default", "first", { gracePeriodSeconds: 0 });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "second")).toBe("n1");
  });

  test("is retried when an ended pod frees resources", () => {
    const cluster = full();
    const first = cluster.get(pods, "default", "first");
    cluster.client.updateStatus(pods, { ...first, status: { ...first.status, phase: "Succeeded" } });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "second")).toBe("n1");
  });

  test("is not retried for a node that is too small even when empty", () => {
    const cluster = full();
    cluster.step(60_000);
    addNode(cluster, "small", {}, "1");
    expect(cluster.runtime.drain(10)).toBe(0);
    addNode(cluster, "large", {}, "4");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "second")).toBe("large");
  });

  test("is retried when a node is uncordoned", () => {
    const cluster = withNodes();
    addNode(cluster, "n1", { unschedulable: true });
    addPod(cluster, "p");
    cluster.runUntilQuiet();
    expect(scheduled(cluster, "p")?.message).toContain("1 node(s) were unschedulable");
    cluster.edit(nodes, "", "n1", (draft) => {
      delete draft.spec.unschedulable;
    });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("is retried at once, without backoff, while the active queue is empty", () => {
    const cluster = full();
    const second = cluster.get(pods, "default", "second");
    for (let round = 0; round < 3; round++) {
      addPod(cluster, `tiny-${round}`, "0");
      cluster.step(0);
      cluster.client.delete(pods, "default", `tiny-${round}`, { gracePeriodSeconds: 0 });
      cluster.step(0);
      expect(cluster.runtime.nextDueMs()).toBeUndefined();
    }
    const events = cluster.client
      .list(kindOfEvents)
      .filter((event) => event.involvedObject.uid === second.metadata.uid);
    // The first event has the state of the pod before it; the others form a series.
    expect(events.map(({ series }) => series?.count)).toEqual([undefined, 3]);
  });
});

describe("a scheduler that lost its memory", () => {
  test("builds the snapshot again, and finds waiting pods", () => {
    const sql = nodeSql();
    const before = newCluster({ sql, nodes: 0, controllers });
    before.runUntilQuiet();
    addNode(before, "n1");
    addPod(before, "first", "2");
    addPod(before, "second", "2");
    before.runUntilQuiet();
    const { runtime, system } = openCluster({
      sql,
      clock: before.clock,
      random: seededRandom(2),
      kinds,
      plugins: [],
      controllers,
      report: (error) => {
        throw error;
      },
    });
    drainCarefully({ runtime });
    runtime.drain(100);
    expect(system.get(pods, "default", "second")?.spec.nodeName).toBeUndefined();
    before.clock.step(60_000);
    system.delete(pods, "default", "first", { gracePeriodSeconds: 0 });
    runtime.drain(100);
    expect(system.get(pods, "default", "second")?.spec.nodeName).toBe("n1");
  });
});
