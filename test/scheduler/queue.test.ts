// The order in which pods are tried, and the events that make them retried.
import { describe, expect, test } from "vitest";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../cluster.ts";
import { addNode, addPod, clusterWith, conditionOf, nodeOf, podOf, remove } from "./bed.ts";

/** Returns the number of failed attempts of a pod. */
function tries(cluster: TestCluster, name: string): number {
  const { uid } = podOf(cluster, name).metadata;
  return cluster.client
    .list<Event>(events)
    .filter(({ involvedObject, reason }) => involvedObject.uid === uid && reason === "FailedScheduling")
    .reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
}

/** Returns a cluster of one node with a pod that waits for what `spec` requires. */
function waiting(spec: NonNullable<Parameters<typeof addPod>[2]>["spec"], cpu = "1"): TestCluster {
  const cluster = clusterWith(["n1"]);
  addPod(cluster, "p", { cpu, ...(spec ? { spec } : {}) });
  cluster.runUntilQuiet();
  expect(tries(cluster, "p")).toBe(1);
  return cluster;
}

describe("the order of the scheduling queue", () => {
  test("is by priority, then by age, in any order of creation", () => {
    const cluster = clusterWith(["n1"]);
    addPod(cluster, "low-1", { priority: "low" });
    addPod(cluster, "low-2", { priority: "low" });
    addPod(cluster, "high", { priority: "high" });
    addPod(cluster, "middle", { priority: "middle" });
    cluster.runUntilQuiet();
    const order = cluster.client
      .list<Event>(events)
      .filter(({ reason }) => reason === "Scheduled" || reason === "FailedScheduling")
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ involvedObject }) => involvedObject.name);
    expect(order).toEqual(["high", "middle", "low-1", "low-2"]);
  });

  test("lets the most important pod win after a change that moves several pods", () => {
    const cluster = clusterWith(["n1"]);
    addPod(cluster, "holder", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    addPod(cluster, "low", { cpu: "2", priority: "low" });
    addPod(cluster, "middle", { cpu: "2", priority: "middle" });
    cluster.runUntilQuiet();
    remove(cluster, "holder");
    expect([nodeOf(cluster, "low"), nodeOf(cluster, "middle")]).toEqual([undefined, "n1"]);
  });
});

describe("scheduling gates", () => {
  test("prevent attempts with a condition, until they are removed", () => {
    const cluster = clusterWith(["n1"]);
    addPod(cluster, "p", { spec: { schedulingGates: [{ name: "a.example/x" }, { name: "b.example/y" }] } });
    cluster.runUntilQuiet();
    expect(conditionOf(cluster, "p")).toMatchObject({
      status: "False",
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    });
    const openOne = (name: string) =>
      cluster.edit(pods, "default", name, ({ spec }) => {
        spec.schedulingGates = spec.schedulingGates?.slice(1) ?? [];
      });
    openOne("p");
    addNode(cluster, "n2");
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(0);
    expect(nodeOf(cluster, "p")).toBeUndefined();
    openOne("p");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toMatch(/^n[12]$/);
  });
});

describe("the events for another attempt", () => {
  test("are deleted pods and larger nodes for resources, not labels", () => {
    const cluster = waiting(undefined, "4");
    cluster.edit(nodes, "", "n1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, disk: "ssd" };
    });
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(1);
    cluster.edit(nodes, "", "n1", ({ status }) => {
      status.allocatable = { ...status.allocatable, memory: "8Gi" };
    });
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(1);
    const node = cluster.get(nodes, "", "n1");
    const allocatable = { ...node.status.allocatable, cpu: "8" };
    cluster.client.updateStatus(nodes, { ...node, status: { ...node.status, allocatable } });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("are a node with the label for a selector, not another label or a deleted pod", () => {
    const cluster = waiting({ nodeSelector: { disk: "ssd" } });
    addPod(cluster, "other", { cpu: "0" });
    cluster.runUntilQuiet();
    remove(cluster, "other");
    cluster.edit(nodes, "", "n1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, disk: "hdd" };
    });
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(1);
    cluster.edit(nodes, "", "n1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, disk: "ssd" };
    });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("are a removed taint or an added toleration", () => {
    const cluster = clusterWith([]);
    addNode(cluster, "n1", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } });
    addPod(cluster, "a");
    addPod(cluster, "b");
    cluster.runUntilQuiet();
    cluster.edit(pods, "default", "a", ({ spec }) => {
      spec.tolerations = [...(spec.tolerations ?? []), { key: "k", operator: "Exists" }];
    });
    cluster.runUntilQuiet();
    expect([nodeOf(cluster, "a"), nodeOf(cluster, "b")]).toEqual(["n1", undefined]);
    expect(tries(cluster, "b")).toBe(1);
    cluster.edit(nodes, "", "n1", ({ spec }) => {
      spec.taints = [];
    });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "b")).toBe("n1");
  });

  test("are a created matching pod for affinity, not another one", () => {
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } };
    const cluster = waiting({
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    });
    addPod(cluster, "web", { cpu: "0", labels: { app: "web" } });
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(1);
    addPod(cluster, "db", { cpu: "0", labels: { app: "db" } });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("are the deletion of a host port's user, not of another pod", () => {
    const cluster = clusterWith(["n1"]);
    const ports = { containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80, hostPort: 80 }] }] };
    for (const name of ["holder", "other", "p"]) {
      addPod(cluster, name, name === "other" ? {} : { spec: ports });
      cluster.runUntilQuiet();
    }
    remove(cluster, "other");
    expect(tries(cluster, "p")).toBe(1);
    remove(cluster, "holder");
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("need no timer while pods wait", () => {
    const cluster = waiting({ nodeSelector: { disk: "ssd" } });
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("are joined by the scheduler's next run after five minutes", () => {
    const cluster = waiting({ nodeSelector: { disk: "ssd" } });
    cluster.step(301_000);
    addPod(cluster, "other", { cpu: "0" });
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(2);
  });
});

describe("the scheduler name of a pod", () => {
  test("excludes a pod of another scheduler even if it fits, and the pod counts once it is bound", () => {
    const cluster = clusterWith(["n1"]);
    const theirs = addPod(cluster, "theirs", { cpu: "2", spec: { schedulerName: "mine" } });
    cluster.runUntilQuiet();
    expect(theirs.status.conditions).toBeUndefined();
    expect(cluster.eventsOf(theirs)).toEqual([]);
    cluster.client.bind("default", "theirs", theirs.metadata.uid ?? "", "n1");
    addPod(cluster, "ours");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "ours")).toBeUndefined();
  });

  test("does not matter for a waiting pod that a user binds", () => {
    const cluster = waiting({ nodeSelector: { disk: "ssd" } });
    cluster.client.bind("default", "p", podOf(cluster, "p").metadata.uid ?? "", "n1");
    cluster.edit(nodes, "", "n1", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, disk: "ssd" };
    });
    cluster.runUntilQuiet();
    expect(tries(cluster, "p")).toBe(1);
    expect(conditionOf(cluster, "p")?.status).toBe("True");
  });
});

test("scheduling events are in events.k8s.io, with action and reporter, without legacy counts", () => {
  const cluster = clusterWith(["n1"]);
  addPod(cluster, "fits");
  addPod(cluster, "large", { cpu: "9" });
  cluster.runUntilQuiet();
  const recordedEvents = cluster.client.list<Event>(events).map((event) => ({
    ...{ reason: event.reason, action: event.action, type: event.type },
    by: `${event.reportingComponent ?? ""} ${event.reportingInstance ?? ""}`,
    old: [event.count, event.firstTimestamp, event.lastTimestamp, event.source.component],
  }));
  const by = "default-scheduler default-scheduler-control-plane";
  const old = [undefined, null, null, undefined];
  expect(recordedEvents).toEqual([
    { reason: "Scheduled", action: "Binding", type: "Normal", by, old },
    { reason: "FailedScheduling", action: "Scheduling", type: "Warning", by, old },
  ]);
});
