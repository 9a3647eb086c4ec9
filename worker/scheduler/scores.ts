// What the plugins think of the nodes that can take a pod (upstream: `prioritizeNodes`).
import type { NodeInfo } from "./node-info.ts";
import type { Cycle, Plugin } from "./framework.ts";

/** One plugin's opinion, node by node in the order of the feasible ones. */
export interface PluginScores {
  readonly plugin: string;
  readonly weight: number;
  readonly raw: readonly number[];
  /** 0 to 100. */
  readonly normalized: readonly number[];
}

export interface Scores {
  readonly byPlugin: readonly PluginScores[];
  /** The weighted sums. */
  readonly totals: readonly number[];
}

export function scoresOf(cycle: Cycle, plugins: readonly Plugin[], feasible: readonly NodeInfo[]): Scores {
  const totals = new Array<number>(feasible.length).fill(0);
  const byPlugin: PluginScores[] = [];
  for (const { name, weight = 1, score } of plugins) {
    const step = score?.(cycle, feasible);
    if (!step) continue;
    const raw = feasible.map((node) => step.score(node));
    const normalized = step.normalize ? [...raw] : raw;
    step.normalize?.(normalized, feasible);
    byPlugin.push({ plugin: name, weight, raw, normalized });
    for (let at = 0; at < totals.length; at++) totals[at] = (totals[at] ?? 0) + (normalized[at] ?? 0) * weight;
  }
  return { byPlugin, totals };
}
