// What the scheduler keeps of a pod: little, since it keeps it for every pod of the cluster.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../shared/k8s/labels.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { type PodTerms, podTermsOf } from "./pod-terms.ts";
import { type PodVolumes, podVolumesOf } from "./pod-volumes.ts";
import { type PodRequests, podRequests } from "./resources.ts";

export interface PodInfo extends PodRequests {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** "" while it has none. */
  readonly nodeName: string;
  readonly labels: Labels;
  readonly priority: number;
  /** When it was started; "" while it was not. */
  readonly startTime: string;
  readonly isBeingDeleted: boolean;
  /** It is being deleted because a pod of more importance needed its place. */
  readonly isPreempted: boolean;
  readonly hostPorts: readonly HostPort[];
  /** Affinity to other pods; absent for most. */
  readonly terms: PodTerms | undefined;
  /** What it mounts that others may be kept from; absent for most. */
  readonly volumes: PodVolumes | undefined;
}

export function podInfoOf(pod: Pod): PodInfo {
  const { uid = "", namespace = "", name = "", labels = {}, deletionTimestamp } = pod.metadata;
  const isBeingDeleted = deletionTimestamp !== undefined;
  const nodeName = pod.spec.nodeName ?? "";
  return {
    uid,
    namespace,
    name,
    nodeName,
    labels,
    priority: priorityOf(pod),
    startTime: pod.status.startTime ?? "",
    isBeingDeleted,
    isPreempted: isBeingDeleted && hasBeenPreempted(pod),
    hostPorts: hostPortsOf(pod),
    terms: podTermsOf(pod),
    volumes: podVolumesOf(pod),
    ...podRequests(pod, nodeName !== ""),
  };
}

export function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}

/** Upstream's `podTerminatingByPreemption`. */
function hasBeenPreempted({ status }: Pod): boolean {
  const target = status.conditions?.find(({ type }) => type === "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}
