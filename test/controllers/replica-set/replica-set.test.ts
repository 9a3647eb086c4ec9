// The ReplicaSet controller in a whole cluster.
import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import type { TestCluster } from "../../cluster.ts";
import { type Kubelets, setReady } from "../bed.ts";
import { podsOf, workloadCluster } from "../deployment/web.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };

function applySet(cluster: TestCluster, replicas: number, spec: Partial<ReplicaSet["spec"]> = {}) {
  return cluster.apply(replicaSets, {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template, ...spec },
  });
}
const set = (cluster: TestCluster) => cluster.get(replicaSets, "default", "web");
const scale = (cluster: TestCluster, replicas: number) =>
  cluster.edit(replicaSets, "default", "web", ({ spec }) => {
    spec.replicas = replicas;
  });
const orphan = (cluster: TestCluster, name: string, labels: Record<string, string>) =>
  cluster.apply(pods, { metadata: { name, namespace: "default", labels }, spec: template.spec });
const ownersOf = (cluster: TestCluster, name: string) =>
  cluster.get(pods, "default", name).metadata.ownerReferences?.map(({ uid }) => uid);

/** Rejects pods after the first `allowed` creations. `attempts` counts all of them. */
function quota(node: Kubelets, allowed: number) {
  const state = { attempts: 0, allowed };
  node.refusal = ({ plural }) => {
    if (plural !== "pods") return undefined;
    state.attempts += 1;
    if (state.attempts <= state.allowed) return undefined;
    return ApiError.forbidden({ group: "", name: "pods" }, "web-x", "exceeded quota: few");
  };
  return state;
}

describe("counts", () => {
  test("status and events follow the pods, with one status write per reconcile", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 2);
    cluster.runUntilQuiet();
    expect(set(cluster).status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    const names = podsOf(cluster).map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name ?? ""}`);
    expect(cluster.eventsOf(set(cluster)).sort()).toEqual(names.sort());
    const [gone] = podsOf(cluster);
    scale(cluster, 1);
    cluster.runUntilQuiet();
    expect(set(cluster).status).toMatchObject({ replicas: 1, observedGeneration: 2 });
    expect(podsOf(cluster).length).toBe(1);
    expect(
      cluster.eventsOf(set(cluster)).filter((line) => line.startsWith("SuccessfulDelete: Deleted pod: web-")).length,
    ).toBe(1);
    expect(gone).toBeDefined();
  });

  test("a deleted pod is replaced at once, while it terminates", () => {
    const { cluster, node } = workloadCluster();
    applySet(cluster, 2);
    cluster.runUntilQuiet();
    node.lingers = () => true;
    cluster.client.delete(pods, "default", podsOf(cluster)[0]?.metadata.name ?? "");
    cluster.step(1_000);
    expect(podsOf(cluster).length).toBe(2);
    expect(set(cluster).status).toMatchObject({ replicas: 2, terminatingReplicas: 1 });
  });

  test("an ended pod is replaced and not counted", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 1);
    cluster.runUntilQuiet();
    const [pod] = podsOf(cluster);
    if (pod) cluster.client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Failed" } });
    cluster.runUntilQuiet();
    expect(podsOf(cluster).length).toBe(2);
    expect(set(cluster).status).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
  });

  test("availability follows after minReadySeconds without another event", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 1, { minReadySeconds: 10 });
    cluster.step(9_000);
    expect(set(cluster).status.availableReplicas).toBeUndefined();
    cluster.step(2_000);
    expect(set(cluster).status.availableReplicas).toBe(1);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("more than a burst of 500 pods need several reconciles", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 520);
    cluster.runUntilQuiet();
    expect(set(cluster).status).toMatchObject({ replicas: 520, availableReplicas: 520 });
  });
});

describe("ownership", () => {
  test("a new ReplicaSet adopts matching orphans before it creates pods", () => {
    const { cluster } = workloadCluster();
    orphan(cluster, "a", { app: "web" });
    orphan(cluster, "b", { app: "db" });
    cluster.runUntilQuiet();
    const { uid } = applySet(cluster, 2).metadata;
    cluster.runUntilQuiet();
    expect(ownersOf(cluster, "a")).toEqual([uid]);
    expect(ownersOf(cluster, "b")).toBeUndefined();
    expect(podsOf(cluster).length).toBe(3);
    expect(cluster.eventsOf(set(cluster)).filter((line) => line.startsWith("SuccessfulCreate")).length).toBe(1);
  });

  test("a later orphan is adopted too, and a surplus pod is deleted", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 2);
    cluster.runUntilQuiet();
    orphan(cluster, "late", { app: "web" });
    cluster.runUntilQuiet();
    expect(podsOf(cluster).length).toBe(2);
    expect(cluster.eventsOf(set(cluster)).some((line) => line.startsWith("SuccessfulDelete"))).toBe(true);
  });

  test("a pod whose labels no longer match is released and replaced", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 2);
    cluster.runUntilQuiet();
    const name = podsOf(cluster)[0]?.metadata.name ?? "";
    cluster.edit(pods, "default", name, ({ metadata }) => {
      metadata.labels = { app: "debug" };
    });
    cluster.runUntilQuiet();
    expect(ownersOf(cluster, name)).toBeUndefined();
    expect(podsOf(cluster).length).toBe(3);
    expect(set(cluster).status.replicas).toBe(2);
  });

  test("pods of other controllers are ignored", () => {
    const { cluster } = workloadCluster();
    const owner = { apiVersion: "v1", kind: "ReplicationController", name: "x", uid: "x", controller: true };
    cluster.apply(pods, {
      metadata: { name: "theirs", namespace: "default", labels: { app: "web" }, ownerReferences: [owner] },
      spec: template.spec,
    });
    applySet(cluster, 1);
    cluster.runUntilQuiet();
    expect(ownersOf(cluster, "theirs")).toEqual(["x"]);
    expect(podsOf(cluster).length).toBe(2);
  });
});

describe("the choice of deleted pods", () => {
  test("prefers unready pods", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 4);
    cluster.runUntilQuiet();
    const bad = podsOf(cluster)[2];
    if (bad) setReady(cluster, bad, false);
    cluster.runUntilQuiet();
    scale(cluster, 3);
    cluster.runUntilQuiet();
    expect(podsOf(cluster).map(({ metadata }) => metadata.name)).not.toContain(bad?.metadata.name);
    expect(set(cluster).status.readyReplicas).toBe(3);
  });

  test("prefers the lowest pod-deletion-cost", () => {
    const { cluster } = workloadCluster();
    applySet(cluster, 4);
    cluster.runUntilQuiet();
    const name = podsOf(cluster)[3]?.metadata.name ?? "";
    cluster.edit(pods, "default", name, ({ metadata }) => {
      metadata.annotations = { "controller.kubernetes.io/pod-deletion-cost": "-100" };
    });
    scale(cluster, 3);
    cluster.runUntilQuiet();
    expect(podsOf(cluster).map(({ metadata }) => metadata.name)).not.toContain(name);
  });
});

describe("rejected pods", () => {
  test("stop the batch at the first failure, which is a condition and an event", () => {
    const { cluster, node } = workloadCluster();
    const state = quota(node, 3);
    applySet(cluster, 20);
    cluster.runtime.drain(1);
    // Batches of 1, 2 and 4: the third fails, and a fourth is not started.
    expect(state.attempts).toBe(7);
    const refusal = 'pods "web-x" is forbidden: exceeded quota: few';
    expect(set(cluster).status).toMatchObject({ replicas: 3 });
    expect(set(cluster).status.conditions).toMatchObject([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: refusal },
    ]);
    expect(cluster.eventsOf(set(cluster))).toContain(`FailedCreate: Error creating: ${refusal}`);
  });

  test("are retried with backoff until they succeed; then the condition is removed", () => {
    const { cluster, node } = workloadCluster();
    const state = quota(node, 1);
    applySet(cluster, 3);
    cluster.step(60_000);
    expect(state.attempts).toBeGreaterThan(5);
    expect(state.attempts).toBeLessThan(60);
    expect(podsOf(cluster).length).toBe(1);
    state.allowed = 1000;
    cluster.runUntilQuiet();
    expect(podsOf(cluster).length).toBe(3);
    expect(set(cluster).status.conditions).toBeUndefined();
  });
});
