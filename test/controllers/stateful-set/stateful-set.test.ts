// The StatefulSet controller in a whole cluster.
import { describe, expect, test } from "vitest";
import type { ControllerRevision, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { garbageCollector } from "../../../worker/controllers/garbage-collector/controller.ts";
import { persistentVolumeController } from "../../../worker/controllers/volume/persistent-volume/controller.ts";
import { localPathProvisioner } from "../../../worker/controllers/volume/volume-provisioner.ts";
import { hashControllerRevision } from "../../../worker/controllers/stateful-set/revisions.ts";
import {
  statefulSetController,
  statefulSetPodAdoption,
  statefulSetRevisionAdoption,
} from "../../../worker/controllers/stateful-set/controller.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { controllerRevisions } from "../../../worker/kinds/apps/controller-revision.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import { defineController, self } from "../../../worker/runtime/controller.ts";
import type { TestCluster } from "../../cluster.ts";
import { type Bed, allPods, bed, finish, livePods, setReady } from "../bed.ts";

/** Removes the finalizer of claims at once, in place of the protection controller. */
const unprotect = defineController({
  name: "test-unprotect",
  user: "admin-of-claims",
  component: "test",
  watches: [self(persistentVolumeClaims)],
  reconcile({ namespace, name }, { client }) {
    const claim = client.get(persistentVolumeClaims, namespace, name);
    const { finalizers = [], deletionTimestamp } = claim?.metadata ?? {};
    if (!claim || !deletionTimestamp) return undefined;
    const otherFinalizers = finalizers.filter((finalizer) => finalizer !== "kubernetes.io/pvc-protection");
    client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, finalizers: otherFinalizers } });
    return undefined;
  },
});

const controllers = [
  statefulSetController,
  statefulSetPodAdoption,
  statefulSetRevisionAdoption,
  garbageCollector(kinds),
  // The scheduler waits until a pod's claims are bound.
  persistentVolumeController,
  localPathProvisioner,
  unprotect,
];

type Spec = Draft<StatefulSet["spec"]>;

function applyWeb(cluster: TestCluster, spec: Spec = {}): StatefulSet {
  return cluster.apply(statefulSets, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 3,
      serviceName: "web",
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } },
      ...spec,
    },
  });
}
function start(spec: Spec = {}): Bed {
  const cluster = bed(controllers);
  applyWeb(cluster.cluster, spec);
  cluster.cluster.runUntilQuiet();
  return cluster;
}
const web = (cluster: TestCluster) => cluster.get(statefulSets, "default", "web");
const names = (list: readonly { readonly metadata: { readonly name?: string } }[]) =>
  list.map(({ metadata }) => metadata.name ?? "");
const pod = (cluster: TestCluster, name: string) => cluster.get(pods, "default", name);
const claims = (cluster: TestCluster): readonly PersistentVolumeClaim[] =>
  cluster.client.list(persistentVolumeClaims, { namespace: "default" });
const images = (cluster: TestCluster) =>
  allPods(cluster).map(({ metadata, spec }) => `${metadata.name ?? ""} ${spec.containers[0]?.image ?? ""}`);
const edit = (cluster: TestCluster, change: (spec: StatefulSet["spec"]) => void) =>
  cluster.edit(statefulSets, "default", "web", ({ spec }) => change(spec));
const scale = (cluster: TestCluster, replicas: number) =>
  edit(cluster, (spec) => {
    spec.replicas = replicas;
  });
const setImage = (cluster: TestCluster, image: string) =>
  edit(cluster, (spec) => {
    for (const container of spec.template.spec.containers) container.image = image;
  });
const revisionsOf = (cluster: TestCluster): ControllerRevision[] =>
  [...cluster.client.list(controllerRevisions)].sort((a, b) => a.revision - b.revision);

/** Returns the events of pods in order: `+web-0` created, `*web-0` ready, `-web-0` being deleted or gone. */
function story(cluster: TestCluster, from = 0): string[] {
  const ready = new Set<string>();
  const going = new Set<string>();
  const lines: string[] = [];
  for (const { resource, name, type, object, revision } of cluster.changes) {
    if (resource !== "pods") continue;
    const memberPod = object as Pod;
    const isReady = memberPod.status.conditions?.some(
      (condition) => condition.type === "Ready" && condition.status === "True",
    );
    const isGoing = type === "DELETED" || memberPod.metadata.deletionTimestamp !== undefined;
    const record = (mark: string) => revision > from && lines.push(`${mark}${name}`);
    if (type === "ADDED") record("+");
    if (isReady && !isGoing && !ready.has(name)) record("*");
    if (isGoing && !going.has(name)) record("-");
    if (isReady && !isGoing) ready.add(name);
    else ready.delete(name);
    if (isGoing && type !== "DELETED") going.add(name);
    else going.delete(name);
  }
  return lines;
}

describe("the creation of pods", () => {
  test("is sequential, each pod after the previous one is ready", () => {
    const { cluster } = start();
    expect(story(cluster)).toEqual(["+web-0", "*web-0", "+web-1", "*web-1", "+web-2", "*web-2"]);
    expect(cluster.eventsOf(web(cluster))).toEqual(
      ["0", "1", "2"].map((at) => `SuccessfulCreate: Create Pod web-${at} in StatefulSet web successful`),
    );
  });

  test("sets names, labels, host name, owner and revision", () => {
    const { cluster } = start({ replicas: 1 });
    const firstPod = pod(cluster, "web-0");
    const [revision] = names(revisionsOf(cluster));
    expect(firstPod.metadata.labels).toEqual({
      app: "web",
      "apps.kubernetes.io/pod-index": "0",
      "controller-revision-hash": revision,
      "statefulset.kubernetes.io/pod-name": "web-0",
    });
    expect(firstPod.spec).toMatchObject({ hostname: "web-0", subdomain: "web" });
    expect(firstPod.metadata.generateName).toBe("web-");
    expect(firstPod.metadata.ownerReferences).toMatchObject([
      { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", controller: true, blockOwnerDeletion: true },
    ]);
  });

  test("sets status and revision, and is then idle", () => {
    const { cluster } = start();
    const [revision] = revisionsOf(cluster);
    const name = revision?.metadata.name ?? "";
    expect(web(cluster).status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: name,
      updateRevision: name,
      collisionCount: 0,
    });
    expect(revision?.metadata.labels).toEqual({ app: "web", "controller.kubernetes.io/hash": name.slice(4) });
    expect(revision?.data).toEqual({ spec: { template: { $patch: "replace", ...web(cluster).spec.template } } });
    const before = cluster.registry.store.revision;
    cluster.step(3_600_000);
    expect(cluster.registry.store.revision).toBe(before);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("does not wait in parallel mode", () => {
    const { cluster, kubelets } = bed(controllers);
    kubelets.isReady = () => false;
    applyWeb(cluster, { podManagementPolicy: "Parallel" });
    cluster.runUntilQuiet();
    expect(names(livePods(cluster))).toEqual(["web-0", "web-1", "web-2"]);
  });

  test("waits while a pod is not ready or not available", () => {
    const { cluster, kubelets } = bed(controllers);
    kubelets.isReady = ({ metadata }) => metadata.name !== "web-1";
    applyWeb(cluster);
    cluster.runUntilQuiet();
    expect(names(livePods(cluster))).toEqual(["web-0", "web-1"]);
    const waiting = start({ minReadySeconds: 10 });
    expect(waiting.cluster.clock.nowMs() - cluster.clock.nowMs()).toBe(30_000);
    expect(web(waiting.cluster).status).toMatchObject({ readyReplicas: 3, availableReplicas: 3 });
  });

  test("starts with the ordinal of the spec", () => {
    const { cluster } = start({ ordinals: { start: 5 } });
    expect(names(livePods(cluster))).toEqual(["web-5", "web-6", "web-7"]);
    edit(cluster, (spec) => {
      spec.ordinals = { start: 6 };
    });
    cluster.runUntilQuiet();
    expect(names(livePods(cluster))).toEqual(["web-6", "web-7", "web-8"]);
  });

  test("reports and retries a rejected pod", () => {
    const { cluster, kubelets } = bed(controllers);
    kubelets.refusal = ({ plural }) =>
      plural === "pods" ? ApiError.forbidden({ group: "", name: "pods" }, "web-0", "exceeded quota: few") : undefined;
    applyWeb(cluster);
    cluster.step(5_000);
    expect(cluster.eventsOf(web(cluster))).toEqual([
      'FailedCreate: Create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: exceeded quota: few',
    ]);
    kubelets.refusal = () => undefined;
    cluster.runUntilQuiet();
    expect(web(cluster).status.readyReplicas).toBe(3);
  });
});

describe("deleted and ended pods", () => {
  test("a deleted pod is created again under its name after its removal", () => {
    const { cluster, kubelets } = start();
    const { uid } = pod(cluster, "web-1").metadata;
    kubelets.lingers = () => true;
    cluster.client.delete(pods, "default", "web-1");
    cluster.step(1_000);
    expect(pod(cluster, "web-1").metadata.uid).toBe(uid);
    cluster.client.delete(pods, "default", "web-1", { gracePeriodSeconds: 0 });
    cluster.runUntilQuiet();
    expect(pod(cluster, "web-1").metadata.uid).not.toBe(uid);
    expect(web(cluster).status.readyReplicas).toBe(3);
  });

  test.each([0, 1])("a pod that ended with code %d is deleted and created again", (code) => {
    const { cluster } = start();
    const { uid } = pod(cluster, "web-1").metadata;
    finish(cluster, pod(cluster, "web-1"), code);
    cluster.runUntilQuiet();
    expect(pod(cluster, "web-1").metadata.uid).not.toBe(uid);
    expect(cluster.eventsOf(web(cluster))).toContain(
      "SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful",
    );
  });

  test("scaling down deletes the last pod first, one at a time", () => {
    const { cluster } = start({ replicas: 4 });
    const from = cluster.registry.store.revision;
    scale(cluster, 1);
    cluster.runUntilQuiet();
    expect(story(cluster, from)).toEqual(["-web-3", "-web-2", "-web-1"]);
    expect(web(cluster).status).toMatchObject({ replicas: 1, currentReplicas: 1, updatedReplicas: 1 });
  });

  test("scaling down waits while a remaining pod is not ready", () => {
    const { cluster } = start({ replicas: 4 });
    setReady(cluster, pod(cluster, "web-0"), false);
    scale(cluster, 2);
    cluster.runUntilQuiet();
    expect(livePods(cluster).length).toBe(4);
    setReady(cluster, pod(cluster, "web-0"), true);
    cluster.runUntilQuiet();
    expect(names(livePods(cluster))).toEqual(["web-0", "web-1"]);
  });

  test("scaling down may delete a single unready pod first", () => {
    const { cluster } = start({ replicas: 4 });
    setReady(cluster, pod(cluster, "web-3"), false);
    setReady(cluster, pod(cluster, "web-2"), false);
    scale(cluster, 2);
    cluster.runUntilQuiet();
    // web-2 is the first that is not ready: web-3 waits for it.
    expect(livePods(cluster).length).toBe(4);
    setReady(cluster, pod(cluster, "web-2"), true);
    cluster.runUntilQuiet();
    expect(names(livePods(cluster))).toEqual(["web-0", "web-1"]);
  });

  test("scaling down deletes all pods at once in parallel mode", () => {
    const { cluster, kubelets } = start({ replicas: 4, podManagementPolicy: "Parallel" });
    kubelets.lingers = () => true;
    scale(cluster, 1);
    cluster.step(1_000);
    expect(names(livePods(cluster))).toEqual(["web-0"]);
  });

  test("the deletion of the set deletes its pods and revisions", () => {
    const { cluster } = start();
    cluster.client.delete(statefulSets, "default", "web");
    cluster.runUntilQuiet();
    expect(allPods(cluster)).toEqual([]);
    expect(revisionsOf(cluster)).toEqual([]);
  });
});

describe("a rolling update", () => {
  test("goes from the last pod to the first, each when the next one is ready", () => {
    const { cluster } = start();
    const from = cluster.registry.store.revision;
    setImage(cluster, "web:2");
    cluster.runUntilQuiet();
    expect(story(cluster, from)).toEqual(
      ["web-2", "web-1", "web-0"].flatMap((name) => [`-${name}`, `+${name}`, `*${name}`]),
    );
    expect(images(cluster)).toEqual(["web-0 web:2", "web-1 web:2", "web-2 web:2"]);
    const [, second] = names(revisionsOf(cluster));
    expect(web(cluster).status).toMatchObject({ currentRevision: second, updateRevision: second, updatedReplicas: 3 });
  });

  test("stops at a pod that does not become ready, and continues with a working template", () => {
    const { cluster, kubelets } = start();
    kubelets.isReady = ({ spec }) => spec.containers[0]?.image !== "web:bad";
    setImage(cluster, "web:bad");
    cluster.step(60_000);
    expect(images(cluster)).toEqual(["web-0 web:1", "web-1 web:1", "web-2 web:bad"]);
    const [first, second] = names(revisionsOf(cluster));
    expect(web(cluster).status).toMatchObject({
      currentRevision: first,
      updateRevision: second,
      currentReplicas: 2,
      updatedReplicas: 1,
      readyReplicas: 2,
    });
    setImage(cluster, "web:3");
    cluster.step(60_000);
    // A known limitation: in order, the broken pod must become ready or be deleted by a user first.
    expect(images(cluster)).toEqual(["web-0 web:1", "web-1 web:1", "web-2 web:bad"]);
    cluster.client.delete(pods, "default", "web-2");
    cluster.runUntilQuiet();
    expect(images(cluster)).toEqual(["web-0 web:3", "web-1 web:3", "web-2 web:3"]);
  });

  test("leaves pods below the partition at the old revision, and creates them at it", () => {
    const { cluster } = start({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } });
    setImage(cluster, "web:2");
    cluster.runUntilQuiet();
    expect(images(cluster)).toEqual(["web-0 web:1", "web-1 web:1", "web-2 web:2"]);
    cluster.client.delete(pods, "default", "web-0");
    cluster.client.delete(pods, "default", "web-2");
    cluster.runUntilQuiet();
    expect(images(cluster)).toEqual(["web-0 web:1", "web-1 web:1", "web-2 web:2"]);
    const [first, second] = names(revisionsOf(cluster));
    expect(web(cluster).status).toMatchObject({ currentRevision: first, updateRevision: second, currentReplicas: 2 });
    edit(cluster, (spec) => {
      spec.updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 0 } };
    });
    cluster.runUntilQuiet();
    expect(images(cluster)).toEqual(["web-0 web:2", "web-1 web:2", "web-2 web:2"]);
    expect(web(cluster).status).toMatchObject({ currentRevision: second, currentReplicas: 3 });
  });

  test("with OnDelete updates only pods that a user deletes", () => {
    const { cluster } = start({ updateStrategy: { type: "OnDelete" } });
    setImage(cluster, "web:2");
    cluster.runUntilQuiet();
    expect(images(cluster)).toEqual(["web-0 web:1", "web-1 web:1", "web-2 web:1"]);
    cluster.client.delete(pods, "default", "web-1");
    cluster.runUntilQuiet();
    expect(images(cluster)).toEqual(["web-0 web:1", "web-1 web:2", "web-2 web:1"]);
  });

  test("is sequential in parallel mode as well", () => {
    const { cluster } = start({ podManagementPolicy: "Parallel" });
    const from = cluster.registry.store.revision;
    setImage(cluster, "web:2");
    cluster.runUntilQuiet();
    expect(story(cluster, from)).toEqual(
      ["web-2", "web-1", "web-0"].flatMap((name) => [`-${name}`, `+${name}`, `*${name}`]),
    );
  });
});

describe("revisions", () => {
  test("become the newest by a rollback", () => {
    const { cluster } = start();
    setImage(cluster, "web:2");
    cluster.runUntilQuiet();
    const [first, second] = names(revisionsOf(cluster));
    setImage(cluster, "web:1");
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster).map(({ metadata, revision }) => [metadata.name, revision])).toEqual([
      [second, 2],
      [first, 3],
    ]);
    expect(web(cluster).status.currentRevision).toBe(first);
  });

  test("are limited in number", () => {
    const { cluster } = start({ replicas: 1, revisionHistoryLimit: 2 });
    for (const tag of ["2", "3", "4", "5"]) {
      setImage(cluster, `web:${tag}`);
      cluster.runUntilQuiet();
    }
    expect(revisionsOf(cluster).map(({ revision }) => revision)).toEqual([3, 4, 5]);
  });

  test("have another name if it collides", () => {
    const { cluster } = start({ replicas: 1 });
    const [name = ""] = names(revisionsOf(cluster));
    cluster.client.delete(statefulSets, "default", "web");
    cluster.runUntilQuiet();
    cluster.apply(controllerRevisions, { metadata: { name, namespace: "default" }, data: { other: 1 }, revision: 4 });
    applyWeb(cluster, { replicas: 1 });
    cluster.runUntilQuiet();
    expect(web(cluster).status).toMatchObject({ collisionCount: 1, readyReplicas: 1 });
    expect(web(cluster).status.currentRevision).not.toBe(name);
  });

  test("have a hash of FNV-1 over the bytes and the count, in the characters of names", () => {
    // Computed by hand for the empty text: 0x811c9dc5 times the prime, then the byte of "0".
    const sum = (Math.imul(0x811c9dc5, 0x01000193) ^ 0x30) >>> 0;
    const letters = "bcdfghjklmnpqrstvwxz2456789";
    const expected = [...String(sum)].map((digit) => letters[digit.charCodeAt(0) % 27]).join("");
    expect(hashControllerRevision("", 0)).toBe(expected);
    expect(hashControllerRevision("", 1)).not.toBe(expected);
  });
});

const withClaims = (retention: Spec["persistentVolumeClaimRetentionPolicy"] = {}): Spec => ({
  replicas: 2,
  volumeClaimTemplates: [
    {
      metadata: { name: "data", labels: { tier: "db" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
  persistentVolumeClaimRetentionPolicy: retention,
});
const owners = (cluster: TestCluster) =>
  Object.fromEntries(
    claims(cluster).map(({ metadata }) => [
      metadata.name ?? "",
      metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`) ?? [],
    ]),
  );

describe("claims", () => {
  test("are created for each template and pod before the pod, and mounted by name", () => {
    const { cluster } = start(withClaims());
    expect(names(claims(cluster))).toEqual(["data-web-0", "data-web-1"]);
    expect(claims(cluster)[0]?.metadata.labels).toEqual({ app: "web", tier: "db" });
    expect(claims(cluster)[0]?.spec.resources).toEqual({ requests: { storage: "1Gi" } });
    expect(pod(cluster, "web-1").spec.volumes?.[0]).toEqual({
      name: "data",
      persistentVolumeClaim: { claimName: "data-web-1" },
    });
    expect(cluster.eventsOf(web(cluster)).slice(0, 2)).toEqual([
      "SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success",
      "SuccessfulCreate: Create Pod web-0 in StatefulSet web successful",
    ]);
  });

  test("stay when pods or the set are deleted, and are reused", () => {
    const { cluster } = start(withClaims());
    const uids = claims(cluster).map(({ metadata }) => metadata.uid);
    scale(cluster, 0);
    cluster.runUntilQuiet();
    cluster.client.delete(statefulSets, "default", "web");
    cluster.runUntilQuiet();
    expect(claims(cluster).map(({ metadata }) => metadata.uid)).toEqual(uids);
    applyWeb(cluster, withClaims());
    cluster.runUntilQuiet();
    expect(claims(cluster).map(({ metadata }) => metadata.uid)).toEqual(uids);
  });

  test("are owned by the set with whenDeleted: Delete, and deleted with it, not with a pod", () => {
    const { cluster } = start(withClaims({ whenDeleted: "Delete" }));
    expect(owners(cluster)).toEqual({ "data-web-0": ["StatefulSet/web"], "data-web-1": ["StatefulSet/web"] });
    scale(cluster, 1);
    cluster.runUntilQuiet();
    expect(names(claims(cluster))).toEqual(["data-web-0", "data-web-1"]);
    cluster.client.delete(statefulSets, "default", "web");
    cluster.runUntilQuiet();
    expect(claims(cluster)).toEqual([]);
  });

  test("are deleted with whenScaled: Delete for a pod beyond the range, not for a replaced one", () => {
    const { cluster } = start(withClaims({ whenScaled: "Delete" }));
    expect(owners(cluster)).toEqual({ "data-web-0": [], "data-web-1": [] });
    const uid = claims(cluster)[1]?.metadata.uid;
    cluster.client.delete(pods, "default", "web-1");
    cluster.runUntilQuiet();
    expect(claims(cluster)[1]?.metadata.uid).toBe(uid);
    scale(cluster, 1);
    cluster.runUntilQuiet();
    expect(names(claims(cluster))).toEqual(["data-web-0"]);
    scale(cluster, 2);
    cluster.runUntilQuiet();
    expect(names(claims(cluster))).toEqual(["data-web-0", "data-web-1"]);
    cluster.client.delete(statefulSets, "default", "web");
    cluster.runUntilQuiet();
    expect(names(claims(cluster))).toEqual(["data-web-0", "data-web-1"]);
  });

  test("delay a new pod while they are being deleted", () => {
    const { cluster } = start(withClaims({ whenScaled: "Delete", whenDeleted: "Delete" }));
    const hold = "example.com/hold";
    cluster.edit(persistentVolumeClaims, "default", "data-web-1", ({ metadata }) => {
      metadata.finalizers = [hold];
    });
    const uid = claims(cluster)[1]?.metadata.uid;
    scale(cluster, 1);
    cluster.step(5_000);
    expect(names(livePods(cluster))).toEqual(["web-0"]);
    scale(cluster, 2);
    cluster.step(5_000);
    expect(names(livePods(cluster))).toEqual(["web-0"]);
    cluster.edit(persistentVolumeClaims, "default", "data-web-1", ({ metadata }) => {
      delete metadata.finalizers;
    });
    cluster.runUntilQuiet();
    expect(names(livePods(cluster))).toEqual(["web-0", "web-1"]);
    expect(claims(cluster)[1]?.metadata.uid).not.toBe(uid);
    expect(owners(cluster)["data-web-1"]).toEqual(["StatefulSet/web"]);
  });

  test("follow a changed policy", () => {
    const { cluster } = start(withClaims());
    edit(cluster, (spec) => {
      spec.persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Retain" };
    });
    cluster.runUntilQuiet();
    expect(owners(cluster)).toEqual({ "data-web-0": ["StatefulSet/web"], "data-web-1": ["StatefulSet/web"] });
    edit(cluster, (spec) => {
      spec.persistentVolumeClaimRetentionPolicy = { whenDeleted: "Retain", whenScaled: "Retain" };
    });
    cluster.runUntilQuiet();
    expect(owners(cluster)).toEqual({ "data-web-0": [], "data-web-1": [] });
  });

  test("with another owner are not changed, with an event", () => {
    const { cluster } = bed(controllers);
    const owner = { apiVersion: "v1", kind: "Pod", name: "other", uid: "x", controller: true };
    const foreignPod = cluster.apply(pods, {
      metadata: { name: "other", namespace: "default" },
      spec: { containers: [{ name: "c", image: "x" }] },
    });
    cluster.apply(persistentVolumeClaims, {
      metadata: {
        name: "data-web-0",
        namespace: "default",
        ownerReferences: [{ ...owner, uid: foreignPod.metadata.uid ?? "" }],
      },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    applyWeb(cluster, { ...withClaims({ whenDeleted: "Delete" }), replicas: 1 });
    cluster.runUntilQuiet();
    expect(owners(cluster)).toEqual({ "data-web-0": ["Pod/other"] });
    expect(cluster.eventsOf(web(cluster))).toContain(
      "ConflictingController: PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim",
    );
  });

  test("prevent their pod if they are rejected, with events for both", () => {
    const { cluster, kubelets } = bed(controllers);
    kubelets.refusal = ({ plural }) =>
      plural === "persistentvolumeclaims" ? ApiError.internal("no space") : undefined;
    applyWeb(cluster, withClaims());
    cluster.step(1_000);
    expect(allPods(cluster)).toEqual([]);
    const why = "Internal error occurred: no space";
    expect(cluster.eventsOf(web(cluster))).toEqual([
      `FailedCreate: Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: ${why}`,
      `FailedCreate: Create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: ${why}`,
    ]);
  });
});

describe("ownership", () => {
  test("a new set adopts the pods with its names of a deleted one", () => {
    const { cluster } = start();
    const uids = livePods(cluster).map(({ metadata }) => metadata.uid);
    cluster.client.delete(statefulSets, "default", "web", { propagation: "Orphan" });
    cluster.runUntilQuiet();
    cluster.apply(pods, {
      metadata: { name: "stray", namespace: "default", labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "x" }] },
    });
    applyWeb(cluster);
    cluster.runUntilQuiet();
    expect(
      livePods(cluster)
        .filter(({ metadata }) => metadata.ownerReferences)
        .map(({ metadata }) => metadata.uid),
    ).toEqual(uids);
    expect(pod(cluster, "stray").metadata.ownerReferences).toBeUndefined();
    expect(revisionsOf(cluster).length).toBe(1);
  });

  test("the identity labels of a pod are restored", () => {
    const { cluster } = start({ replicas: 1 });
    cluster.edit(pods, "default", "web-0", ({ metadata }) => {
      const { "statefulset.kubernetes.io/pod-name": _gone, ...labels } = metadata.labels ?? {};
      metadata.labels = labels;
    });
    cluster.runUntilQuiet();
    expect(pod(cluster, "web-0").metadata.labels?.["statefulset.kubernetes.io/pod-name"]).toBe("web-0");
    expect(cluster.eventsOf(web(cluster))).toContain(
      "SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful",
    );
  });
});
