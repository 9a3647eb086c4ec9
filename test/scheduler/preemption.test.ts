// Preemption: the victims, the events, and the outcome.
import { describe, expect, test } from "vitest";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { podDisruptionBudgets } from "../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../cluster.ts";
import { addNode, addPod, clusterWith, conditionOf, isLeaving, nodeOf, podOf, remove, start } from "./bed.ts";

/** Returns a cluster of one node, full of a running pod of low priority. */
function full(): TestCluster {
  const cluster = clusterWith(["n1"]);
  addPod(cluster, "low", { cpu: "2", priority: "low" });
  cluster.runUntilQuiet();
  start(cluster, "low");
  cluster.runUntilQuiet();
  return cluster;
}

describe("preemption by priority", () => {
  test("has upstream's order: event, nomination, condition and deletion of the victim, then the binding", () => {
    const cluster = full();
    const from = cluster.changes.length;
    const high = addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    remove(cluster, "low");
    expect(timeline(cluster, from, high.metadata.uid ?? "")).toEqual([
      "high created",
      "event high FailedScheduling (Scheduling): 0/1 nodes are available: 1 Insufficient cpu.",
      "high PodScheduled=False/Unschedulable nominated n1",
      "low DisruptionTarget=True/PreemptionByScheduler",
      "low leaving in 30s",
      "event low Preempted (Preempting): Preempted by pod <high> on node n1",
      "low leaving in 0s",
      "low gone",
      "high PodScheduled=True on n1",
      "event high Scheduled (Binding): Successfully assigned default/high to n1",
    ]);
  });

  test("has upstream's condition of the victim and event", () => {
    const cluster = full();
    const high = addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(conditionOf(cluster, "low", "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    });
    const preempted = cluster.client.list<Event>(events).find(({ reason }) => reason === "Preempted");
    expect(preempted).toMatchObject({
      type: "Normal",
      action: "Preempting",
      reportingComponent: "default-scheduler",
      related: { kind: "Pod", name: "high", uid: high.metadata.uid },
      involvedObject: { kind: "Pod", name: "low" },
      firstTimestamp: null,
    });
    expect(preempted?.eventTime).toMatch(/\.\d{6}Z$/);
  });

  test("does not apply to equal priority, with a message", () => {
    const cluster = full();
    addPod(cluster, "other", { cpu: "2", priority: "low" });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "low")).toBe(false);
    expect(conditionOf(cluster, "other")?.message).toBe(
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    );
  });

  test("does not apply with preemptionPolicy Never, with a message", () => {
    const cluster = full();
    addPod(cluster, "polite", { cpu: "2", priority: "polite" });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "low")).toBe(false);
    expect(conditionOf(cluster, "polite")?.message).toBe(
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
    );
  });

  test("is not tried on a node whose rejection is unresolvable", () => {
    const cluster = full();
    addPod(cluster, "picky", { cpu: "2", priority: "high", spec: { nodeSelector: { disk: "ssd" } } });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "low")).toBe(false);
    expect(conditionOf(cluster, "picky")?.message).toContain("1 Preemption is not helpful for scheduling.");
  });

  test("waits while the victim terminates, and selects no other", () => {
    const cluster = full();
    addNode(cluster, "n2", { spec: { unschedulable: true } });
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    cluster.edit(pods, "default", "high", ({ metadata }) => {
      metadata.labels = { changed: "yes" };
    });
    addPod(cluster, "small", { cpu: "0" });
    cluster.runUntilQuiet();
    remove(cluster, "small");
    expect(conditionOf(cluster, "high")?.message).toContain(
      "preemption: not eligible due to a terminating pod on the nominated node.",
    );
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n1");
  });
});

describe("the selection of victims", () => {
  test("includes only pods whose resources are needed, the younger before the older", () => {
    const cluster = clusterWith(["n1"]);
    for (const name of ["older", "younger"]) {
      addPod(cluster, name, { priority: "low" });
      cluster.step(10_000);
      start(cluster, name);
    }
    addPod(cluster, "high", { priority: "high" });
    cluster.runUntilQuiet();
    expect([isLeaving(cluster, "older"), isLeaving(cluster, "younger")]).toEqual([false, true]);
  });

  test("prefers the node with the least important victims", () => {
    const cluster = clusterWith(["n1", "n2", "n3"]);
    for (const [node, priority] of [
      ["n1", "middle"],
      ["n2", "low"],
      ["n3", "middle"],
    ] as const) {
      addPod(cluster, `on-${node}`, { cpu: "2", priority, spec: { nodeSelector: { "kubernetes.io/hostname": node } } });
    }
    cluster.runUntilQuiet();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n2");
    expect(isLeaving(cluster, "on-n2")).toBe(true);
  });

  test("compares the highest priority before the number", () => {
    const cluster = clusterWith(["n1", "n2"]);
    for (const [name, node, cpu, priority] of [
      ["a", "n1", "2", "middle"],
      ["b", "n2", "1", "low"],
      ["c", "n2", "1", "low"],
    ] as const) {
      addPod(cluster, name, { cpu, priority, spec: { nodeSelector: { "kubernetes.io/hostname": node } } });
    }
    cluster.runUntilQuiet();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n2");
    expect(["a", "b", "c"].map((name) => isLeaving(cluster, name))).toEqual([false, true, true]);
  });

  test("compares the lower sum of equal highest priorities before the start times", () => {
    const cluster = clusterWith(["n1", "n2"]);
    for (const [name, node, priority] of [
      ["a", "n2", "middle"],
      ["b", "n2", "low"],
      ["c", "n1", "middle"],
      ["d", "n1", "middle"],
    ] as const) {
      addPod(cluster, name, { priority, spec: { nodeSelector: { "kubernetes.io/hostname": node } } });
      cluster.step(10_000);
      start(cluster, name);
    }
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n2");
  });

  test("prefers equal victims whose most important one started last", () => {
    const cluster = clusterWith(["n1", "n2"]);
    for (const [name, node, priority] of [
      ["lowOn2", "n2", "low"],
      ["middleOn1", "n1", "middle"],
      ["middleOn2", "n2", "middle"],
      ["lowOn1", "n1", "low"],
    ] as const) {
      const spec = { nodeSelector: { "kubernetes.io/hostname": node } };
      addPod(cluster, name.toLowerCase(), { priority, spec });
      cluster.step(10_000);
      start(cluster, name.toLowerCase());
    }
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n2");
  });

  test("prefers a node with one victim over one with two of the same priority", () => {
    const cluster = clusterWith(["n1", "n2"]);
    for (const [name, node, cpu] of [
      ["a", "n1", "1"],
      ["b", "n1", "1"],
      ["c", "n2", "2"],
    ] as const) {
      addPod(cluster, name, { cpu, priority: "low", spec: { nodeSelector: { "kubernetes.io/hostname": node } } });
    }
    cluster.runUntilQuiet();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n2");
  });

  test("avoids pods of a disruption budget if other victims suffice", () => {
    const cluster = clusterWith(["n1", "n2"]);
    const on = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": node } });
    addPod(cluster, "kept", { cpu: "2", priority: "low", labels: { app: "db" }, spec: on("n1") });
    addPod(cluster, "free", { cpu: "2", priority: "middle", spec: on("n2") });
    cluster.apply(podDisruptionBudgets, {
      metadata: { namespace: "default", name: "db" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "db" } } },
    });
    cluster.runUntilQuiet();
    addPod(cluster, "first", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect([isLeaving(cluster, "kept"), isLeaving(cluster, "free")]).toEqual([false, true]);
    addPod(cluster, "second", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "kept")).toBe(true);
  });
});

describe("a nominated node", () => {
  test("is not used by a pod of the same or lower priority", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    addPod(cluster, "other", { cpu: "1", priority: "middle" });
    remove(cluster, "low");
    expect(nodeOf(cluster, "high")).toBe("n1");
    expect(nodeOf(cluster, "other")).toBeUndefined();
  });

  test("is used by a pod of higher priority, and the other loses its nomination", () => {
    const cluster = full();
    addPod(cluster, "middle", { cpu: "2", priority: "middle" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "middle").status.nominatedNodeName).toBe("n1");
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    expect(podOf(cluster, "high").status.nominatedNodeName).toBe("n1");
    expect(podOf(cluster, "middle").status.nominatedNodeName).toBeUndefined();
    remove(cluster, "low");
    expect(nodeOf(cluster, "high")).toBe("n1");
    expect(nodeOf(cluster, "middle")).toBeUndefined();
  });

  test("is cleared for a bound pod", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    remove(cluster, "low");
    expect(podOf(cluster, "high").status.nominatedNodeName).toBeUndefined();
  });

  test("is abandoned if another node is free earlier", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    addNode(cluster, "n2");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "high")).toBe("n2");
  });

  test("is free again when the nominated pod is deleted", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    addPod(cluster, "other", { cpu: "1", priority: "middle" });
    cluster.client.delete(pods, "default", "low", { gracePeriodSeconds: 0 });
    cluster.client.delete(pods, "default", "high", { gracePeriodSeconds: 0 });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "other")).toBe("n1");
  });
});

/** Returns the changes of the two pods and their events as lines. */
function timeline(cluster: TestCluster, from: number, uid: string): string[] {
  return cluster.changes.slice(from).flatMap(({ resource, type, object, previous }): string[] => {
    if (resource === "events") {
      const { reason = "", action = "", message = "", involvedObject } = object as Event;
      return [`event ${involvedObject.name ?? ""} ${reason} (${action}): ${message.replace(uid, "<high>")}`];
    }
    if (resource !== "pods") return [];
    const name = object.metadata.name ?? "";
    if (type === "ADDED") return [`${name} created`];
    if (type === "DELETED") return [`${name} gone`];
    const { metadata, spec, status } = object as ReturnType<typeof podOf>;
    if (metadata.deletionGracePeriodSeconds !== previous?.metadata.deletionGracePeriodSeconds) {
      return [`${name} leaving in ${metadata.deletionGracePeriodSeconds ?? 0}s`];
    }
    const last = status.conditions?.at(-1);
    const reason = last?.reason ? `/${last.reason}` : "";
    const where = spec.nodeName && last?.type === "PodScheduled" ? ` on ${spec.nodeName}` : "";
    const nomination = status.nominatedNodeName ? ` nominated ${status.nominatedNodeName}` : "";
    return [`${name} ${last?.type ?? ""}=${last?.status ?? ""}${reason}${where}${nomination}`];
  });
}
