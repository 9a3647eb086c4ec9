// The nominated nodes of pods without a node: in memory for the filters, in the status for clients.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PodInfo } from "./pod-info.ts";

const none: readonly PodInfo[] = [];

/** An index derived from `status.nominatedNodeName`, updated with the snapshot. */
export class Nominator {
  /** The nominated node names by uid of the pod. */
  readonly #nodeNames = new Map<string, string>();
  /** The nominated pods by node, then by uid. */
  readonly #pods = new Map<string, Map<string, PodInfo>>();

  /** Whether filters need a second run. Usually there are no nominated pods. */
  get hasNominatedPods(): boolean {
    return this.#nodeNames.size > 0;
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    const podsByUid = this.#pods.get(nodeName);
    return podsByUid ? [...podsByUid.values()] : none;
  }

  addNominatedPod(pod: PodInfo, nodeName: string): void {
    this.deleteNominatedPodIfExists(pod.uid);
    this.#nodeNames.set(pod.uid, nodeName);
    const podsByUid = this.#pods.get(nodeName) ?? new Map<string, PodInfo>();
    this.#pods.set(nodeName, podsByUid.set(pod.uid, pod));
  }

  deleteNominatedPodIfExists(uid: string): void {
    const nodeName = this.#nodeNames.get(uid);
    if (nodeName === undefined) return;
    this.#nodeNames.delete(uid);
    const podsByUid = this.#pods.get(nodeName);
    podsByUid?.delete(uid);
    if (podsByUid?.size === 0) this.#pods.delete(nodeName);
  }
}

/** Returns the status with a nomination. "" clears it; undefined keeps it. */
export function withNomination(status: Pod["status"], nodeName: string | undefined): Pod["status"] {
  if (nodeName === undefined) return status;
  const { nominatedNodeName: _, ...rest } = status;
  return nodeName === "" ? rest : { ...rest, nominatedNodeName: nodeName };
}
