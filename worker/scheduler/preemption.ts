// Selects the pods of a lower priority to evict so that a pod fits on a node, and the node.
import type { Random } from "../../shared/base/random.ts";
import type { PodDisruptionBudget } from "../../shared/k8s/api/policy-v1.ts";
import { labelSelectorAsSelector } from "../../shared/k8s/selectors/labels.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { addPodTo, removePodFrom, runFilterPluginsWithNominatedPods } from "./filters.ts";
import {
  type Cycle,
  type FilterResult,
  type PreFilteredPlugin,
  type Status,
  unschedulableAndUnresolvable,
} from "./framework.ts";
import { type NodeInfo, copyOfNode } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";

const minCandidateNodesPercentage = 10;
const minCandidateNodesAbsolute = 100;

/**
 * Finds nodes on which evictions help, starting at a random one. Candidates without violated disruption budgets come first, and enough of
 * them end the search. `statuses` has the reasons for all other nodes.
 */
export function findCandidates(
  cycle: Cycle,
  { diagnosis, preFiltered }: FilterResult,
  random: Pick<Random, "next">,
  nowMs: number,
) {
  const nodes = diagnosis.nodeStatuses
    .filter(({ status }) => status.code === "Unschedulable")
    .flatMap(({ node }) => cycle.snapshot.node(node) ?? []);
  const nonViolatingCandidates: Candidate[] = [];
  const violatingCandidates: Candidate[] = [];
  const statuses: Pick<Status, "reasons">[] = [];
  const enough = calculateNumCandidates(nodes.length);
  const offset = Math.floor(random.next() * nodes.length);
  const budgets = nodes.length > 0 ? cycle.podDisruptionBudgets() : [];
  for (const node of inTurn(nodes, offset)) {
    const selected = selectVictimsOnNode(cycle, preFiltered, node, budgets, nowMs);
    if ("status" in selected) statuses.push(selected.status);
    else if (selected.victims.length === 0) statuses.push({ reasons: [noVictims(node.name)] });
    else if (selected.numPDBViolations === 0) nonViolatingCandidates.push({ node: node.name, ...selected });
    else violatingCandidates.push({ node: node.name, ...selected });
    if (nonViolatingCandidates.length > 0 && nonViolatingCandidates.length + violatingCandidates.length >= enough)
      break;
  }
  return { candidates: [...nonViolatingCandidates, ...violatingCandidates], statuses };
}

function noVictims(nodeName: string): string {
  return `expected at least one victim pod on node ${JSON.stringify(nodeName)}`;
}

function calculateNumCandidates(nodeCount: number): number {
  return Math.min(
    Math.max(Math.trunc((nodeCount * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute),
    nodeCount,
  );
}

function* inTurn(nodes: readonly NodeInfo[], offset: number): Generator<NodeInfo> {
  yield* nodes.slice(offset);
  yield* nodes.slice(0, offset);
}

export interface Candidate {
  readonly node: string;
  /** The victims, most important first. */
  readonly victims: readonly PodInfo[];
  /** The number of victims whose eviction violates a disruption budget. */
  readonly numPDBViolations: number;
}

/** An offset that makes priorities non-negative, so that more victims are always worse. */
const priorityOffset = 2 ** 31;

/** Score functions, compared in this order. The lowest score is best. */
const scoreFuncs: readonly ((candidate: Candidate, nowMs: number) => number)[] = [
  ({ numPDBViolations }) => numPDBViolations,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + priorityOffset, 0),
  ({ victims }) => victims.length,
  // Of the most important victims, the latest start time is best.
  (candidate, nowMs) => -earliestPodStartMs(candidate, nowMs),
];

export function pickOneNodeForPreemption(candidates: readonly Candidate[], nowMs: number): Candidate | undefined {
  let left = candidates;
  for (const score of scoreFuncs) {
    if (left.length < 2) break;
    const all = left.map((candidate) => score(candidate, nowMs));
    const least = Math.min(...all);
    left = left.filter((_, at) => all[at] === least);
  }
  return left[0];
}

/** Returns the earliest start time among the victims of the highest priority. */
function earliestPodStartMs({ victims }: Candidate, nowMs: number): number {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  return Math.min(...victims.filter(({ priority }) => priority === highest).map((pod) => startMs(pod, nowMs)));
}

/** Returns the start time of a pod; now if it has not started. */
function startMs({ startTime }: PodInfo, nowMs: number): number {
  return startTime === "" ? nowMs : parseTime(startTime);
}

type Victims =
  | { readonly victims: readonly PodInfo[]; readonly numPDBViolations: number }
  | { readonly status: Status };

/** Removes all pods of a lower priority, then reprieves those that still fit, most important first. */
function selectVictimsOnNode(
  cycle: Cycle,
  preFiltered: readonly PreFilteredPlugin[],
  node: NodeInfo,
  budgets: readonly PodDisruptionBudget[],
  nowMs: number,
): Victims {
  const potential = [...node.pods.values()].filter(({ priority }) => priority < cycle.info.priority);
  if (potential.length === 0)
    return { status: unschedulableAndUnresolvable("No preemption victims found for incoming pod") };
  const without = copyOfNode(node);
  const gone = new Set<PodInfo>();
  const leave = (pod: PodInfo) => {
    removePodFrom(without, pod, preFiltered);
    gone.add(pod);
  };
  for (const pod of potential) leave(pod);
  const refusal = runFilterPluginsWithNominatedPods(cycle, preFiltered, without);
  const result = refusal ? { status: refusal.status } : reprievePods();
  // The state of PreFilter is shared with the next node, so it is restored.
  for (const pod of gone) for (const { preFilter } of preFiltered) preFilter.addPod?.(without, pod);
  return result;

  function reprievePods(): Victims {
    potential.sort((a, b) => moreImportantPod(a, b, nowMs));
    const isViolating = filterPodsWithPDBViolation(potential, budgets);
    const victims: PodInfo[] = [];
    const reprievePod = (pod: PodInfo) => {
      addPodTo(without, pod, preFiltered);
      gone.delete(pod);
      if (!runFilterPluginsWithNominatedPods(cycle, preFiltered, without)) return;
      leave(pod);
      victims.push(pod);
    };
    for (const pod of potential) if (isViolating.has(pod)) reprievePod(pod);
    const numPDBViolations = victims.length;
    for (const pod of potential) if (!isViolating.has(pod)) reprievePod(pod);
    return { victims: victims.sort((a, b) => moreImportantPod(a, b, nowMs)), numPDBViolations };
  }
}

/** Compares pods by priority, then by start time. */
function moreImportantPod(a: PodInfo, b: PodInfo, nowMs: number): number {
  return b.priority - a.priority || startMs(a, nowMs) - startMs(b, nowMs);
}

/** Returns the pods whose eviction, in this order, violates a budget. */
function filterPodsWithPDBViolation(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): ReadonlySet<PodInfo> {
  const left = budgets.map(({ metadata, spec, status }) => ({
    namespace: metadata.namespace ?? "",
    selector: labelSelectorAsSelector(spec.selector),
    disrupted: status.disruptedPods ?? {},
    allowed: status.disruptionsAllowed,
  }));
  const violating = new Set<PodInfo>();
  for (const pod of pods) {
    if (Object.keys(pod.labels).length === 0) continue;
    for (const budget of left) {
      const { namespace, selector, disrupted } = budget;
      if (namespace !== pod.namespace || selector.empty || !selector.matches(pod.labels)) continue;
      if (Object.hasOwn(disrupted, pod.name)) continue;
      budget.allowed -= 1;
      if (budget.allowed < 0) violating.add(pod);
    }
  }
  return violating;
}
