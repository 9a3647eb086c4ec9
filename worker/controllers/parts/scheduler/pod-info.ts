// What the scheduler keeps of a pod: little, since it keeps it for every pod of the cluster.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../../../shared/k8s/labels.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { type PodTerms, podTermsOf } from "./pod-terms.ts";
import { type PodRequests, podRequests } from "./resources.ts";

export interface PodInfo extends PodRequests {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** "" while it has none. */
  readonly nodeName: string;
  readonly labels: Labels;
  readonly isBeingDeleted: boolean;
  readonly hostPorts: readonly HostPort[];
  /** Affinity to other pods; absent for most. */
  readonly terms: PodTerms | undefined;
}

export function podInfoOf(pod: Pod): PodInfo {
  const { uid = "", namespace = "", name = "", labels = {}, deletionTimestamp } = pod.metadata;
  return {
    uid,
    namespace,
    name,
    nodeName: pod.spec.nodeName ?? "",
    labels,
    isBeingDeleted: deletionTimestamp !== undefined,
    hostPorts: hostPortsOf(pod),
    terms: podTermsOf(pod),
    ...podRequests(pod),
  };
}
