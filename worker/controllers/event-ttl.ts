// Deletes events an hour after their last write, as the API server's `--event-ttl` does. There is no timer: a sweep runs when an event is
// written and the oldest are due. An idle cluster needs no alarm for its events.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { events } from "../kinds/core/event/event.ts";
import { type Request, defineController, watch } from "../runtime/controller.ts";

const ttlMs = 3_600_000;
/** The minimum time between sweeps, since a sweep reads all events. */
const sweepPauseMs = 300_000;
/** The number of events that one reconcile reads, and the pause before the next, so that a sweep does not block other requests. */
const eventsPerReconcile = 200;
const reconcilePauseMs = 100;
const sweep: Request = { namespace: "", name: "sweep" };

interface Memory {
  /** The time of the next useful sweep. 0 after a start, so that the first written event triggers one. */
  nextSweepMs: number;
  /** The position of a sweep over several reconciles. */
  progress: Progress | undefined;
}

interface Progress {
  readonly after: { readonly namespace: string; readonly name: string } | undefined;
  /** The time of the oldest remaining event so far. */
  readonly oldestMs: number;
}

export const eventTtlController = defineController({
  name: "event-ttl",
  user: "system:apiserver",
  component: "event-ttl",
  memory: (): Memory => ({ nextSweepMs: 0, progress: undefined }),
  memoryFormat: {
    save: (memory) => memory,
    // `save` wrote it.
    restore: (memory, saved) => void Object.assign(memory, saved as Memory),
  },
  watches: [
    watch<Event, Memory>(events, function* (next, previous, _client, { nextSweepMs }) {
      if (next && !previous && lastWriteMs(next) >= nextSweepMs) yield sweep;
    }),
  ],
  reconcile(_, { client, nowMs, memory }) {
    let { after, oldestMs } = memory.progress ?? { after: undefined, oldestMs: nowMs };
    let readCount = 0;
    for (const event of client.each(events, { after })) {
      if (++readCount > eventsPerReconcile) {
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

/** Returns the latest time of an event. */
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
