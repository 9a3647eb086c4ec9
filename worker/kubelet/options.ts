// What a kubelet is told: what its node takes, and how long things take.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { ContainerRuntimes, ContainerTimeline, KeptEdits } from "../containers/cri.ts";
import type { Delays } from "../machine/delays.ts";

/** Why a node does not take a pod. */
export interface PodAdmitResult {
  readonly reason: string;
  readonly message: string;
}

export type Admit = (pod: Pod, node: Node, others: readonly Pod[]) => PodAdmitResult | undefined;

export interface KubeletOptions extends Partial<Delays> {
  /** Whether a node takes a pod beside others; by default it takes all. */
  readonly admit?: Admit;
  /** Whether there is room for what a pod is to have from now on. */
  readonly admitResize?: Admit;
  /** The container runtimes of the nodes. */
  readonly runtimes: ContainerRuntimes;
  /** What people changed in containers. */
  readonly edits?: KeptEdits;
  /** Records what containers print and do to each other. */
  readonly timeline?: ContainerTimeline;
  /** Told of bugs that ended a container and nothing else. */
  readonly report?: (error: unknown, where: string) => void;
}
