// What a scheduler plugin is: upstream's Filter and Score, each prepared once per pod (PreFilter, PreScore) and then asked per node.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget } from "../../shared/k8s/api/policy-v1.ts";
import type { Labels, Selector } from "../../shared/k8s/labels.ts";
import type { Change, ChangeName } from "./cluster-event.ts";
import type { Devices } from "./devices.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Storage } from "./listers.ts";

/** Upstream's `MaxNodeScore`. */
export const maxScore = 100;

/** One attempt to place one pod. */
export interface Cycle {
  readonly pod: Pod;
  readonly info: PodInfo;
  readonly snapshot: Snapshot;
  /** What the services and the owner of the pod select: its like, for the default spreading. */
  readonly likeSelector: Selector;
  readonly storage: Storage;
  readonly devices: Devices;
  namespaceLabels(namespace: string): Labels;
  budgets(): readonly PodDisruptionBudget[];
}

/** Why a node cannot take the pod. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Whether fewer pods on the node could help: upstream's `Unschedulable` against `UnschedulableAndUnresolvable`. */
  readonly isResolvable: boolean;
  /** Nothing is wrong with the node, but with what was asked: the attempt ends (upstream's `Error`). */
  readonly isError?: boolean;
}

export interface Filter {
  /** Only these nodes come into question. */
  readonly nodeNames?: ReadonlySet<string>;
  /** No node does. */
  readonly rejection?: Rejection;
  check(node: NodeInfo): Rejection | undefined;
  /** Counts a pod on a node, or no longer, for what would be if it came or went (upstream's `AddPod` and `RemovePod`). */
  shift?(node: NodeInfo, pod: PodInfo, sign: 1 | -1): void;
}

export interface Score {
  /** A whole number; 0 to 100 unless it is normalized. */
  score(node: NodeInfo): number;
  /** Changes the scores in place, to 0 to 100. */
  normalize?(scores: number[], nodes: readonly NodeInfo[]): void;
}

export interface Plugin {
  /** Upstream's name. */
  readonly name: string;
  readonly weight?: number;
  /** Whether the pod is not even to be tried yet (upstream's `PreEnqueue`). */
  isGated?(cycle: Cycle): boolean;
  /** Undefined: has nothing to say about this pod (upstream's `Skip`). */
  filter?(cycle: Cycle): Filter | undefined;
  score?(cycle: Cycle, feasible: readonly NodeInfo[]): Score | undefined;
  /** What may let a pod through that it refused (upstream's `EventsToRegister`). */
  readonly wakesOn?: readonly ChangeName[];
  /** Whether such a change does, for this pod (upstream's queueing hint); absent: it may. */
  wakes?(cycle: Cycle, change: Change): boolean;
}

/** A refusal that fewer pods on the node would not undo. */
export function unresolvable(...reasons: readonly string[]): Rejection {
  return { reasons, isResolvable: false };
}

/** A refusal that fewer pods on the node could undo. */
export function resolvable(...reasons: readonly string[]): Rejection {
  return { reasons, isResolvable: true };
}

/** Upstream's `DefaultNormalizeScore`: the best becomes 100; `reverse` turns it around. */
export function normalizeByMax(scores: number[], reverse: boolean): void {
  const highest = Math.max(0, ...scores);
  for (let at = 0; at < scores.length; at++) {
    const share = highest === 0 ? 0 : Math.floor((maxScore * (scores[at] ?? 0)) / highest);
    scores[at] = reverse ? maxScore - share : share;
  }
}
