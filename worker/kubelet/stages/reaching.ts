// What programs do to other containers on their way, so that it stays done: a Job that fills a database, a worker that writes a first key.
import { limits } from "../../../shared/base/limits.ts";
import { type ContainerLife, isBeingStopped, type PodLife, type Reaching, timeMs } from "../life.ts";
import type { Edit, Effect, RuntimeService } from "../../containers/cri.ts";
import { earliestMove, type Stage } from "./stage.ts";

/** A program that goes on is looked at so long after its start, each time after twice as long. */
const firstLookMs = 1000;
const lastLookMs = 600_000;

/**
 * Of a program that has ended all is kept that it did, up to a bound; of one that goes on what it does to data in its first minutes, and no
 * lines of logs or visits, which would be worked out again and again.
 */
export function keepReached(life: PodLife, nowMs: number): void {
  for (const one of life.reached.values()) {
    const endedAt = endOf(one.container, one.startMs);
    const untilMs = endedAt === undefined ? Math.min(nowMs, one.startMs + lastLookMs) : endedAt + 999;
    life.effects.push(...keptOf(one, untilMs, endedAt !== undefined, life.node.runtime));
  }
}

/** When the run that began then has ended. */
function endOf({ status: { state, lastState } }: ContainerLife, startMs: number): number | undefined {
  const ended = [state.terminated, lastState.terminated].find(
    (one) => one?.startedAt && timeMs(one.startedAt) === startMs,
  );
  return ended?.finishedAt ? timeMs(ended.finishedAt) : undefined;
}

/** Each once, in the order in which they were made. */
function keptOf(
  { effects, startMs }: Reaching,
  untilMs: number,
  hasEnded: boolean,
  { isDataChange }: RuntimeService,
): Effect[] {
  const byContainer = new Map<string, { readonly effect: Effect; readonly edits: Map<string, Edit> }>();
  let left: number = limits.reachedEffects;
  for (const effect of effects) {
    const key = `${effect.pod.metadata.uid ?? ""}/${effect.container}`;
    const known = byContainer.get(key) ?? { effect, edits: new Map<string, Edit>() };
    byContainer.set(key, known);
    for (const edit of effect.edits) {
      const isIn = edit.atMs >= startMs && edit.atMs <= untilMs && (hasEnded || isDataChange(edit));
      if (isIn && left-- > 0) known.edits.set(JSON.stringify(edit), edit);
    }
  }
  return [...byContainer.values()].flatMap(({ effect, edits }) =>
    edits.size === 0 ? [] : [{ ...effect, edits: [...edits.values()] }],
  );
}

/** What a running program will do to data is waited for. */
export const lookForReached: Stage = {
  name: "look for what was reached",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    return earliestMove([...life.reached.values()].map((one) => lookAt(one, nowMs, life.node.runtime)));
  },
};

function lookAt({ container, startMs, effects }: Reaching, nowMs: number, { isDataChange }: RuntimeService) {
  if (!container.status.state.running) return undefined;
  const later = effects.flatMap(({ edits }) =>
    edits.flatMap((one) => (one.atMs > nowMs && isDataChange(one) ? [one.atMs] : [])),
  );
  const next = later.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  if (next > startMs + lastLookMs) return undefined;
  let atMs = startMs + firstLookMs;
  while (atMs < next) atMs = startMs + 2 * (atMs - startMs);
  return { atMs, quiet: true as const, apply: () => undefined };
}
