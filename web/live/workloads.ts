// Workloads as a tree: Deployments, their ReplicaSets, their Pods, and at the top whatever has no owner here.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { type KubeObject, getControllerOf } from "../../shared/k8s/meta.ts";
import { summarize } from "../../shared/k8s/pod-summary.ts";
import { uidOf } from "./collection.ts";
import { compareText } from "./order.ts";
import {
  type Status,
  cronJobStatus,
  daemonSetStatus,
  deploymentStatus,
  jobStatus,
  podStatus,
  replicaSetStatus,
  statefulSetStatus,
} from "./status.ts";

export type WorkloadKind = "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "CronJob" | "Job" | "Pod";

export interface Workload {
  readonly kind: WorkloadKind;
  readonly object: KubeObject;
  readonly status: Status;
  /** `2/3`. */
  readonly ready: string;
  readonly restarts: number | undefined;
  readonly node: string;
  readonly ip: string;
  /** What tells it from its siblings: the revision and images of a ReplicaSet, the schedule of a CronJob. */
  readonly note: string;
  /** An earlier revision that is kept for undoing and runs nothing. */
  readonly isHistory: boolean;
  readonly children: readonly Workload[];
}

export interface WorkloadObjects {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly cronJobs: readonly CronJob[];
  readonly jobs: readonly Job[];
  readonly pods: readonly Pod[];
}

/** Those whose namespace is `namespace`; all, if it is empty. */
export function workloadTree(objects: WorkloadObjects, namespace: string): Workload[] {
  const { deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs, pods } = objects;
  const here = (object: KubeObject) => namespace === "" || object.metadata.namespace === namespace;
  const owners = [deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs].flat();
  const known = new Set(owners.map(uidOf));
  const children = new Map<string, Workload[]>();
  const roots: Workload[] = [];
  const place = (workload: Workload) => {
    const owner = getControllerOf(workload.object)?.uid ?? "";
    const siblings = known.has(owner) ? (children.get(owner) ?? []) : roots;
    siblings.push(workload);
    if (known.has(owner)) children.set(owner, siblings);
  };
  const placeAll = <T extends KubeObject>(
    of: readonly T[],
    make: (object: T, below: readonly Workload[]) => Workload,
  ) => {
    for (const one of of) if (here(one)) place(make(one, (children.get(uidOf(one)) ?? []).sort(bySiblings)));
  };
  // From the leaves up, so that children are there when their owner is placed.
  placeAll(pods, podWorkload);
  placeAll(replicaSets, replicaSetWorkload);
  placeAll(jobs, jobWorkload);
  placeAll(statefulSets, statefulSetWorkload);
  placeAll(daemonSets, daemonSetWorkload);
  placeAll(cronJobs, cronJobWorkload);
  placeAll(deployments, deploymentWorkload);
  return roots.sort(byPlace);
}

/** Namespaces of the system come last: people look for their own. */
export function compareNamespaces(one: string, other: string): number {
  const isSystem = (name: string) => Number(name.startsWith("kube-"));
  return isSystem(one) - isSystem(other) || compareText(one, other);
}

function podWorkload(pod: Pod): Workload {
  const summary = summarize(pod);
  return {
    kind: "Pod",
    object: pod,
    status: podStatus(pod, summary),
    ready: `${summary.ready}/${summary.total}`,
    restarts: summary.restarts,
    node: pod.spec.nodeName ?? "",
    ip: pod.status.podIP ?? "",
    note: "",
    isHistory: false,
    children: [],
  };
}

function replicaSetWorkload(set: ReplicaSet, children: readonly Workload[]): Workload {
  const { metadata, spec, status } = set;
  const revision = metadata.annotations?.["deployment.kubernetes.io/revision"];
  // Without registry and path: there is little room, and the detail has them.
  const images = spec.template.spec.containers
    .map(({ image = "" }) => image.slice(image.lastIndexOf("/") + 1))
    .join(", ");
  const desired = spec.replicas ?? 1;
  return {
    ...nothing,
    kind: "ReplicaSet",
    object: set,
    status: replicaSetStatus(set),
    ready: `${status.readyReplicas ?? 0}/${desired}`,
    note: revision ? `revision ${revision}: ${images}` : images,
    isHistory: getControllerOf(set) !== undefined && desired === 0 && status.replicas === 0 && children.length === 0,
    children,
  };
}

function deploymentWorkload(deployment: Deployment, children: readonly Workload[]): Workload {
  const { spec, status } = deployment;
  return {
    ...nothing,
    kind: "Deployment",
    object: deployment,
    status: deploymentStatus(deployment),
    ready: `${status.readyReplicas ?? 0}/${spec.replicas ?? 1}`,
    children: newestIsNoHistory(children),
  };
}

function statefulSetWorkload(set: StatefulSet, children: readonly Workload[]): Workload {
  const ready = `${set.status?.readyReplicas ?? 0}/${set.spec.replicas ?? 1}`;
  return { ...nothing, kind: "StatefulSet", object: set, status: statefulSetStatus(set), ready, children };
}

function daemonSetWorkload(set: DaemonSet, children: readonly Workload[]): Workload {
  const ready = `${set.status?.numberReady ?? 0}/${set.status?.desiredNumberScheduled ?? 0}`;
  return { ...nothing, kind: "DaemonSet", object: set, status: daemonSetStatus(set), ready, children };
}

function jobWorkload(job: Job, children: readonly Workload[]): Workload {
  const ready = `${job.status?.succeeded ?? 0}/${job.spec.completions ?? 1}`;
  return { ...nothing, kind: "Job", object: job, status: jobStatus(job), ready, children };
}

function cronJobWorkload(cronJob: CronJob, children: readonly Workload[]): Workload {
  const note = cronJob.spec.schedule;
  return { ...nothing, kind: "CronJob", object: cronJob, status: cronJobStatus(cronJob), ready: "", note, children };
}

/** Scaled to zero, a Deployment still shows its current revision. */
function newestIsNoHistory(sets: readonly Workload[]): readonly Workload[] {
  return sets.map((set, index) => (index === 0 && set.isHistory ? { ...set, isHistory: false } : set));
}

const nothing = { restarts: undefined, node: "", ip: "", note: "", isHistory: false };

function byPlace(one: Workload, other: Workload): number {
  const { namespace: a = "" } = one.object.metadata;
  const { namespace: b = "" } = other.object.metadata;
  const rank = ({ kind }: Workload) => (kind === "Pod" ? 1 : 0);
  return compareNamespaces(a, b) || rank(one) - rank(other) || byName(one, other);
}

/** The newest revision first; Pods in the order of their making, so that none moves when another goes. */
function bySiblings(one: Workload, other: Workload): number {
  const revision = ({ object }: Workload) =>
    Number(object.metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
  const { creationTimestamp: a = "" } = one.object.metadata;
  const { creationTimestamp: b = "" } = other.object.metadata;
  return revision(other) - revision(one) || compareText(a, b) || byName(one, other);
}

function byName(one: Workload, other: Workload): number {
  return compareText(one.object.metadata.name ?? "", other.object.metadata.name ?? "");
}
