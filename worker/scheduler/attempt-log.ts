// Records the last scheduling attempts of each pod in memory, for explanations. Bounded; losing it is harmless.
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { NodeStatus } from "./framework.ts";
import type { NodeInfo } from "./node-info.ts";
import type { Outcome, Scores } from "./schedule-pod.ts";

const podsKept = 100;
const attemptsKept = 5;
const refusalsKept = 50;
const scoresKept = 10;

export interface PluginScore {
  readonly plugin: string;
  readonly raw: number;
  /** The normalized score, 0 to 100. */
  readonly normalized: number;
  readonly weight: number;
  readonly weighted: number;
}

export interface NodeScore {
  readonly node: string;
  readonly total: number;
  readonly plugins: readonly PluginScore[];
}

export interface AttemptRecord {
  readonly time: string;
  /** The name of the selected node. */
  readonly node?: string;
  /** The message of a failed attempt. */
  readonly message?: string;
  /** The nominated node, and the pods that are evicted from it. */
  readonly nominatedNode?: string;
  readonly victims?: readonly string[];
  readonly nodes: number;
  readonly evaluated: number;
  readonly feasible: readonly string[];
  readonly refused: readonly { readonly node: string; readonly plugin: string; readonly reasons: readonly string[] }[];
  /** The plugin that rejected all nodes in PreFilter. */
  readonly refusedAll?: { readonly plugin: string; readonly reasons: readonly string[] };
  /** The best nodes, best first. */
  readonly scores: readonly NodeScore[];
}

export class AttemptLog {
  readonly #byPod = new Map<string, AttemptRecord[]>();

  add(uid: string, record: AttemptRecord): void {
    const records = this.#byPod.get(uid) ?? [];
    this.#byPod.delete(uid);
    this.#byPod.set(uid, [...records, record].slice(-attemptsKept));
    const [oldest] = this.#byPod.keys();
    if (this.#byPod.size > podsKept && oldest !== undefined) this.#byPod.delete(oldest);
  }

  of(uid: string): readonly AttemptRecord[] {
    return this.#byPod.get(uid) ?? [];
  }
}

export function recordOf(outcome: Outcome, nodeCount: number, nowMs: number): AttemptRecord {
  const time = rfc3339(nowMs);
  if (!("node" in outcome)) {
    const { failure, diagnosis, postFilterResult } = outcome;
    const { nominatedNodeName, victims } = postFilterResult;
    return {
      time,
      message: failure,
      ...(nominatedNodeName ? { nominatedNode: nominatedNodeName } : {}),
      ...(victims ? { victims: victims.map(({ namespace, name }) => `${namespace}/${name}`) } : {}),
      nodes: nodeCount,
      evaluated: diagnosis.nodeStatuses.length,
      feasible: [],
      refused: diagnosis.nodeStatuses.slice(0, refusalsKept).map(refusedBy),
      ...(diagnosis.preFilterStatus
        ? {
            refusedAll: { plugin: diagnosis.preFilterStatus.plugin, reasons: diagnosis.preFilterStatus.status.reasons },
          }
        : {}),
      scores: [],
    };
  }
  const { node, filterResult, scores } = outcome;
  const { feasible, diagnosis } = filterResult;
  return {
    time,
    node,
    nodes: nodeCount,
    evaluated: feasible.length + diagnosis.nodeStatuses.length,
    feasible: feasible.slice(0, refusalsKept).map(({ name }) => name),
    refused: diagnosis.nodeStatuses.slice(0, refusalsKept).map(refusedBy),
    scores: scores ? bestOf(feasible, scores, node) : [],
  };
}

function refusedBy({ node, plugin, status }: NodeStatus) {
  return { node, plugin, reasons: status.reasons };
}

/** Returns the best nodes. The selected node comes before others with the same score. */
function bestOf(feasible: readonly NodeInfo[], { totals, byPlugin }: Scores, chosen: string): readonly NodeScore[] {
  const isChosen = (at: number) => (feasible[at]?.name === chosen ? 1 : 0);
  const compare = (a: number, b: number) => (totals[b] ?? 0) - (totals[a] ?? 0) || isChosen(b) - isChosen(a);
  // Inserting into a short list avoids sorting all nodes.
  const best: number[] = [];
  for (let at = 0; at < feasible.length; at++) {
    if (best.length === scoresKept && compare(at, best[scoresKept - 1] ?? at) >= 0) continue;
    const after = best.findIndex((rank) => compare(at, rank) < 0);
    best.splice(after < 0 ? best.length : after, 0, at);
    if (best.length > scoresKept) best.pop();
  }
  return best.map((at) => ({
    node: feasible[at]?.name ?? "",
    total: totals[at] ?? 0,
    plugins: byPlugin.map(({ plugin, weight, raw, normalized }) => {
      const score = normalized[at] ?? 0;
      return { plugin, raw: raw[at] ?? 0, normalized: score, weight, weighted: score * weight };
    }),
  }));
}
