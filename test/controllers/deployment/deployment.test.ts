// The Deployment controller in a whole cluster.
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../shared/k8s/status.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import { setReady } from "../bed.ts";
import { applyWeb, imageOf, podHistory, podsOf, setImage, setsOf, web, workloadCluster } from "./web.ts";

const revision = "deployment.kubernetes.io/revision";

function condition(cluster: Parameters<typeof web>[0], type: string) {
  return web(cluster).status.conditions?.find((candidate) => candidate.type === type);
}

describe("a first rollout", () => {
  const { cluster } = workloadCluster();
  const created = applyWeb(cluster);
  cluster.runUntilQuiet();
  const [set] = setsOf(cluster);
  const name = set?.metadata.name ?? "";

  test("creates one ReplicaSet with the name and label of its template", () => {
    expect(setsOf(cluster).length).toBe(1);
    const hash = name.slice("web-".length);
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    const labels = { app: "web", "pod-template-hash": hash };
    expect(set?.metadata.labels).toEqual(labels);
    expect(set?.spec.selector?.matchLabels).toEqual(labels);
    expect(set?.spec.template.metadata.labels).toEqual(labels);
    expect(set?.metadata.annotations).toEqual({
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
      [revision]: "1",
    });
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: created.metadata.uid };
    expect(set?.metadata.ownerReferences).toEqual([{ ...owner, controller: true, blockOwnerDeletion: true }]);
  });
  test("creates pods named after and owned by the ReplicaSet", () => {
    expect(podsOf(cluster).length).toBe(3);
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: set?.metadata.uid };
    for (const { metadata } of podsOf(cluster)) {
      expect(metadata.name).toMatch(new RegExp(`^${name}-[bcdfghjklmnpqrstvwxz2456789]{5}$`));
      expect(metadata.generateName).toBe(`${name}-`);
      expect(metadata.ownerReferences).toEqual([{ ...owner, controller: true, blockOwnerDeletion: true }]);
    }
  });
  test("ends complete and available", () => {
    expect(web(cluster).status).toMatchObject({
      observedGeneration: web(cluster).metadata.generation,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    expect(condition(cluster, "Available")).toMatchObject({ status: "True", reason: "MinimumReplicasAvailable" });
    expect(condition(cluster, "Progressing")).toMatchObject({
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: `ReplicaSet "${name}" has successfully progressed.`,
    });
    expect(web(cluster).metadata.annotations?.[revision]).toBe("1");
    expect(web(cluster).metadata.generation).toBe(1);
  });
  test("records the scaling", () => {
    expect(cluster.eventsOf(web(cluster))).toEqual([`ScalingReplicaSet: Scaled up replica set ${name} from 0 to 3`]);
  });
  test("ends idle: nothing is due and nothing is written", () => {
    const before = cluster.registry.store.revision;
    cluster.step(3_600_000);
    expect(cluster.registry.store.revision).toBe(before);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });
});

describe("a rolling update", () => {
  test.each([
    { replicas: 3, maxSurge: "25%", maxUnavailable: "25%", most: 4, least: 3 },
    { replicas: 10, maxSurge: 3, maxUnavailable: 2, most: 13, least: 8 },
    { replicas: 4, maxSurge: 0, maxUnavailable: 1, most: 4, least: 3 },
    { replicas: 4, maxSurge: 2, maxUnavailable: 0, most: 6, least: 4 },
    { replicas: 5, maxSurge: "100%", maxUnavailable: "100%", most: 10, least: 0 },
  ])("is within the bounds of pods at any time: %o", ({ replicas, maxSurge, maxUnavailable, most, least }) => {
    const { cluster } = workloadCluster();
    applyWeb(cluster, { replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } });
    cluster.runUntilQuiet();
    const from = cluster.registry.store.revision;
    setImage(cluster, "nginx:2");
    cluster.runUntilQuiet();
    const history = podHistory(cluster, from);
    expect(Math.max(...history.map(({ active }) => active))).toBeLessThanOrEqual(most);
    expect(Math.min(...history.map(({ ready }) => ready))).toBeGreaterThanOrEqual(least);
    expect(podsOf(cluster).map(imageOf)).toEqual(Array(replicas).fill("nginx:2"));
    expect(setsOf(cluster).map(({ spec }) => spec.replicas)).toEqual([0, replicas]);
    expect(web(cluster).metadata.annotations?.[revision]).toBe("2");
  });

  test("does not continue while new pods are not ready", () => {
    const { cluster, node } = workloadCluster();
    applyWeb(cluster, { replicas: 4 });
    cluster.runUntilQuiet();
    node.isReady = (pod) => imageOf(pod) !== "nginx:bad";
    setImage(cluster, "nginx:bad");
    cluster.step(60_000);
    expect(setsOf(cluster).map(({ spec }) => spec.replicas)).toEqual([3, 2]);
    expect(condition(cluster, "Available")?.status).toBe("True");
  });

  test("during another rollout, the newest template wins and the previous one is scaled down first", () => {
    const { cluster, node } = workloadCluster();
    applyWeb(cluster, { replicas: 4 });
    cluster.runUntilQuiet();
    node.isReady = (pod) => imageOf(pod) !== "nginx:bad";
    setImage(cluster, "nginx:bad");
    cluster.step(60_000);
    setImage(cluster, "nginx:3");
    cluster.runUntilQuiet();
    expect(setsOf(cluster).map((set) => [imageOf(set), set.spec.replicas])).toEqual([
      ["nginx:1", 0],
      ["nginx:bad", 0],
      ["nginx:3", 4],
    ]);
  });

  test("counts a pod only after minReadySeconds", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster, { replicas: 2, minReadySeconds: 30 });
    cluster.step(29_000);
    expect(web(cluster).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    expect(condition(cluster, "Available")?.status).toBe("False");
    cluster.step(1_000);
    expect(web(cluster).status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    expect(condition(cluster, "Available")?.status).toBe("True");
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });
});

describe("a rollback", () => {
  test("gives the old template's ReplicaSet a new revision and a history", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster);
    cluster.runUntilQuiet();
    for (const image of ["nginx:2", "nginx:1"]) {
      setImage(cluster, image);
      cluster.runUntilQuiet();
    }
    const [second, first] = setsOf(cluster);
    expect([second, first].map((set) => set?.metadata.annotations?.[revision])).toEqual(["2", "3"]);
    expect(first?.metadata.annotations?.["deployment.kubernetes.io/revision-history"]).toBe("1");
    expect(web(cluster).metadata.annotations?.[revision]).toBe("3");
    expect(podsOf(cluster).map(imageOf)).toEqual(["nginx:1", "nginx:1", "nginx:1"]);
  });

  test("follows the annotation of the first API versions", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster);
    cluster.runUntilQuiet();
    setImage(cluster, "nginx:2");
    cluster.runUntilQuiet();
    cluster.edit(deployments, "default", "web", ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, "deprecated.deployment.rollback.to": "1" };
    });
    cluster.runUntilQuiet();
    expect(podsOf(cluster).map(imageOf)).toEqual(["nginx:1", "nginx:1", "nginx:1"]);
    expect(web(cluster).metadata.annotations).not.toHaveProperty(["deprecated.deployment.rollback.to"]);
    expect(cluster.eventsOf(web(cluster))).toContain('DeploymentRollback: Rolled back deployment "web" to revision 1');
  });

  test("keeps revisionHistoryLimit old ReplicaSets", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster, { revisionHistoryLimit: 2 });
    cluster.runUntilQuiet();
    for (const image of ["nginx:2", "nginx:3", "nginx:4", "nginx:5"]) {
      setImage(cluster, image);
      cluster.runUntilQuiet();
    }
    expect(setsOf(cluster).map(imageOf)).toEqual(["nginx:3", "nginx:4", "nginx:5"]);
  });
});

describe("recreate", () => {
  test("creates no new pod before the last old one is gone", () => {
    const { cluster, node } = workloadCluster();
    applyWeb(cluster, { strategy: { type: "Recreate" } });
    cluster.runUntilQuiet();
    node.lingers = () => true;
    setImage(cluster, "nginx:2");
    cluster.step(10_000);
    const old = cluster.client.list(pods, { namespace: "default" });
    expect(old.map((pod) => [imageOf(pod), pod.metadata.deletionTimestamp !== undefined])).toEqual(
      Array(3).fill(["nginx:1", true]),
    );
    expect(setsOf(cluster).map(imageOf)).toEqual(["nginx:1"]);
    expect(web(cluster).status.terminatingReplicas).toBe(3);
    for (const pod of old.slice(0, 2)) {
      cluster.client.delete(pods, "default", pod.metadata.name ?? "", { gracePeriodSeconds: 0 });
    }
    cluster.step(10_000);
    expect(setsOf(cluster).map(imageOf)).toEqual(["nginx:1"]);
    cluster.client.delete(pods, "default", old[2]?.metadata.name ?? "", { gracePeriodSeconds: 0 });
    node.lingers = () => false;
    cluster.runUntilQuiet();
    expect(podsOf(cluster).map(imageOf)).toEqual(["nginx:2", "nginx:2", "nginx:2"]);
    expect(condition(cluster, "Progressing")?.reason).toBe("NewReplicaSetAvailable");
  });
});

describe("pausing", () => {
  test("a paused Deployment scales but does not roll out until it is resumed", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster);
    cluster.runUntilQuiet();
    cluster.edit(deployments, "default", "web", ({ spec }) => {
      spec.paused = true;
    });
    setImage(cluster, "nginx:2");
    cluster.edit(deployments, "default", "web", ({ spec }) => {
      spec.replicas = 5;
    });
    cluster.step(3_600_000);
    expect(podsOf(cluster).map(imageOf)).toEqual(Array(5).fill("nginx:1"));
    expect(condition(cluster, "Progressing")).toMatchObject({
      status: "Unknown",
      reason: "DeploymentPaused",
      message: "Deployment is paused",
    });
    cluster.edit(deployments, "default", "web", ({ spec }) => {
      delete spec.paused;
    });
    cluster.runUntilQuiet();
    expect(podsOf(cluster).map(imageOf)).toEqual(Array(5).fill("nginx:2"));
    expect(condition(cluster, "Progressing")?.reason).toBe("NewReplicaSetAvailable");
  });
});

describe("scaling", () => {
  test("records an event with both sizes, up and down", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster);
    cluster.runUntilQuiet();
    for (const replicas of [7, 2, 0]) {
      cluster.edit(deployments, "default", "web", ({ spec }) => {
        spec.replicas = replicas;
      });
      cluster.runUntilQuiet();
      expect(podsOf(cluster).length).toBe(replicas);
    }
    const name = setsOf(cluster)[0]?.metadata.name ?? "";
    expect(cluster.eventsOf(web(cluster))).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${name} from 0 to 3`,
      `ScalingReplicaSet: Scaled up replica set ${name} from 3 to 7`,
      `ScalingReplicaSet: Scaled down replica set ${name} from 7 to 2`,
      `ScalingReplicaSet: Scaled down replica set ${name} from 2 to 0`,
    ]);
    expect(setsOf(cluster)[0]?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/desired-replicas": "0",
      "deployment.kubernetes.io/max-replicas": "0",
    });
  });

  test("during a rollout both ReplicaSets grow", () => {
    const { cluster, node } = workloadCluster();
    applyWeb(cluster, { replicas: 10 });
    cluster.runUntilQuiet();
    node.isReady = (pod) => imageOf(pod) !== "nginx:bad";
    setImage(cluster, "nginx:bad");
    cluster.step(60_000);
    expect(setsOf(cluster).map(({ spec }) => spec.replicas)).toEqual([8, 5]);
    cluster.edit(deployments, "default", "web", ({ spec }) => {
      spec.replicas = 20;
    });
    cluster.step(60_000);
    expect(setsOf(cluster).map(({ spec }) => spec.replicas)).toEqual([15, 10]);
  });
});

describe("the progress deadline", () => {
  test("a stalled rollout is reported once at its deadline, and can recover", () => {
    const { cluster, node } = workloadCluster();
    node.isReady = () => false;
    applyWeb(cluster, { progressDeadlineSeconds: 60 });
    cluster.step(59_000);
    expect(condition(cluster, "Progressing")?.status).toBe("True");
    cluster.step(5_000);
    const name = setsOf(cluster)[0]?.metadata.name ?? "";
    expect(condition(cluster, "Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: `ReplicaSet "${name}" has timed out progressing.`,
    });
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
    for (const pod of podsOf(cluster)) setReady(cluster, pod, true);
    cluster.runUntilQuiet();
    expect(condition(cluster, "Progressing")).toMatchObject({ status: "True", reason: "NewReplicaSetAvailable" });
  });
});

describe("ownership", () => {
  test("a matching ReplicaSet without a controller is adopted at any time", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster);
    cluster.runUntilQuiet();
    const { metadata, spec } = setsOf(cluster)[0] ?? {};
    cluster.apply(replicaSets, {
      metadata: { name: "stray", namespace: "default", labels: metadata?.labels ?? {} },
      spec: { ...spec, replicas: 1 },
    });
    cluster.runUntilQuiet();
    const stray = cluster.get(replicaSets, "default", "stray");
    expect(stray.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([web(cluster).metadata.uid]);
  });

  test("a ReplicaSet whose labels no longer match is released", () => {
    const { cluster } = workloadCluster();
    applyWeb(cluster);
    cluster.runUntilQuiet();
    const name = setsOf(cluster)[0]?.metadata.name ?? "";
    cluster.edit(replicaSets, "default", name, ({ metadata }) => {
      metadata.labels = { app: "other" };
    });
    cluster.runUntilQuiet();
    expect(cluster.get(replicaSets, "default", name).metadata.ownerReferences).toBeUndefined();
  });

  test("a foreign ReplicaSet with the same name is a collision, and another name is used", () => {
    const first = workloadCluster().cluster;
    applyWeb(first);
    first.runUntilQuiet();
    const [taken] = setsOf(first);
    const { cluster } = workloadCluster();
    cluster.apply(replicaSets, {
      metadata: { name: taken?.metadata.name ?? "", namespace: "default" },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "db" } },
        template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "db", image: "db" }] } },
      },
    });
    applyWeb(cluster);
    cluster.runUntilQuiet();
    expect(web(cluster).status).toMatchObject({ collisionCount: 1, availableReplicas: 3 });
  });

  test("a rejected ReplicaSet is reported in the status and retried", () => {
    const { cluster, node } = workloadCluster();
    const forbidden = ApiError.forbidden({ group: "apps", name: "replicasets" }, "", "exceeded quota");
    node.refusal = ({ plural }) => (plural === "replicasets" ? forbidden : undefined);
    applyWeb(cluster);
    cluster.step(1_000);
    const refused = condition(cluster, "Progressing");
    expect(refused).toMatchObject({ status: "False", reason: "ReplicaSetCreateError" });
    expect(refused?.message).toMatch(/^Failed to create new replica set "web-.*exceeded quota$/);
    node.refusal = () => undefined;
    cluster.runUntilQuiet();
    expect(condition(cluster, "Progressing")?.reason).toBe("NewReplicaSetAvailable");
  });
});
