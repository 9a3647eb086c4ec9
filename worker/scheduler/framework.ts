// The interface of scheduler plugins: the extension points of the scheduling framework as properties of one value. A Go plugin's PreFilter
// and PreScore store their results in a CycleState for Filter and Score; here they return these functions.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget } from "../../shared/k8s/api/policy-v1.ts";
import type { ResourceClaim } from "../../shared/k8s/api/resource-v1.ts";
import type { Random } from "../../shared/base/random.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { Labels, Selector } from "../../shared/k8s/selectors/labels.ts";
import type { ReconcileContext } from "../runtime/controller.ts";
import type { ClusterEvent, EventName } from "./cluster-event.ts";
import type { DeviceLister, StorageLister } from "./listers.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";

export const maxNodeScore = 100;

/** The state of one attempt to schedule one pod. */
export interface Cycle {
  readonly pod: Pod;
  readonly info: PodInfo;
  readonly snapshot: Snapshot;
  /** The selector of the pod's services and its controller. By default, the pods that it selects are spread. */
  readonly defaultSelector: Selector;
  readonly storage: StorageLister;
  readonly devices: DeviceLister;
  readonly meter: WorkMeter;
  namespaceLabels(namespace: string): Labels;
  podDisruptionBudgets(): readonly PodDisruptionBudget[];
}

/** The reason why a node, or every node, is rejected. */
export interface Status {
  /** `Unschedulable`: preemption may help. `Error`: the attempt fails regardless of the nodes. */
  readonly code: "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
  readonly reasons: readonly string[];
}

/** The result of PreFilter for one pod. */
export interface PreFilter {
  /** The nodes to filter. Undefined: all nodes. */
  readonly nodeNames?: ReadonlySet<string>;
  /** Rejects every node; `filter` is not called. */
  readonly status?: Status;
  filter(node: NodeInfo): Status | undefined;
  /** Accounts for another pod on the node. Called before `filter`, and undone by `removePod`. */
  addPod?(node: NodeInfo, pod: PodInfo): void;
  removePod?(node: NodeInfo, pod: PodInfo): void;
}

/** The result of PreScore for one pod and the feasible nodes. */
export interface PreScore {
  /** Returns an integer: 0 to `maxNodeScore` unless there is a `normalizeScore`. */
  score(node: NodeInfo): number;
  /** Normalizes the scores in place to 0 to `maxNodeScore`. */
  normalizeScore?(scores: number[], nodes: readonly NodeInfo[]): void;
}

export interface PreFilteredPlugin {
  readonly plugin: string;
  readonly preFilter: PreFilter;
}

export interface NodeStatus {
  readonly node: string;
  readonly plugin: string;
  readonly status: Status;
}

/** The reasons why no node is feasible. */
export interface Diagnosis {
  readonly nodeCount: number;
  /** The plugin that rejected all nodes in PreFilter. */
  readonly preFilterStatus?: Omit<NodeStatus, "node">;
  /** The status of each node that was filtered and rejected. */
  readonly nodeStatuses: readonly NodeStatus[];
  /** The reason why the remaining nodes were not filtered. */
  readonly absentNodesStatus?: Status;
  readonly unschedulablePlugins: ReadonlySet<string>;
}

/** The feasible nodes of a pod. Empty if `error` is set, which makes the attempt fail. */
export interface FilterResult {
  readonly feasible: readonly NodeInfo[];
  readonly diagnosis: Diagnosis;
  readonly preFiltered: readonly PreFilteredPlugin[];
  readonly error?: string;
}

export interface PostFilterResult {
  /** The text that is appended to the message of the failure. */
  readonly message: string;
  /** The new `status.nominatedNodeName`. "" clears it; undefined keeps it. */
  readonly nominatedNodeName?: string;
  /** The pods to evict from that node. */
  readonly victims?: readonly PodInfo[];
  /** The claim to deallocate. */
  readonly deallocate?: ResourceClaim;
  /** Whether the remaining plugins are skipped. */
  readonly isError?: boolean;
}

export interface Plugin {
  /** The name in configurations and messages. */
  readonly name: string;
  /** The weight of its scores. Default: 1. */
  readonly weight?: number;
  /** Reports whether the pod may enter the active queue. */
  preEnqueue?(cycle: Cycle): boolean;
  /** Prepares Filter for a pod. Undefined: skips the plugin. */
  preFilter?(cycle: Cycle): PreFilter | undefined;
  /** Makes an unschedulable pod schedulable if possible. A result with `victims` ends the search. */
  postFilter?(cycle: Cycle, filterResult: FilterResult, random: Pick<Random, "next">, nowMs: number): PostFilterResult;
  /** Prepares Score. Undefined: skips the plugin. */
  preScore?(cycle: Cycle, feasible: readonly NodeInfo[]): PreScore | undefined;
  /** Returns the work before binding, if any. The returned function reports whether everything is ready or still pending. */
  preBind?(cycle: Cycle, node: NodeInfo): ((context: ReconcileContext) => boolean) | undefined;
  /** The events that may make a pod schedulable which this plugin rejected. */
  readonly eventsToRegister?: readonly EventName[];
  /** Reports whether an event may make this pod schedulable. Undefined: every registered event does. */
  queueingHint?(cycle: Cycle, event: ClusterEvent): boolean;
}

export function unschedulableAndUnresolvable(...reasons: readonly string[]): Status {
  return { code: "UnschedulableAndUnresolvable", reasons };
}

export function unschedulable(...reasons: readonly string[]): Status {
  return { code: "Unschedulable", reasons };
}

export function errorStatus(...reasons: readonly string[]): Status {
  return { code: "Error", reasons };
}

/** Scales scores so that the highest becomes `maxNodeScore`; with `reverse`, so that it becomes the lowest. */
export function defaultNormalizeScore(scores: number[], { isReversed }: { readonly isReversed: boolean }): void {
  const highest = Math.max(0, ...scores);
  for (let at = 0; at < scores.length; at++) {
    const share = highest === 0 ? 0 : Math.floor((maxNodeScore * (scores[at] ?? 0)) / highest);
    scores[at] = isReversed ? maxNodeScore - share : share;
  }
}
