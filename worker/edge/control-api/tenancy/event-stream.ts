// Streams a tenant's events: a response that stays open. The tenant's object signals events on a hibernatable socket, so a tenant without
// events sleeps.
import { eventLimits } from "../../../../shared/base/share-limits.ts";
import { problemOf } from "../../../../shared/contract/error.ts";
import { type EventsQuery, lessonEventTypes } from "../../../../shared/contract/hosted/webhook.ts";
import type { EventStep, RecordedEvent } from "../../../../shared/contract/tenant-object.ts";
import { newNewsLine, type NewsLine, pauseAtLeast } from "../../logs/news-line.ts";
import { authenticate } from "../access/authenticate.ts";
import { requireScope } from "../access/caller.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { eventStreamType } from "../routes/past/followed-timeline.ts";
import type { RouteCall } from "../route.ts";
import { requireActive, standingOf } from "./plans.ts";

type EventsCall = RouteCall<EventsQuery, unknown>;

/** Throws a `ControlError` if the events cannot be followed. Events that happen after the response has begun are not missed. */
export async function followEvents(call: EventsCall): Promise<Response> {
  const { controlApi, tenantId, signal } = call;
  const after = positionIn(call);
  const line = newNewsLine(() => controlApi.followTenant(tenantId));
  await line.open();
  if (!line.isOpen()) {
    const message = `the organisation has ${eventLimits.streams} open streams of events, as many as may be: end one of them`;
    throw new ControlError(409, "limit_exceeded", message);
  }
  let first: EventStep;
  try {
    first = await controlApi.tenant(tenantId).events(after);
  } catch (error) {
    line.close();
    throw error;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const gone = AbortSignal.any([signal, AbortSignal.timeout(eventLimits.streamMs)]);
  void pump(call, { first, line, gone }, writable).finally(() => line.close());
  // The encoding is set because a compressing proxy would delay events.
  return new Response(readable, { headers: { "content-type": eventStreamType, "content-encoding": "identity" } });
}

/** Returns the id of the last event that the client has. A reconnecting client sends it as a header. */
function positionIn({ headers, query }: EventsCall): number | undefined {
  const header = headers.get("last-event-id");
  if (header === null || header === "") return query.after;
  if (!/^\d{1,15}$/.test(header)) throw invalidField("Last-Event-ID", "is not the id of an event");
  return Number(header);
}

interface Stream {
  readonly first: EventStep;
  readonly line: NewsLine;
  readonly gone: AbortSignal;
}

const encoder = new TextEncoder();
const pause = pauseAtLeast(eventLimits.stepPauseMs);

/** Writes events until the client disconnects, its credential or the tenant ends, or the time is over. Never rejects. */
async function pump(call: EventsCall, { first, line, gone }: Stream, writable: WritableStream<Uint8Array>) {
  const { controlApi, tenantId } = call;
  const writer = writable.getWriter();
  const write = (text: string) => (text === "" ? undefined : writer.write(encoder.encode(text)));
  const encode = encoderFor(call);
  let checkedMs = controlApi.nowMs();
  let hasLeft = false;
  void writer.closed.catch(() => {
    hasLeft = true;
  });
  try {
    let step = first;
    await write(`: follows\n\n${encode(step)}`);
    for (;;) {
      if (!step.hasMore && !(await pause(eventLimits.aliveMs, line.news, gone))) break;
      if (gone.aborted || line.hasEnded()) break;
      if (controlApi.nowMs() - checkedMs >= eventLimits.aliveMs) {
        await requireStillAllowed(call);
        checkedMs = controlApi.nowMs();
      }
      if (!line.isOpen()) await line.open();
      else if (!step.hasMore && !line.news.isThere) {
        // The id moves on over events that the client does not want, so that a reconnecting client does not read them again.
        await write(`: waits\nid: ${step.last}\n\n`);
        continue;
      }
      line.news.isThere = false;
      step = await controlApi.tenant(tenantId).events(step.last);
      await write(encode(step));
    }
  } catch (error) {
    if (!hasLeft) await Promise.resolve(write(encodeFailure(call, error))).catch(() => undefined);
  }
  await writer.close().catch(() => undefined);
}

/** Throws if the credential was revoked, its scope was taken away, or the tenant was suspended meanwhile. */
async function requireStillAllowed({ controlApi, caller, headers }: EventsCall): Promise<void> {
  const now = await authenticate(controlApi, { method: "GET", headers });
  if (now.tenantId !== caller.tenantId) throw new ControlError(401, "unauthorized", "the credential has changed");
  requireScope(now, "sandboxes:read");
  for (const scope of ["lessons:read"] as const) if (caller.scopes.has(scope)) requireScope(now, scope);
  requireActive(await standingOf(controlApi, caller.tenantId));
}

function encoderFor({ query, caller }: EventsCall): (step: EventStep) => string {
  const lessonTypes: readonly string[] = lessonEventTypes;
  const types = query.type?.map(String);
  const isSelected = ({ event: { type, data } }: RecordedEvent) =>
    (types?.includes(type) ?? true) &&
    (query.sandbox === undefined || query.sandbox === (data.sandbox?.id ?? data.lesson?.sandbox)) &&
    (caller.scopes.has("lessons:read") || !lessonTypes.includes(type));
  return ({ events, isTruncated }) => {
    const gap = isTruncated ? `event: truncated\ndata: ${JSON.stringify({ before: events[0]?.seq ?? null })}\n\n` : "";
    const selected = events.filter(isSelected);
    return gap + selected.map(({ seq, event }) => `id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  };
}

function encodeFailure({ controlApi }: EventsCall, error: unknown): string {
  const { status, code, message } =
    error instanceof ControlError
      ? error
      : ({ status: 500, code: "internal", message: "the stream broke off: follow the events again" } as const);
  if (!(error instanceof ControlError)) controlApi.report(error, "a stream of events");
  return `event: error\ndata: ${JSON.stringify(problemOf(status, { code, message }))}\n\n`;
}
