// The nodes that pods without a node are nominated to: for the filters in memory, for everybody in their status.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PodInfo } from "./pod-info.ts";

const none: readonly PodInfo[] = [];

/** Derived from `status.nominatedNodeName`, as the snapshot is told of it. */
export class Nominator {
  /** By uid. */
  readonly #nodeNames = new Map<string, string>();
  /** By node, then by uid. */
  readonly #pods = new Map<string, Map<string, PodInfo>>();

  /** Mostly there are none, so that filters need no second run. */
  get hasNominatedPods(): boolean {
    return this.#nodeNames.size > 0;
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    const found = this.#pods.get(nodeName);
    return found ? [...found.values()] : none;
  }

  addNominatedPod(pod: PodInfo, nodeName: string): void {
    this.deleteNominatedPodIfExists(pod.uid);
    this.#nodeNames.set(pod.uid, nodeName);
    const there = this.#pods.get(nodeName) ?? new Map<string, PodInfo>();
    this.#pods.set(nodeName, there.set(pod.uid, pod));
  }

  deleteNominatedPodIfExists(uid: string): void {
    const nodeName = this.#nodeNames.get(uid);
    if (nodeName === undefined) return;
    this.#nodeNames.delete(uid);
    const there = this.#pods.get(nodeName);
    there?.delete(uid);
    if (there?.size === 0) this.#pods.delete(nodeName);
  }
}

/** The status with that nomination; "" clears it, undefined changes nothing. */
export function withNomination(status: Pod["status"], nodeName: string | undefined): Pod["status"] {
  if (nodeName === undefined) return status;
  const { nominatedNodeName: _, ...rest } = status;
  return nodeName === "" ? rest : { ...rest, nominatedNodeName: nodeName };
}
