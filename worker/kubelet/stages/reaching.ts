// Looks at a pod when its programs change data of other containers: whoever waits for the data finds them then.
import { isBeingStopped, type Reaching } from "../life.ts";
import type { RuntimeService } from "../../containers/cri.ts";
import { earliestMove, type Stage } from "./stage.ts";

/** A program that goes on is looked at so long after its start, each time after twice as long, while it changes data. */
const firstLookMs = 1000;
const lastLookMs = 600_000;

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
