// The workloads as a tree: Deployments, their ReplicaSets and Pods. Objects without an owner are roots.
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
  /** The ready count: `2/3`. */
  readonly ready: string;
  readonly restarts: number | undefined;
  readonly node: string;
  readonly ip: string;
  /** Distinguishes siblings: the revision and images of a ReplicaSet, the schedule of a CronJob. */
  readonly note: string;
  /** Reports whether this is an earlier revision without pods, kept for a rollback. */
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

/** Returns the workloads of a namespace, or of all if it is empty. */
export function workloadTree(objects: WorkloadObjects, namespace: string): Workload[] {
  const { deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs, pods } = objects;
  const here = (object: KubeObject) => namespace === "" || object.metadata.namespace === namespace;
  const owners = [deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs].flat();
  const ownerUids = new Set(owners.map(uidOf));
  const children = new Map<string, Workload[]>();
  const roots: Workload[] = [];
  const place = (workload: Workload) => {
    const owner = getControllerOf(workload.object)?.uid ?? "";
    const siblings = ownerUids.has(owner) ? (children.get(owner) ?? []) : roots;
    siblings.push(workload);
    if (ownerUids.has(owner)) children.set(owner, siblings);
  };
  const placeAll = <T extends KubeObject>(
    objectsOfKind: readonly T[],
    make: (object: T, below: readonly Workload[]) => Workload,
  ) => {
    for (const workload of objectsOfKind)
      if (here(workload)) place(make(workload, (children.get(uidOf(workload)) ?? []).sort(bySiblings)));
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

/** Sorts system namespaces last, because users look for their own. */
export function compareNamespaces(left: string, right: string): number {
  const isSystem = (name: string) => Number(name.startsWith("kube-"));
  return isSystem(left) - isSystem(right) || compareText(left, right);
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
  // The registry and path are omitted to save room. The detail shows them.
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

/** A Deployment scaled to zero still shows its current revision. */
function newestIsNoHistory(sets: readonly Workload[]): readonly Workload[] {
  return sets.map((set, index) => (index === 0 && set.isHistory ? { ...set, isHistory: false } : set));
}

const nothing = { restarts: undefined, node: "", ip: "", note: "", isHistory: false };

function byPlace(left: Workload, right: Workload): number {
  const { namespace: a = "" } = left.object.metadata;
  const { namespace: b = "" } = right.object.metadata;
  const rank = ({ kind }: Workload) => (kind === "Pod" ? 1 : 0);
  return compareNamespaces(a, b) || rank(left) - rank(right) || byName(left, right);
}

/** Sorts the newest revision first, and pods by creation so that they keep their rows. */
function bySiblings(left: Workload, right: Workload): number {
  const revision = ({ object }: Workload) =>
    Number(object.metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
  const { creationTimestamp: a = "" } = left.object.metadata;
  const { creationTimestamp: b = "" } = right.object.metadata;
  return revision(right) - revision(left) || compareText(a, b) || byName(left, right);
}

function byName(left: Workload, right: Workload): number {
  return compareText(left.object.metadata.name ?? "", right.object.metadata.name ?? "");
}
