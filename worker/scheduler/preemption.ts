// Whether pods of less importance can make room for one that fits nowhere, and which (upstream: `Evaluator.Preempt`).
import type { Random } from "../../shared/base/random.ts";
import type { Found } from "./find.ts";
import { histogram } from "./fit-error.ts";
import type { NodeInfo } from "./node-info.ts";
import { type Candidate, pickCandidate } from "./preemption-choice.ts";
import type { Cycle, Rejection } from "./framework.ts";
import type { PodInfo } from "./pod-info.ts";
import { selectVictims } from "./victims.ts";

/** Upstream's `minCandidateNodesPercentage` and `minCandidateNodesAbsolute`. */
const candidatesPercent = 10;
const leastCandidates = 100;
const notHelpful: Pick<Rejection, "reasons"> = { reasons: ["Preemption is not helpful for scheduling"] };

export interface Preemption {
  readonly message: string;
  readonly nominate?: string;
  readonly victims?: readonly PodInfo[];
}

export function preempt(cycle: Cycle, found: Found, random: Pick<Random, "next">, nowMs: number): Preemption {
  const problem = ineligible(cycle, found);
  if (problem !== undefined) return { message: problem };
  const { order } = cycle.snapshot;
  const { candidates, refusals } = findCandidates(cycle, found, random, nowMs);
  const best = pickCandidate(candidates, nowMs);
  if (best) return { message: "", nominate: best.node, victims: best.victims };
  const reasons = histogram(refusals, order.length, notHelpful);
  return { message: `0/${order.length} nodes are available: ${reasons}.`, nominate: "" };
}

/** Upstream's `PodEligibleToPreemptOthers`: why the pod may not, if so. */
function ineligible({ pod, info, snapshot }: Cycle, { diagnosis }: Found): string | undefined {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.status.nominatedNodeName;
  if (!nominated) return undefined;
  const refusal = diagnosis.refusals.find(({ node }) => node === nominated);
  // What nothing on that node can change is a reason to look elsewhere.
  if (!refusal?.rejection.isResolvable) return undefined;
  for (const victim of snapshot.node(nominated)?.pods.values() ?? []) {
    if (victim.priority < info.priority && victim.isPreempted) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

/** Upstream's `DryRunPreemption`: those that break no budget come first, and enough of them end the search. */
function findCandidates(cycle: Cycle, { diagnosis, filters }: Found, random: Pick<Random, "next">, nowMs: number) {
  const nodes = diagnosis.refusals
    .filter(({ rejection }) => rejection.isResolvable)
    .flatMap(({ node }) => cycle.snapshot.node(node) ?? []);
  const kind: Candidate[] = [];
  const unkind: Candidate[] = [];
  const refusals: Pick<Rejection, "reasons">[] = [];
  const enough = enoughCandidates(nodes.length);
  const offset = Math.floor(random.next() * nodes.length);
  const budgets = nodes.length > 0 ? cycle.budgets() : [];
  for (const node of inTurn(nodes, offset)) {
    const selected = selectVictims(cycle, filters, node, budgets, nowMs);
    if ("rejection" in selected) refusals.push(selected.rejection);
    else if (selected.victims.length === 0) refusals.push({ reasons: [noVictims(node.name)] });
    else if (selected.violations === 0) kind.push({ node: node.name, ...selected });
    else unkind.push({ node: node.name, ...selected });
    if (kind.length > 0 && kind.length + unkind.length >= enough) break;
  }
  return { candidates: [...kind, ...unkind], refusals };
}

function noVictims(nodeName: string): string {
  return `expected at least one victim pod on node ${JSON.stringify(nodeName)}`;
}

function enoughCandidates(nodeCount: number): number {
  return Math.min(Math.max(Math.trunc((nodeCount * candidatesPercent) / 100), leastCandidates), nodeCount);
}

function* inTurn(nodes: readonly NodeInfo[], offset: number): Generator<NodeInfo> {
  yield* nodes.slice(offset);
  yield* nodes.slice(0, offset);
}
