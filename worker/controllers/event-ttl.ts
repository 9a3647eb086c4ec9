// Ends events an hour after they were last written, as the API server's `--event-ttl` does.
//
// Nothing waits for that hour: a sweep happens when an event is written and the oldest are due, so an idle cluster has no
// alarm for its events.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { events } from "../kinds/core/event/event.ts";
import { type Request, defineController, watch } from "../runtime/controller.ts";

const ttlMs = 3_600_000;
/** A sweep reads all events, so there is at most one in this time. */
const sweepPauseMs = 300_000;
/** Events read in one reconcile, and the pause before the next: a sweep holds up no other request. */
const eventsPerReconcile = 200;
const reconcilePauseMs = 100;
const sweep: Request = { namespace: "", name: "sweep" };

interface Memory {
  /** When the next sweep is worth it; 0 after waking, so that the first event that is written brings one. */
  nextSweepMs: number;
  /** Where a sweep of several reconciles goes on. */
  progress: Progress | undefined;
}

interface Progress {
  readonly after: { readonly namespace: string; readonly name: string } | undefined;
  /** The oldest of the events that stay, so far. */
  readonly oldestMs: number;
}

export const eventTtlController = defineController({
  name: "event-ttl",
  user: "system:apiserver",
  component: "event-ttl",
  memory: (): Memory => ({ nextSweepMs: 0, progress: undefined }),
  watches: [
    watch<Event, Memory>(events, function* (next, previous, _client, { nextSweepMs }) {
      if (next && !previous && lastWriteMs(next) >= nextSweepMs) yield sweep;
    }),
  ],
  reconcile(_, { client, nowMs, memory }) {
    let { after, oldestMs } = memory.progress ?? { after: undefined, oldestMs: nowMs };
    let seen = 0;
    for (const event of client.each(events, { after })) {
      if (++seen > eventsPerReconcile) {
        memory.progress = { after, oldestMs };
        return { afterMs: reconcilePauseMs };
      }
      const { namespace = "", name = "", uid = "" } = event.metadata;
      const writtenMs = lastWriteMs(event);
      if (writtenMs + ttlMs > nowMs) oldestMs = Math.min(oldestMs, writtenMs);
      else client.tryDelete(events, namespace, name, { uid });
      after = { namespace, name };
    }
    memory.progress = undefined;
    memory.nextSweepMs = Math.max(nowMs + sweepPauseMs, oldestMs + ttlMs);
    return undefined;
  },
});

/** The latest time that an event carries. */
export function lastWriteMs(event: Event): number {
  const times = [
    event.metadata.creationTimestamp,
    event.lastTimestamp,
    event.eventTime,
    event.series?.lastObservedTime,
    ...(event.metadata.managedFields ?? []).map(({ time }) => time),
  ];
  return Math.max(0, ...times.map((time) => (time ? parseTime(time) : 0)).filter((ms) => !Number.isNaN(ms)));
}
