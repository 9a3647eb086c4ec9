// Finds the node for one pod: filters, then scores, then picks; or says why there is none (upstream: `schedulingAlgorithm`).
import { must } from "../../shared/base/assert.ts";
import type { Random } from "../../shared/base/random.ts";
import { type Found, findFeasible } from "./find.ts";
import { type Diagnosis, fitError, noNodesMessage } from "./fit-error.ts";
import type { NodeInfo } from "./node-info.ts";
import type { Cycle, Plugin } from "./framework.ts";
import { type Afterwards, postFilter } from "./post-filter.ts";
import { type Scores, scoresOf } from "./scores.ts";

export interface Placement {
  readonly node: string;
  readonly found: Found;
  /** Absent where only one node was left. */
  readonly scores?: Scores;
}

export interface Failure {
  readonly failure: string;
  /** Something else than the nodes is the reason: tried again without waiting for a change. */
  readonly isError: boolean;
  readonly diagnosis: Diagnosis;
  readonly afterwards: Afterwards;
}

export type Outcome = Placement | Failure;

export function schedule(
  cycle: Cycle,
  plugins: readonly Plugin[],
  random: Pick<Random, "next">,
  nowMs: number,
): Outcome {
  if (cycle.snapshot.order.length === 0) return failed(noNodesMessage, false, noDiagnosis);
  const found = findFeasible(cycle, plugins);
  const { feasible, diagnosis, error } = found;
  if (error !== undefined) return failed(error, true, diagnosis);
  const [only] = feasible;
  if (!only) {
    const afterwards = postFilter(cycle, found, random, nowMs);
    return { failure: fitError(diagnosis, afterwards.message), isError: false, diagnosis, afterwards };
  }
  if (feasible.length === 1) return { node: only.name, found };
  const scores = scoresOf(cycle, plugins, feasible);
  return { node: best(feasible, scores.totals, random).name, found, scores };
}

const noDiagnosis: Diagnosis = { nodeCount: 0, refusals: [], rejectors: new Set() };

/** A failure before any plugin could do something about it also ends the keeping of a node for the pod. */
function failed(failure: string, isError: boolean, diagnosis: Diagnosis): Failure {
  return { failure, isError, diagnosis, afterwards: { message: "", nominate: "" } };
}

/** One of those with the highest total, each as likely as the other. */
function best(feasible: readonly NodeInfo[], sums: readonly number[], random: Pick<Random, "next">): NodeInfo {
  const highest = Math.max(...sums);
  const ties = feasible.filter((_, at) => sums[at] === highest);
  return must(ties[Math.floor(random.next() * ties.length)], "a node with the highest score");
}
