// Finds the series of an event of the API group events.k8s.io (upstream: client-go's `tools/events`). Upstream has the series in memory and
// writes it periodically; here it is found among the stored events.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { parseTime, rfc3339Micro } from "../../shared/k8s/time.ts";

/** The time after which a repeated event starts a new series. */
const finishTimeMs = 360_000;

export type NewEvent = Pick<Event, "type" | "action" | "reason" | "reportingComponent" | "reportingInstance"> &
  Pick<Event, "involvedObject" | "related">;

/**
 * Returns the stored event that this one repeats, with its series continued; undefined for a new event. `storedEvents` are those about
 * objects of the same name, in the order of their names, of which the last match counts. The message is not compared.
 */
export function repetitionOf(storedEvents: readonly Event[], event: NewEvent, nowMs: number): Event | undefined {
  const repeatedEvent = storedEvents.findLast(
    (candidate) => isSame(candidate, event) && nowMs - lastSeenMs(candidate) <= finishTimeMs,
  );
  return (
    repeatedEvent && {
      ...repeatedEvent,
      series: { count: (repeatedEvent.series?.count ?? 1) + 1, lastObservedTime: rfc3339Micro(nowMs) },
    }
  );
}

function isSame(a: NewEvent, b: NewEvent): boolean {
  return (
    a.type === b.type &&
    a.action === b.action &&
    a.reason === b.reason &&
    a.reportingComponent === b.reportingComponent &&
    a.reportingInstance === b.reportingInstance &&
    semanticEqual(a.involvedObject, b.involvedObject) &&
    semanticEqual(a.related, b.related)
  );
}

function lastSeenMs({ series, eventTime }: Event): number {
  const time = series?.lastObservedTime ?? eventTime;
  return time ? parseTime(time) : 0;
}
