// The interface of a stage of a pod's life, and the loop that applies the moves that are due.
import { assert } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { PodLife } from "../life.ts";

export interface Move {
  readonly atMs: number;
  /** Changes the life so that the same move is not offered again. */
  apply(life: PodLife, atMs: number): void;
  /** Whether the move only records events and leaves the pod's status unchanged. */
  readonly writesNoStatus?: true;
}

export interface Stage {
  readonly name: string;
  /** Returns the next move of this stage. Reads the life and `nowMs` and changes nothing. */
  next(life: PodLife, nowMs: number): Move | undefined;
}

/** The maximum number of moves in one sync. More means a bug in a stage: a week of restarts, five minutes apart, is about 6,000. */
const movesAtOnce = 20_000;

/** The work, in microseconds, of computing the next move, for the pod and for each of its containers. */
const moveWork = { pod: 4, container: 6 };

export interface Advance {
  /** The time of the next move, or of the last one if the sync ended at its limit. */
  readonly nextMs: number | undefined;
  /** Whether the sync ended at its limit of work, with moves left. */
  readonly isCut: boolean;
}

/** Applies the moves that are due, in the order of their times. */
export function advance(life: PodLife, stages: readonly Stage[], nowMs: number): Advance {
  const work = moveWork.pod + moveWork.container * life.containers.length;
  let left: number = limits.podSyncWork;
  for (let moves = 0; moves < movesAtOnce; moves++) {
    life.node.account(work);
    const move = earliestMove(stages.map((stage) => stage.next(life, nowMs)));
    if (!move || move.atMs > nowMs) return { nextMs: move?.atMs, isCut: false };
    left -= work;
    // At least one move is made in each sync.
    if (left < 0 && moves > 0 && life.changed) return { nextMs: life.atMs, isCut: true };
    // Stored times have whole seconds, so a move may seem to lie before the previous one.
    const atMs = Number.isNaN(life.atMs) ? move.atMs : Math.max(move.atMs, life.atMs);
    if (!move.writesNoStatus) {
      life.atMs = atMs;
      life.changed = true;
    }
    life.moves++;
    move.apply(life, atMs);
  }
  assert(false, "a pod's life does not come to rest");
}

/** Returns the earliest move; the first of several at the same time. */
export function earliestMove(moves: readonly (Move | undefined)[]): Move | undefined {
  let best: Move | undefined;
  for (const move of moves) if (move && (!best || move.atMs < best.atMs)) best = move;
  return best;
}
