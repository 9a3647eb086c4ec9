// Pods of less importance make room: who has to go, what is said, and what comes of it.
import { describe, expect, test } from "vitest";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { podDisruptionBudgets } from "../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../cluster.ts";
import { addNode, addPod, clusterWith, conditionOf, isLeaving, nodeOf, podOf, remove, start } from "./bed.ts";

/** One node, full of a pod of low priority that runs. */
function full(): TestCluster {
  const cluster = clusterWith(["n1"]);
  addPod(cluster, "low", { cpu: "2", priority: "low" });
  cluster.runUntilQuiet();
  start(cluster, "low");
  cluster.runUntilQuiet();
  return cluster;
}

describe("a pod that fits nowhere makes room by its priority", () => {
  test("the golden timeline: told, nominated, the victim marked, asked to go and told why; then bound", () => {
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

  test("the victim's condition and the event carry what upstream's do", () => {
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

  test("equal priority preempts nothing, and that is said", () => {
    const cluster = full();
    addPod(cluster, "other", { cpu: "2", priority: "low" });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "low")).toBe(false);
    expect(conditionOf(cluster, "other")?.message).toBe(
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    );
  });

  test("preemptionPolicy Never preempts nothing, and that is said", () => {
    const cluster = full();
    addPod(cluster, "polite", { cpu: "2", priority: "polite" });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "low")).toBe(false);
    expect(conditionOf(cluster, "polite")?.message).toBe(
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
    );
  });

  test("what no leaving pod would change is not made worse: nobody is preempted for a node that refuses for good", () => {
    const cluster = full();
    addPod(cluster, "picky", { cpu: "2", priority: "high", spec: { nodeSelector: { disk: "ssd" } } });
    cluster.runUntilQuiet();
    expect(isLeaving(cluster, "low")).toBe(false);
    expect(conditionOf(cluster, "picky")?.message).toContain("1 Preemption is not helpful for scheduling.");
  });

  test("while its victim is leaving, the pod waits for it and asks for no other", () => {
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

describe("as few as possible have to go, and the least important first", () => {
  test("only those go whose room is needed, the younger before the older", () => {
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

  test("the node whose victims matter least is taken", () => {
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

  test("the highest priority among the victims decides before their number does", () => {
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

  test("of the same highest priority, the lower sum decides before the time that they have run", () => {
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

  test("of equal victims those go of whom the most important started last, whenever the others did", () => {
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

  test("a node where one has to go comes before one where two of the same have to", () => {
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

  test("a budget keeps its pods as long as others will do, and gives way where there is no other", () => {
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

describe("a node is kept for the pod that made room on it", () => {
  test("a pod of no more importance does not take the room", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    addPod(cluster, "other", { cpu: "1", priority: "middle" });
    remove(cluster, "low");
    expect(nodeOf(cluster, "high")).toBe("n1");
    expect(nodeOf(cluster, "other")).toBeUndefined();
  });

  test("a pod of more importance takes it, and the other loses what was kept for it", () => {
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

  test("a bound pod has no node kept for it any more", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    remove(cluster, "low");
    expect(podOf(cluster, "high").status.nominatedNodeName).toBeUndefined();
  });

  test("the pod goes elsewhere when another node can take it first", () => {
    const cluster = full();
    addPod(cluster, "high", { cpu: "2", priority: "high" });
    cluster.runUntilQuiet();
    addNode(cluster, "n2");
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "high")).toBe("n2");
  });

  test("the room is free again when the pod it was kept for is deleted", () => {
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

/** What was written about the two pods, as lines that say only what changed. */
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
    const kept = status.nominatedNodeName ? ` nominated ${status.nominatedNodeName}` : "";
    return [`${name} ${last?.type ?? ""}=${last?.status ?? ""}${reason}${where}${kept}`];
  });
}
