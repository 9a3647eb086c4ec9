// Decides whether an event is counted, combined or dropped, as upstream's `EventCorrelator` does. Upstream has the state in memory; here it
// is derived from the stored events about the object.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../shared/k8s/time.ts";

const defaultAggregateMaxEvents = 10;
const defaultAggregateIntervalMs = 600_000;
/** The number of events that one source may record about one object in a burst. */
const defaultSpamBurst = 25;
const defaultSpamRefillMs = 300_000;
const combinedPrefix = "(combined from similar events): ";

export interface Occurrence {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

/** The action for an event: count it, write a new one, or drop it. */
export type Correlation =
  | { readonly again: Event; readonly message: string }
  | { readonly message: string }
  | { readonly dropped: true };

/** Correlates an occurrence with `earlierEvents`, the events of the same source about the same object. */
export function correlate(earlierEvents: readonly Event[], occurrence: Occurrence, nowMs: number): Correlation {
  if (isSpam(earlierEvents, nowMs)) return { dropped: true };
  const { type, reason, message, fieldPath } = occurrence;
  const equal = earlierEvents.find(
    (event) => event.message === message && isAlike(event, occurrence) && event.involvedObject.fieldPath === fieldPath,
  );
  if (equal) return { again: equal, message };
  const alike = earlierEvents.filter((event) => isAlike(event, { type, reason }));
  const latestMs = Math.max(...alike.map(({ lastTimestamp }) => timeMs(lastTimestamp)));
  const separate = alike.filter(({ message: text }) => !isCombined(text));
  if (separate.length + 1 < defaultAggregateMaxEvents || nowMs - latestMs > defaultAggregateIntervalMs)
    return { message };
  const combined = alike.find(({ message: text }) => isCombined(text));
  return combined ? { again: combined, message: combinedPrefix + message } : { message: combinedPrefix + message };
}

export function isCombined(message: string | undefined): boolean {
  return message?.startsWith(combinedPrefix) ?? false;
}

function isAlike(event: Event, { type, reason }: Pick<Occurrence, "type" | "reason">): boolean {
  return event.type === type && event.reason === reason;
}

/** Reports whether the burst is used up. After the burst, one event is allowed every five minutes. */
function isSpam(earlierEvents: readonly Event[], nowMs: number): boolean {
  if (earlierEvents.length === 0) return false;
  const count = earlierEvents.reduce((total, { count }) => total + (count ?? 1), 0);
  const firstMs = Math.min(...earlierEvents.map(({ firstTimestamp }) => timeMs(firstTimestamp)));
  return count >= defaultSpamBurst + Math.floor((nowMs - firstMs) / defaultSpamRefillMs);
}

function timeMs(time: string | null | undefined): number {
  return time ? parseTime(time) : 0;
}
