// What a stage of a pod's life is, and how a life is brought up to now.
import { assert } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { PodLife } from "../life.ts";

export interface Move {
  readonly atMs: number;
  /** Changes the life so that the same move is not offered again. */
  apply(life: PodLife, atMs: number): void;
  /** Only something is told; the pod's status stays as it is. */
  readonly quiet?: true;
}

export interface Stage {
  readonly name: string;
  /** The next thing that this stage would do, and when. It reads the life and `nowMs` and changes nothing. */
  next(life: PodLife, nowMs: number): Move | undefined;
}

/** Moves in one go; a life that offers more is a bug of a stage. A week of restarts, five minutes apart, is about 6,000. */
const movesAtOnce = 20_000;

/** Microseconds that finding the next move takes, for the pod and for each of its containers. */
const moveWork = { pod: 4, container: 6 };

export interface Advance {
  /** When the next move will be. Where one look may do no more, that is the moment of the last one. */
  readonly nextMs: number | undefined;
  /** Whether the sync ended at its limit of work, with moves left. */
  readonly isCut: boolean;
}

/** Applies, in the order of time, the moves that are due. */
export function advance(life: PodLife, stages: readonly Stage[], nowMs: number): Advance {
  const work = moveWork.pod + moveWork.container * life.containers.length;
  let left: number = limits.podLookWork;
  for (let moves = 0; moves < movesAtOnce; moves++) {
    life.node.account(work);
    const move = earliestMove(stages.map((stage) => stage.next(life, nowMs)));
    if (!move || move.atMs > nowMs) return { nextMs: move?.atMs, isCut: false };
    left -= work;
    // One move is always made.
    if (left < 0 && moves > 0 && life.changed) return { nextMs: life.atMs, isCut: true };
    // Stored times have whole seconds, so what follows them may seem to lie before what was done last.
    const atMs = Number.isNaN(life.atMs) ? move.atMs : Math.max(move.atMs, life.atMs);
    if (!move.quiet) {
      life.atMs = atMs;
      life.changed = true;
    }
    life.moves++;
    move.apply(life, atMs);
  }
  assert(false, "a pod's life does not come to rest");
}

/** Of several at one moment, the first. */
export function earliestMove(moves: readonly (Move | undefined)[]): Move | undefined {
  let best: Move | undefined;
  for (const move of moves) if (move && (!best || move.atMs < best.atMs)) best = move;
  return best;
}
