// Records the counted work of each turn in tests of whole clusters, to find turns that would delay other sandboxes.
import { limits } from "../shared/base/limits.ts";
import type { Store } from "../worker/store/store.ts";

/**
 * Work of one turn, some 60 ms: a drain to its budget, its last reconcile, and what began it. A part of a look at a pod
 * may take more: the moves of the look, what its programs do up to the bound, and one program more.
 */
export const mostUnits = limits.drainPerRequest * limits.typicalReconcileWork + limits.maxReconcileWork + 36_000;
/** Characters that one turn reads and writes. */
export const mostCharacters = 16 * 1024 * 1024;
/** The bound of real time. It is large, because a busy machine makes small values meaningless. */
const mostMs = 20_000;

export interface WorstTurn {
  units: number;
  characters: number;
  ms: number;
}

/** The worst that was seen in this process. */
export const worst: WorstTurn = { units: 0, characters: 0, ms: 0 };

/** Runs a turn; throws if it did more than a turn may. */
export function watchedTurn<T>({ effort, meter }: Store, body: () => T): T {
  const { characters } = effort;
  const { spent } = meter;
  const startMs = performance.now();
  const result = body();
  const turn = {
    units: Math.round(meter.spent - spent),
    characters: effort.characters - characters,
    ms: performance.now() - startMs,
  };
  for (const what of ["units", "characters", "ms"] as const) worst[what] = Math.max(worst[what], turn[what]);
  if (turn.units > mostUnits || turn.characters > mostCharacters || turn.ms > mostMs) {
    throw new Error(`a turn did too much: ${JSON.stringify(turn)}`);
  }
  return result;
}
