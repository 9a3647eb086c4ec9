// The ReplicationController controller in a whole cluster: its differences from ReplicaSets.
import { describe, expect, test } from "vitest";
import type { ReplicationController } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { garbageCollector } from "../../../worker/controllers/garbage-collector/controller.ts";
import {
  replicationAdoption,
  replicationController,
} from "../../../worker/controllers/replica-set/replication-controller.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicationControllers } from "../../../worker/kinds/core/replication-controller.ts";
import type { TestCluster } from "../../cluster.ts";
import { bed, livePods, setReady } from "../bed.ts";

const controllers = [replicationController, replicationAdoption, garbageCollector(kinds)];
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } };

function start(spec: Draft<ReplicationController["spec"]> = {}) {
  const cluster = bed(controllers);
  cluster.cluster.apply(replicationControllers, {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 3, selector: { app: "web" }, template, ...spec },
  });
  cluster.cluster.runUntilQuiet();
  return cluster;
}
const web = (cluster: TestCluster) => cluster.get(replicationControllers, "default", "web");
const scale = (cluster: TestCluster, replicas: number) =>
  cluster.edit(replicationControllers, "default", "web", ({ spec }) => {
    spec.replicas = replicas;
  });

describe("a ReplicationController", () => {
  test("maintains its number of pods, owns them and records events", () => {
    const { cluster } = start();
    const [pod] = livePods(cluster);
    expect(livePods(cluster).length).toBe(3);
    expect(pod?.metadata).toMatchObject({
      generateName: "web-",
      labels: { app: "web" },
      ownerReferences: [{ apiVersion: "v1", kind: "ReplicationController", name: "web", controller: true }],
    });
    expect(web(cluster).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    const created = livePods(cluster).map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name ?? ""}`);
    expect(cluster.eventsOf(web(cluster)).sort()).toEqual(created.sort());
  });

  test("deletes the unready pod when it is scaled down", () => {
    const { cluster } = start();
    const bad = livePods(cluster)[1];
    if (bad) setReady(cluster, bad, false);
    scale(cluster, 2);
    cluster.runUntilQuiet();
    expect(livePods(cluster).map(({ metadata }) => metadata.name)).not.toContain(bad?.metadata.name);
    expect(web(cluster).status).toMatchObject({ replicas: 2, readyReplicas: 2, observedGeneration: 2 });
  });

  test("adopts pods that its selector matches", () => {
    const { cluster } = start({ replicas: 1 });
    cluster.apply(pods, {
      metadata: { name: "late", namespace: "default", labels: { app: "web" } },
      spec: template.spec,
    });
    cluster.runUntilQuiet();
    expect(livePods(cluster).length).toBe(1);
    expect(cluster.eventsOf(web(cluster)).some((line) => line.startsWith("SuccessfulDelete"))).toBe(true);
  });

  test("reports rejected pods as a condition", () => {
    const { cluster, kubelets } = start({ replicas: 1 });
    kubelets.refusal = ({ plural }) => (plural === "pods" ? ApiError.internal("full") : undefined);
    scale(cluster, 2);
    cluster.step(1_000);
    expect(web(cluster).status.conditions).toMatchObject([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "Internal error occurred: full" },
    ]);
    kubelets.refusal = () => undefined;
    cluster.runUntilQuiet();
    expect(web(cluster).status.conditions).toBeUndefined();
  });

  test("deletes its pods with background propagation, and orphans them by default", () => {
    const { cluster } = start();
    cluster.client.delete(replicationControllers, "default", "web");
    cluster.runUntilQuiet();
    expect(livePods(cluster).map(({ metadata }) => metadata.ownerReferences)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const again = start();
    again.cluster.client.delete(replicationControllers, "default", "web", { propagation: "Background" });
    again.cluster.runUntilQuiet();
    expect(livePods(again.cluster)).toEqual([]);
  });
});
