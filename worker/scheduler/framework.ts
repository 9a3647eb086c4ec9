// What a scheduler plugin is: the extension points of the scheduling framework, as properties of one value.
//
// A Go plugin's PreFilter and PreScore leave their results in a CycleState that Filter and Score read; here they return the functions.
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

/** One attempt to place one pod. */
export interface Cycle {
  readonly pod: Pod;
  readonly info: PodInfo;
  readonly snapshot: Snapshot;
  /** What the pod's services and its controller select: the pods that it is spread among by default. */
  readonly defaultSelector: Selector;
  readonly storage: StorageLister;
  readonly devices: DeviceLister;
  readonly meter: WorkMeter;
  namespaceLabels(namespace: string): Labels;
  podDisruptionBudgets(): readonly PodDisruptionBudget[];
}

/** Why a node, or every node, is refused. */
export interface Status {
  /** `Unschedulable`: evicting pods could help. `Error`: the attempt fails, whatever the nodes. */
  readonly code: "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
  readonly reasons: readonly string[];
}

/** What PreFilter has prepared for one pod. */
export interface PreFilter {
  /** Only these nodes are filtered; absent: all. */
  readonly nodeNames?: ReadonlySet<string>;
  /** Every node is refused; `filter` is not asked. */
  readonly status?: Status;
  filter(node: NodeInfo): Status | undefined;
  /** What would be if the pod were on the node too; called before `filter`, and undone by `removePod`. */
  addPod?(node: NodeInfo, pod: PodInfo): void;
  removePod?(node: NodeInfo, pod: PodInfo): void;
}

/** What PreScore has prepared for one pod and the feasible nodes. */
export interface PreScore {
  /** A whole number; 0 to `maxNodeScore` unless there is `normalizeScore`. */
  score(node: NodeInfo): number;
  /** Changes the scores in place, to 0 to `maxNodeScore`. */
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

/** Why no node was found. */
export interface Diagnosis {
  readonly nodeCount: number;
  /** A plugin refused all nodes before any was filtered. */
  readonly preFilterStatus?: Omit<NodeStatus, "node">;
  /** One for each node that was filtered and refused. */
  readonly nodeStatuses: readonly NodeStatus[];
  /** Why the others were not filtered. */
  readonly absentNodesStatus?: Status;
  readonly unschedulablePlugins: ReadonlySet<string>;
}

/** Which nodes can take a pod; none of them where `error` says why the attempt failed. */
export interface FilterResult {
  readonly feasible: readonly NodeInfo[];
  readonly diagnosis: Diagnosis;
  readonly preFiltered: readonly PreFilteredPlugin[];
  readonly error?: string;
}

export interface PostFilterResult {
  /** Follows the reasons in the message of the failure; "" adds nothing. */
  readonly message: string;
  /** The new `status.nominatedNodeName`; "" clears it, absent leaves it. */
  readonly nominatedNodeName?: string;
  /** Pods to evict from that node. */
  readonly victims?: readonly PodInfo[];
  /** A claim whose devices are given back. */
  readonly deallocate?: ResourceClaim;
  /** No further plugin is asked. */
  readonly isError?: boolean;
}

export interface Plugin {
  /** The name that configurations and messages have. */
  readonly name: string;
  /** What its scores count; 1 where absent. */
  readonly weight?: number;
  /** Whether the pod may enter the active queue. */
  preEnqueue?(cycle: Cycle): boolean;
  /** Undefined: skipped for this pod. */
  preFilter?(cycle: Cycle): PreFilter | undefined;
  /** What can be done about a pod that no node can take; `victims` end the search for more. */
  postFilter?(cycle: Cycle, found: FilterResult, random: Pick<Random, "next">, nowMs: number): PostFilterResult;
  /** Undefined: skipped for this pod. */
  preScore?(cycle: Cycle, feasible: readonly NodeInfo[]): PreScore | undefined;
  /** Undefined: nothing to do. Called before the binding; returns whether everything is ready, or is waited for. */
  preBind?(cycle: Cycle, node: NodeInfo): ((context: ReconcileContext) => boolean) | undefined;
  /** What may make a pod schedulable that this plugin refused. */
  readonly eventsToRegister?: readonly EventName[];
  /** Whether such an event does, for this pod; absent: always. */
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

/** The highest becomes `maxNodeScore`; `reverse` makes it the lowest. */
export function defaultNormalizeScore(scores: number[], reverse: boolean): void {
  const highest = Math.max(0, ...scores);
  for (let at = 0; at < scores.length; at++) {
    const share = highest === 0 ? 0 : Math.floor((maxNodeScore * (scores[at] ?? 0)) / highest);
    scores[at] = reverse ? maxNodeScore - share : share;
  }
}
