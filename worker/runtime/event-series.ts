// Events as the API group events.k8s.io records them: the same one again makes a series of it (upstream: client-go's `tools/events`).
//
// Upstream keeps the series in memory and writes it from time to time; here it is found among the events that are there.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { parseTime } from "../../shared/k8s/time.ts";

/** An event that comes this long after the last one like it begins anew. */
const finishTimeMs = 360_000;

export type NewEvent = Pick<Event, "type" | "action" | "reason" | "reportingComponent" | "reportingInstance"> &
  Pick<Event, "involvedObject" | "related">;

/** The event that this one repeats, with its series; undefined for one that is new. What it says plays no part. */
export function repeated(near: readonly Event[], event: NewEvent, nowMs: number, now: string): Event | undefined {
  const found = near.findLast((one) => isSame(one, event) && nowMs - lastSeenMs(one) <= finishTimeMs);
  return found && { ...found, series: { count: (found.series?.count ?? 1) + 1, lastObservedTime: now } };
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
