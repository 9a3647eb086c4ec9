// The DaemonSet controller in a whole cluster.
import { describe, expect, test } from "vitest";
import type { ControllerRevision, DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import {
  daemonSetController,
  daemonSetPodAdoption,
  daemonSetRevisionAdoption,
} from "../../../worker/controllers/daemon-set/controller.ts";
import { garbageCollector } from "../../../worker/controllers/garbage-collector/controller.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { controllerRevisions } from "../../../worker/kinds/apps/controller-revision.ts";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import type { TestCluster } from "../../cluster.ts";
import { type Bed, addNode, allPods, bed, finish, livePods, setReady, taint } from "../bed.ts";

const controllers = [daemonSetController, daemonSetPodAdoption, daemonSetRevisionAdoption, garbageCollector(kinds)];

function start(spec: Draft<DaemonSet["spec"]> = {}, names?: readonly string[]): Bed {
  const cluster = bed(controllers, names);
  applyAgent(cluster.cluster, spec);
  cluster.cluster.runUntilQuiet();
  return cluster;
}

function applyAgent(cluster: TestCluster, spec: Draft<DaemonSet["spec"]> = {}): DaemonSet {
  return cluster.apply(daemonSets, {
    metadata: { name: "agent", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c", image: "agent:1" }] } },
      ...spec,
    },
  });
}
const agent = (cluster: TestCluster) => cluster.get(daemonSets, "default", "agent");
const nodesOf = (list: readonly Pod[]) => list.map(({ spec }) => spec.nodeName ?? "").sort();
const imagesOf = (list: readonly Pod[]) => list.map(({ spec }) => spec.containers[0]?.image ?? "").sort();
const on = (cluster: TestCluster, node: string) => livePods(cluster).filter(({ spec }) => spec.nodeName === node);
const revisionsOf = (cluster: TestCluster): ControllerRevision[] =>
  [...cluster.client.list(controllerRevisions)].sort((a, b) => a.revision - b.revision);
const setImage = (cluster: TestCluster, image: string) =>
  cluster.edit(daemonSets, "default", "agent", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = image;
  });
const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  updateStrategy: { type: "RollingUpdate" as const, rollingUpdate: { maxUnavailable, maxSurge } },
});
const edit = (cluster: TestCluster, change: (spec: DaemonSet["spec"]) => void) =>
  cluster.edit(daemonSets, "default", "agent", ({ spec }) => change(spec));

describe("a pod on every node", () => {
  test("is bound by the scheduler through node affinity, with the tolerations of daemons", () => {
    const { cluster } = start();
    expect(nodesOf(livePods(cluster))).toEqual(["n1", "n2", "n3"]);
    const [pod] = on(cluster, "n2");
    const [revision] = revisionsOf(cluster);
    const hash = revision?.metadata.labels?.["controller-revision-hash"] ?? "none";
    expect(pod?.metadata.labels).toEqual({
      app: "agent",
      "controller-revision-hash": hash,
      "pod-template-generation": "1",
    });
    expect(pod?.metadata.generateName).toBe("agent-");
    expect(pod?.metadata.ownerReferences).toMatchObject([
      { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true, blockOwnerDeletion: true },
    ]);
    expect(pod?.spec.affinity).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] }],
        },
      },
    });
    expect(pod?.spec.tolerations).toEqual(
      [
        ["not-ready", "NoExecute"],
        ["unreachable", "NoExecute"],
        ["disk-pressure", "NoSchedule"],
        ["memory-pressure", "NoSchedule"],
        ["pid-pressure", "NoSchedule"],
        ["unschedulable", "NoSchedule"],
      ].map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: "Exists", effect })),
    );
  });

  test("has status, events and a revision; then it is idle", () => {
    const { cluster } = start();
    expect(agent(cluster).status).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    });
    const created = livePods(cluster).map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name ?? ""}`);
    expect(cluster.eventsOf(agent(cluster)).sort()).toEqual(created.sort());
    const { template } = agent(cluster).spec;
    expect(revisionsOf(cluster)).toMatchObject([
      {
        revision: 1,
        data: { spec: { template: { $patch: "replace", ...template } } },
        metadata: { labels: { app: "agent" }, ownerReferences: [{ kind: "DaemonSet", name: "agent" }] },
      },
    ]);
    const before = cluster.registry.store.revision;
    cluster.step(3_600_000);
    expect(cluster.registry.store.revision).toBe(before);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("is created on a new node and on a cordoned node", () => {
    const { cluster } = start();
    cluster.edit(nodes, "", "n1", ({ spec }) => {
      spec.unschedulable = true;
      spec.taints = [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }];
    });
    cluster.client.delete(pods, "default", on(cluster, "n1")[0]?.metadata.name ?? "");
    addNode(cluster, "n4");
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n1", "n2", "n3", "n4"]);
    expect(agent(cluster).status).toMatchObject({ desiredNumberScheduled: 4, numberReady: 4 });
  });

  test("tolerates a node without network if it uses the host network", () => {
    const { cluster } = start({
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { hostNetwork: true, containers: [{ name: "c", image: "agent:1" }] },
      },
    });
    const keys = livePods(cluster)[0]?.spec.tolerations?.map(({ key }) => key);
    expect(keys).toContain("node.kubernetes.io/network-unavailable");
  });

  test("is replaced when it is deleted, but not on its node while it terminates", () => {
    const { cluster, kubelets } = start();
    kubelets.lingers = () => true;
    const [gone] = on(cluster, "n1");
    cluster.client.delete(pods, "default", gone?.metadata.name ?? "");
    cluster.step(1_000);
    expect(allPods(cluster).length).toBe(3);
    cluster.client.delete(pods, "default", gone?.metadata.name ?? "", { gracePeriodSeconds: 0 });
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n1", "n2", "n3"]);
  });
});

describe("eligible nodes", () => {
  test("include only nodes that the template's selector matches, and label changes create and delete pods", () => {
    const { cluster } = start({
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { nodeSelector: { disk: "ssd" }, containers: [{ name: "c", image: "agent:1" }] },
      },
    });
    expect(livePods(cluster)).toEqual([]);
    expect(agent(cluster).status.desiredNumberScheduled).toBe(0);
    const label = (disk: string | undefined) =>
      cluster.edit(nodes, "", "n2", ({ metadata }) => {
        const { disk: _old, ...otherLabels } = metadata.labels ?? {};
        metadata.labels = { ...otherLabels, ...(disk ? { disk } : {}) };
      });
    label("ssd");
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n2"]);
    label(undefined);
    cluster.runUntilQuiet();
    expect(livePods(cluster)).toEqual([]);
    expect(agent(cluster).status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 0 });
  });

  test("a NoSchedule taint prevents new pods; an existing pod is misscheduled", () => {
    const { cluster } = start();
    taint(cluster, "n1", { key: "dedicated", effect: "NoSchedule" });
    cluster.runUntilQuiet();
    // As upstream, the controller is only asked about nodes with work.
    edit(cluster, (spec) => {
      spec.minReadySeconds = 1;
    });
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n1", "n2", "n3"]);
    expect(agent(cluster).status).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 1 });
    cluster.client.delete(pods, "default", on(cluster, "n1")[0]?.metadata.name ?? "");
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n2", "n3"]);
    taint(cluster, "n1");
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n1", "n2", "n3"]);
    expect(agent(cluster).status).toMatchObject({ desiredNumberScheduled: 3, numberMisscheduled: 0 });
  });

  test("a NoExecute taint deletes the pod, unless daemons tolerate it", () => {
    const { cluster } = start();
    taint(cluster, "n1", { key: "node.kubernetes.io/unreachable", effect: "NoExecute" });
    taint(cluster, "n2", { key: "broken", effect: "NoExecute" });
    cluster.runUntilQuiet();
    expect(nodesOf(livePods(cluster))).toEqual(["n1", "n3"]);
  });

  test("an unscheduled pod of a deleted node is deleted", () => {
    const { cluster } = bed(controllers);
    cluster.edit(nodes, "", "n3", ({ spec }) => {
      spec.taints = [];
    });
    applyAgent(cluster, {
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { containers: [{ name: "c", image: "x", resources: { requests: { cpu: "100" } } }] },
      },
    });
    cluster.runUntilQuiet();
    expect(livePods(cluster).length).toBe(3);
    cluster.client.delete(nodes, "", "n3");
    cluster.runUntilQuiet();
    expect(livePods(cluster).length).toBe(2);
    expect(agent(cluster).status.desiredNumberScheduled).toBe(2);
  });
});

describe("ended pods", () => {
  test("a failed pod is replaced, with an increasing backoff", () => {
    const { cluster } = start({}, ["n1"]);
    const failedAt: number[] = [];
    for (let round = 0; round < 4; round++) {
      const [pod] = livePods(cluster);
      if (pod) finish(cluster, pod, 1);
      const from = cluster.clock.nowMs();
      cluster.runUntilQuiet();
      failedAt.push(cluster.clock.nowMs() - from);
    }
    expect(failedAt).toEqual([0, 1_000, 2_000, 4_000]);
    expect(cluster.eventsOf(agent(cluster)).filter((line) => line.startsWith("FailedDaemonPod")).length).toBe(4);
    expect(cluster.eventsOf(agent(cluster)).find((line) => line.startsWith("FailedDaemonPod"))).toMatch(
      /^FailedDaemonPod: Found failed daemon pod default\/agent-\w+ on node n1, will try to kill it$/,
    );
  });

  test("a succeeded pod is replaced at once", () => {
    const { cluster } = start({}, ["n1"]);
    const [pod] = livePods(cluster);
    if (pod) finish(cluster, pod, 0);
    cluster.runUntilQuiet();
    expect(livePods(cluster).map(({ status }) => status.phase)).toEqual(["Running"]);
    expect(cluster.eventsOf(agent(cluster))).toContain(
      `SucceededDaemonPod: Found succeeded daemon pod default/${pod?.metadata.name ?? ""} on node n1, will try to delete it`,
    );
  });
});

/** Returns for every change since `from` the number of active pods, and of ready ones. */
function history(cluster: TestCluster, from: number) {
  const alive = new Map<string, Pod>();
  const counts: { alive: number; ready: number; onOneNode: number }[] = [];
  for (const change of cluster.changes) {
    if (change.resource !== "pods") continue;
    const pod = change.object as Pod;
    if (change.type === "DELETED" || pod.metadata.deletionTimestamp) alive.delete(change.name);
    else alive.set(change.name, pod);
    if (change.revision <= from) continue;
    const all = [...alive.values()];
    const isReady = (agentPod: Pod) =>
      agentPod.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    const perNode = all.map(({ spec }) => all.filter((sibling) => sibling.spec.nodeName === spec.nodeName).length);
    counts.push({ alive: all.length, ready: all.filter(isReady).length, onOneNode: Math.max(0, ...perNode) });
  }
  return counts;
}

describe("a rolling update", () => {
  test.each([
    { maxUnavailable: 1, least: 4 },
    { maxUnavailable: 2, least: 3 },
    { maxUnavailable: "30%", least: 3 },
    { maxUnavailable: "100%", least: 0 },
  ])("never exceeds the allowed unavailability: %o", ({ maxUnavailable, least }) => {
    const { cluster } = start(rolling(maxUnavailable), ["n1", "n2", "n3", "n4", "n5"]);
    const from = cluster.registry.store.revision;
    setImage(cluster, "agent:2");
    cluster.runUntilQuiet();
    expect(imagesOf(livePods(cluster))).toEqual(Array(5).fill("agent:2"));
    const moments = history(cluster, from);
    expect(Math.min(...moments.map(({ ready }) => ready))).toBe(least);
    expect(Math.max(...moments.map(({ alive }) => alive))).toBe(5);
    expect(agent(cluster).status).toMatchObject({
      updatedNumberScheduled: 5,
      numberAvailable: 5,
      observedGeneration: 2,
    });
    expect(new Set(livePods(cluster).map(({ metadata }) => metadata.labels?.["pod-template-generation"]))).toEqual(
      new Set(["2"]),
    );
  });

  test("stops while new pods do not become available", () => {
    const { cluster, kubelets } = start(rolling(1));
    kubelets.isReady = ({ spec }) => spec.containers[0]?.image !== "agent:bad";
    setImage(cluster, "agent:bad");
    cluster.step(60_000);
    expect(imagesOf(livePods(cluster))).toEqual(["agent:1", "agent:1", "agent:bad"]);
    expect(agent(cluster).status).toMatchObject({
      updatedNumberScheduled: 1,
      numberAvailable: 2,
      numberUnavailable: 1,
    });
    setImage(cluster, "agent:3");
    cluster.runUntilQuiet();
    expect(imagesOf(livePods(cluster))).toEqual(Array(3).fill("agent:3"));
  });

  test("also replaces old pods that are unavailable already", () => {
    const { cluster, kubelets } = start(rolling(1));
    kubelets.isReady = () => false;
    for (const pod of livePods(cluster)) setReady(cluster, pod, false);
    setImage(cluster, "agent:2");
    cluster.step(60_000);
    expect(imagesOf(livePods(cluster))).toEqual(Array(3).fill("agent:2"));
  });

  test("waits minReadySeconds for each pod", () => {
    const { cluster } = start({ ...rolling(1), minReadySeconds: 10 });
    expect(agent(cluster).status.numberAvailable).toBe(3);
    setImage(cluster, "agent:2");
    cluster.step(9_000);
    expect(imagesOf(livePods(cluster))).toEqual(["agent:1", "agent:1", "agent:2"]);
    cluster.step(2_000);
    expect(imagesOf(livePods(cluster))).toEqual(["agent:1", "agent:2", "agent:2"]);
    cluster.runUntilQuiet();
    expect(imagesOf(livePods(cluster))).toEqual(Array(3).fill("agent:2"));
  });

  test.each([
    { maxSurge: 1, most: 4 },
    { maxSurge: 2, most: 5 },
    { maxSurge: "100%", most: 6 },
  ])("with surge always has a ready pod on every node: %o", ({ maxSurge, most }) => {
    const { cluster } = start(rolling(0, maxSurge));
    const from = cluster.registry.store.revision;
    setImage(cluster, "agent:2");
    cluster.runUntilQuiet();
    expect(imagesOf(livePods(cluster))).toEqual(Array(3).fill("agent:2"));
    const moments = history(cluster, from);
    expect(Math.min(...moments.map(({ ready }) => ready))).toBeGreaterThanOrEqual(3);
    expect(Math.max(...moments.map(({ alive }) => alive))).toBe(most);
  });

  test("with surge keeps the old pod while the new one is unavailable", () => {
    const { cluster, kubelets } = start(rolling(0, 1));
    kubelets.isReady = ({ spec }) => spec.containers[0]?.image !== "agent:bad";
    setImage(cluster, "agent:bad");
    cluster.step(60_000);
    expect(imagesOf(livePods(cluster))).toEqual(["agent:1", "agent:1", "agent:1", "agent:bad"]);
    const bad = livePods(cluster).find(({ spec }) => spec.containers[0]?.image === "agent:bad");
    const [old] = on(cluster, bad?.spec.nodeName ?? "").filter((pod) => pod !== bad);
    if (old) setReady(cluster, old, false);
    cluster.step(60_000);
    // An old pod that is not ready is deleted at once; then its node needs no surge, and the next one may surge.
    expect(imagesOf(livePods(cluster))).toEqual(["agent:1", "agent:1", "agent:bad", "agent:bad"]);
  });

  test("OnDelete replaces only pods that a user deletes", () => {
    const { cluster } = start({ updateStrategy: { type: "OnDelete" } });
    setImage(cluster, "agent:2");
    cluster.runUntilQuiet();
    expect(imagesOf(livePods(cluster))).toEqual(Array(3).fill("agent:1"));
    expect(agent(cluster).status.updatedNumberScheduled).toBeUndefined();
    cluster.client.delete(pods, "default", on(cluster, "n1")[0]?.metadata.name ?? "");
    cluster.runUntilQuiet();
    expect(imagesOf(livePods(cluster))).toEqual(["agent:1", "agent:1", "agent:2"]);
    expect(agent(cluster).status.updatedNumberScheduled).toBe(1);
  });
});

describe("revisions", () => {
  test("exist for each template, and a rollback raises the number of the old one", () => {
    const { cluster } = start();
    setImage(cluster, "agent:2");
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster).map(({ revision }) => revision)).toEqual([1, 2]);
    const first = revisionsOf(cluster)[0]?.metadata.name;
    setImage(cluster, "agent:1");
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster).map(({ revision }) => revision)).toEqual([2, 3]);
    expect(revisionsOf(cluster)[1]?.metadata.name).toBe(first);
    expect(imagesOf(livePods(cluster))).toEqual(Array(3).fill("agent:1"));
  });

  test("have the DaemonSet's annotations, for the change cause", () => {
    const { cluster } = bed(controllers);
    cluster.apply(daemonSets, {
      metadata: { name: "agent", namespace: "default", annotations: { "kubernetes.io/change-cause": "first" } },
      spec: {
        selector: { matchLabels: { app: "agent" } },
        template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c", image: "agent:1" }] } },
      },
    });
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster)[0]?.metadata.annotations?.["kubernetes.io/change-cause"]).toBe("first");
  });

  test("beyond revisionHistoryLimit are deleted, unless they are in use", () => {
    const { cluster } = start({ revisionHistoryLimit: 1 });
    for (const tag of ["2", "3", "4"]) {
      setImage(cluster, `agent:${tag}`);
      cluster.runUntilQuiet();
    }
    expect(revisionsOf(cluster).map(({ revision }) => revision)).toEqual([3, 4]);
    edit(cluster, (spec) => {
      spec.revisionHistoryLimit = 0;
      spec.updateStrategy = { type: "OnDelete" };
    });
    cluster.runUntilQuiet();
    setImage(cluster, "agent:5");
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster).map(({ revision }) => revision)).toEqual([4, 5]);
  });

  test("another object with the name of a revision is a collision, which the collision count resolves", () => {
    const { cluster } = start();
    const [revision] = revisionsOf(cluster);
    const { name = "" } = revision?.metadata ?? {};
    cluster.client.delete(daemonSets, "default", "agent");
    cluster.runUntilQuiet();
    cluster.apply(controllerRevisions, {
      metadata: { name, namespace: "default" },
      data: { other: true },
      revision: 7,
    });
    applyAgent(cluster);
    cluster.runUntilQuiet();
    expect(agent(cluster).status.collisionCount).toBe(1);
    expect(livePods(cluster).length).toBe(3);
    expect(revisionsOf(cluster).length).toBe(2);
  });
});

describe("the data of revisions", () => {
  test("is encoded like a Go map, so that clients find the current one by its bytes", () => {
    const { cluster } = start();
    const text = JSON.stringify(revisionsOf(cluster)[0]?.data);
    const keys = [...text.matchAll(/"([^"]+)":/g)].map(([, key]) => key);
    expect(keys.slice(0, 8)).toEqual(["spec", "template", "$patch", "metadata", "labels", "app", "spec", "containers"]);
    expect(text).toContain(
      '"containers":[{"image":"agent:1","imagePullPolicy":"IfNotPresent","name":"c","resources":{}',
    );
  });

  test("may equal a revision that a user created, and the next sync selects the one to keep", () => {
    const { cluster } = start();
    const [first] = revisionsOf(cluster);
    const { metadata, data } = first ?? { metadata: {}, data: {} };
    const { labels = {}, ownerReferences = [], annotations = {} } = metadata;
    const ownMetadata = { name: "agent-own", namespace: "default", labels, ownerReferences, annotations };
    cluster.apply(controllerRevisions, { metadata: ownMetadata, data, revision: 2 });
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster)).toHaveLength(2);
    cluster.client.delete(controllerRevisions, "default", metadata.name ?? "");
    cluster.runUntilQuiet();
    expect(revisionsOf(cluster).map(({ metadata: { name } }) => name)).toEqual(["agent-own"]);
  });
});

describe("ownership", () => {
  test("a new DaemonSet adopts the pods of a deleted one unchanged", () => {
    const { cluster } = start();
    const names = livePods(cluster).map(({ metadata }) => metadata.name);
    cluster.client.delete(daemonSets, "default", "agent", { propagation: "Orphan" });
    cluster.runUntilQuiet();
    expect(livePods(cluster).length).toBe(3);
    const { uid } = applyAgent(cluster).metadata;
    cluster.runUntilQuiet();
    expect(livePods(cluster).map(({ metadata }) => metadata.name)).toEqual(names);
    expect(new Set(livePods(cluster).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid))).toEqual(
      new Set([uid]),
    );
    expect(revisionsOf(cluster).length).toBe(1);
  });

  test("a pod whose labels no longer match is released and replaced", () => {
    const { cluster } = start();
    const name = on(cluster, "n1")[0]?.metadata.name ?? "";
    cluster.edit(pods, "default", name, ({ metadata }) => {
      metadata.labels = { app: "debug" };
    });
    cluster.runUntilQuiet();
    expect(cluster.get(pods, "default", name).metadata.ownerReferences).toBeUndefined();
    expect(on(cluster, "n1").length).toBe(2);
  });

  test("the DaemonSet's deletion deletes its pods and revisions", () => {
    const { cluster } = start();
    cluster.client.delete(daemonSets, "default", "agent");
    cluster.runUntilQuiet();
    expect(allPods(cluster)).toEqual([]);
    expect(revisionsOf(cluster)).toEqual([]);
  });
});

test("rejected pods are reported and retried, and the status has the actual number", () => {
  const { cluster, kubelets } = bed(controllers);
  kubelets.refusal = ({ plural }) =>
    plural === "pods" ? ApiError.forbidden({ group: "", name: "pods" }, "x", "exceeded quota: few") : undefined;
  applyAgent(cluster);
  cluster.step(10_000);
  expect(agent(cluster).status).toMatchObject({ desiredNumberScheduled: 3, currentNumberScheduled: 0 });
  expect(cluster.eventsOf(agent(cluster))).toContain(
    'FailedCreate: Error creating: pods "x" is forbidden: exceeded quota: few',
  );
  kubelets.refusal = () => undefined;
  cluster.runUntilQuiet();
  expect(agent(cluster).status.numberReady).toBe(3);
});
