import { describe, expect, test } from "vitest";
import type { Deployment, ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { type Workload, type WorkloadObjects, workloadTree } from "../../web/live/workloads.ts";

describe("the tree of workloads", () => {
  test("has Pods below their ReplicaSet, ReplicaSets below their Deployment, and Pods without owner at the top", () => {
    const objects = {
      ...none,
      deployments: [deployment("web", 2)],
      replicaSets: [replicaSet("web-1", "web", 2, 1)],
      pods: [pod("web-1-b", "web-1"), pod("web-1-a", "web-1"), pod("alone"), pod("orphan", "of-something-else")],
    };
    expect(outline(workloadTree(objects, ""))).toEqual([
      "web",
      "  web-1",
      "    web-1-a",
      "    web-1-b",
      "alone",
      "orphan",
    ]);
  });

  test("distinguishes earlier revisions from the current one, newest first", () => {
    const objects = {
      ...none,
      deployments: [deployment("web", 0)],
      replicaSets: [replicaSet("old", "web", 0, 9), replicaSet("new", "web", 0, 10), replicaSet("oldest", "web", 0, 8)],
      pods: [],
    };
    const sets = workloadTree(objects, "")[0]?.children ?? [];
    expect(sets.map(({ object, isHistory }) => [object.metadata.name, isHistory])).toEqual([
      ["new", false],
      ["old", true],
      ["oldest", true],
    ]);
  });

  test("has the Pods of StatefulSets, DaemonSets and Jobs below them, and Jobs below their CronJob", () => {
    const job = { completions: 1, template: { metadata: {}, spec: { containers: [] } } };
    const of = (kind: string, name: string, owner?: string) => ({
      apiVersion: "x/v1",
      kind,
      metadata: meta(name, owner),
    });
    const objects = {
      ...none,
      statefulSets: [{ ...of("StatefulSet", "db"), spec: { replicas: 1 }, status: { replicas: 1, readyReplicas: 1 } }],
      daemonSets: [{ ...of("DaemonSet", "agent"), spec: {}, status: { desiredNumberScheduled: 2, numberReady: 1 } }],
      cronJobs: [{ ...of("CronJob", "nightly"), spec: { schedule: "0 0 * * *" }, status: {} }],
      jobs: [{ ...of("Job", "nightly-1", "nightly"), spec: job, status: { succeeded: 1, conditions: [complete] } }],
      pods: [pod("db-0", "db"), pod("agent-x", "agent"), pod("nightly-1-y", "nightly-1")],
    } as unknown as WorkloadObjects; // what is looked at is there
    const tree = workloadTree(objects, "");
    expect(outline(tree)).toEqual(["agent", "  agent-x", "db", "  db-0", "nightly", "  nightly-1", "    nightly-1-y"]);
    expect(tree.map(({ kind, ready, status }) => [kind, ready, status.text])).toEqual([
      ["DaemonSet", "1/2", "Rolling out"],
      ["StatefulSet", "1/1", "Ready"],
      ["CronJob", "", "Scheduled"],
    ]);
    expect(tree[2]?.children[0]?.status).toEqual({ text: "Complete", tone: "idle" });
  });

  test("shows one namespace, or all with the system's namespaces last", () => {
    const pods = [pod("dns", undefined, "kube-system"), pod("mine", undefined, "zoo"), pod("yours", undefined, "able")];
    const objects = { ...none, pods };
    expect(outline(workloadTree(objects, ""))).toEqual(["yours", "mine", "dns"]);
    expect(outline(workloadTree(objects, "zoo"))).toEqual(["mine"]);
  });

  test.each([
    ["Rolling out", "busy", { spec: 3, updatedReplicas: 1, replicas: 4, availableReplicas: 3 }],
    ["Starting", "busy", { spec: 3, updatedReplicas: 3, replicas: 3, availableReplicas: 2 }],
    ["Available", "ok", { spec: 3, updatedReplicas: 3, replicas: 3, availableReplicas: 3 }],
    ["Scaled to zero", "idle", { spec: 0 }],
  ])("shows a Deployment that is %s as %s", (text, tone, { spec, ...status }) => {
    const objects = { ...none, deployments: [{ ...deployment("web", spec), status }] };
    expect(workloadTree(objects, "")[0]?.status).toEqual({ text, tone });
  });

  test.each([
    ["Running", "ok", { phase: "Running", ready: true, state: { running: {} } }],
    ["CrashLoopBackOff", "bad", { phase: "Running", ready: false, state: { waiting: { reason: "CrashLoopBackOff" } } }],
    [
      "ContainerCreating",
      "busy",
      { phase: "Pending", ready: false, state: { waiting: { reason: "ContainerCreating" } } },
    ],
    [
      "Completed",
      "idle",
      { phase: "Succeeded", ready: false, state: { terminated: { exitCode: 0, reason: "Completed" } } },
    ],
    ["Error", "bad", { phase: "Failed", ready: false, state: { terminated: { exitCode: 1, reason: "Error" } } }],
  ] as const)("shows a Pod that is %s as %s", (text, tone, { phase, ready, state }) => {
    const container = { name: "c", image: "i", imageID: "", restartCount: 0, lastState: {}, ready, state };
    const phasedPod: Pod = { ...pod("one"), status: { phase, containerStatuses: [container] } };
    expect(workloadTree({ ...none, pods: [phasedPod] }, "")[0]?.status).toEqual({ text, tone });
  });
});

const none: WorkloadObjects = {
  deployments: [],
  replicaSets: [],
  statefulSets: [],
  daemonSets: [],
  cronJobs: [],
  jobs: [],
  pods: [],
};

const complete = { type: "Complete", status: "True" };

function outline(workloads: readonly Workload[], indent = ""): string[] {
  return workloads.flatMap(({ object, children }) => [
    `${indent}${object.metadata.name ?? ""}`,
    ...outline(children, `${indent}  `),
  ]);
}

function deployment(name: string, replicas: number): Deployment {
  const template = { metadata: {}, spec: { containers: [] } };
  const spec = { replicas, selector: {}, template, strategy: {} };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: meta(name), spec, status: {} };
}

function replicaSet(name: string, owner: string, replicas: number, revision: number): ReplicaSet {
  const annotations = { "deployment.kubernetes.io/revision": String(revision) };
  const template = { metadata: {}, spec: { containers: [] } };
  const metadata = { ...meta(name, owner), annotations };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata,
    spec: { replicas, selector: {}, template },
    status: { replicas },
  };
}

function pod(name: string, owner?: string, namespace?: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: meta(name, owner, namespace),
    spec: { containers: [] },
    status: {},
  };
}

function meta(name: string, owner?: string, namespace = "default") {
  const reference = { apiVersion: "apps/v1", kind: "Any", name: owner ?? "", uid: owner ?? "", controller: true };
  return { name, namespace, uid: name, ...(owner ? { ownerReferences: [reference] } : {}) };
}
