// Workloads as a tree: Deployments, their ReplicaSets, their Pods, and at the top whatever has no owner here.
import type { Deployment, ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { type KubeObject, getControllerOf } from "../../shared/k8s/meta.ts";
import { summarize } from "../../shared/k8s/pod-summary.ts";
import { uidOf } from "./collection.ts";
import { compareText } from "./order.ts";
import { type Status, deploymentStatus, podStatus, replicaSetStatus } from "./status.ts";

export interface Workload {
  readonly kind: "Deployment" | "ReplicaSet" | "Pod";
  readonly object: KubeObject;
  readonly status: Status;
  /** `2/3`. */
  readonly ready: string;
  readonly restarts: number | undefined;
  readonly node: string;
  readonly ip: string;
  /** What tells it from its siblings: the revision and images of a ReplicaSet. */
  readonly note: string;
  /** An earlier revision that is kept for undoing and runs nothing. */
  readonly isHistory: boolean;
  readonly children: readonly Workload[];
}

export interface WorkloadObjects {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly pods: readonly Pod[];
}

/** Those whose namespace is `namespace`; all, if it is empty. */
export function workloadTree({ deployments, replicaSets, pods }: WorkloadObjects, namespace: string): Workload[] {
  const here = (object: KubeObject) => namespace === "" || object.metadata.namespace === namespace;
  const known = new Set([...deployments, ...replicaSets].map(uidOf));
  const children = new Map<string, Workload[]>();
  const roots: Workload[] = [];
  const place = (workload: Workload) => {
    const owner = getControllerOf(workload.object)?.uid ?? "";
    const siblings = known.has(owner) ? (children.get(owner) ?? []) : roots;
    siblings.push(workload);
    if (known.has(owner)) children.set(owner, siblings);
  };
  const below = (object: KubeObject) => (children.get(uidOf(object)) ?? []).sort(bySiblings);
  // From the leaves up, so that children are there when their owner is placed.
  for (const pod of pods) if (here(pod)) place(podWorkload(pod));
  for (const set of replicaSets) if (here(set)) place(replicaSetWorkload(set, below(set)));
  for (const deployment of deployments) if (here(deployment)) place(deploymentWorkload(deployment, below(deployment)));
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
