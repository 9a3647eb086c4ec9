// What becomes of one more event: upstream's `EventCorrelator`. Equal ones are counted, many alike are combined, too many dropped.
//
// Upstream keeps this in memory; here it follows from the events about the object that are there.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../shared/k8s/time.ts";

const defaultAggregateMaxEvents = 10;
const defaultAggregateIntervalMs = 600_000;
/** What one source may record about one object. */
const defaultSpamBurst = 25;
const defaultSpamRefillMs = 300_000;
const combinedPrefix = "(combined from similar events): ";

export interface Occurrence {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

/** Count an event once more, write a new one, or nothing. */
export type Correlation =
  | { readonly again: Event; readonly message: string }
  | { readonly message: string }
  | { readonly dropped: true };

/** `known` are the events that the same source has written about the same object. */
export function correlate(known: readonly Event[], occurrence: Occurrence, nowMs: number): Correlation {
  if (isSpam(known, nowMs)) return { dropped: true };
  const { type, reason, message, fieldPath } = occurrence;
  const equal = known.find(
    (event) => event.message === message && isAlike(event, occurrence) && event.involvedObject.fieldPath === fieldPath,
  );
  if (equal) return { again: equal, message };
  const alike = known.filter((event) => isAlike(event, { type, reason }));
  const latestMs = Math.max(...alike.map(({ lastTimestamp }) => timeMs(lastTimestamp)));
  const separate = alike.filter(({ message: told }) => !isCombined(told));
  if (separate.length + 1 < defaultAggregateMaxEvents || nowMs - latestMs > defaultAggregateIntervalMs)
    return { message };
  const combined = alike.find(({ message: told }) => isCombined(told));
  return combined ? { again: combined, message: combinedPrefix + message } : { message: combinedPrefix + message };
}

export function isCombined(message: string | undefined): boolean {
  return message?.startsWith(combinedPrefix) ?? false;
}

function isAlike(event: Event, { type, reason }: Pick<Occurrence, "type" | "reason">): boolean {
  return event.type === type && event.reason === reason;
}

/** A burst, then one more for each five minutes since. */
function isSpam(known: readonly Event[], nowMs: number): boolean {
  if (known.length === 0) return false;
  const told = known.reduce((sum, { count }) => sum + (count ?? 1), 0);
  const firstMs = Math.min(...known.map(({ firstTimestamp }) => timeMs(firstTimestamp)));
  return told >= defaultSpamBurst + Math.floor((nowMs - firstMs) / defaultSpamRefillMs);
}

function timeMs(time: string | null | undefined): number {
  return time ? parseTime(time) : 0;
}
