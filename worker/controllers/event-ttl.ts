// Ends events an hour after they were last written, as the API server's `--event-ttl` does.
//
// Nothing waits for that hour: a sweep happens when an event is written and the oldest are due, so an idle cluster has no
// alarm for its events.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { events } from "../kinds/core/event/event.ts";
import type { Client } from "../registry/client.ts";
import { type Request, defineController, watch } from "../runtime/controller.ts";

const ttlMs = 3_600_000;
/** A sweep reads all events, so there is at most one in this time. */
const sweepPauseMs = 300_000;
/** Events looked at in one turn, and the pause before the next: a sweep is in no hurry and holds up no request. */
const eventsPerTurn = 200;
const turnPauseMs = 100;
const sweep: Request = { namespace: "", name: "sweep" };

/** When the next sweep is worth it. Only in memory: after waking, the first event written brings one sweep. */
const nextSweepMs = new WeakMap<Client, number>();

/** How far a sweep of several turns has come. */
interface Progress {
  readonly after: { readonly namespace: string; readonly name: string } | undefined;
  /** The oldest of the events that stay, so far. */
  readonly oldestMs: number;
}
const progress = new WeakMap<Client, Progress>();

export const eventTtlController = defineController({
  name: "event-ttl",
  user: "system:apiserver",
  component: "event-ttl",
  watches: [
    watch<Event>(events, function* (next, previous, client) {
      if (next && !previous && lastWriteMs(next) >= (nextSweepMs.get(client) ?? 0)) yield sweep;
    }),
  ],
  reconcile(_, { client, nowMs }) {
    let { after, oldestMs } = progress.get(client) ?? { after: undefined, oldestMs: nowMs };
    let seen = 0;
    for (const event of client.each(events, { after })) {
      if (++seen > eventsPerTurn) {
        progress.set(client, { after, oldestMs });
        return { afterMs: turnPauseMs };
      }
      const { namespace = "", name = "", uid = "" } = event.metadata;
      const writtenMs = lastWriteMs(event);
      if (writtenMs + ttlMs > nowMs) oldestMs = Math.min(oldestMs, writtenMs);
      else client.tryDelete(events, namespace, name, { uid });
      after = { namespace, name };
    }
    progress.delete(client);
    nextSweepMs.set(client, Math.max(nowMs + sweepPauseMs, oldestMs + ttlMs));
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
