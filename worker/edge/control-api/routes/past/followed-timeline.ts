// Follows a sandbox's timeline: a response that stays open. The cluster signals changes on a hibernatable socket, so a followed cluster that
// does nothing sleeps.
import { limits } from "../../../../../shared/base/limits.ts";
import type { TimelineEntry, TimelineQuery, TimelineStep } from "../../../../../shared/contract/cluster/past.ts";
import { internalHeaders } from "../../../../../shared/contract/cluster-object.ts";
import { timelineLine } from "../../../../../shared/state/timeline-text.ts";
import { newNewsLine, type NewsLine, pauseAtLeast } from "../../../logs/news-line.ts";
import { ControlError } from "../../control-error.ts";
import type { ControlApiServer } from "../../server.ts";
import { refusalError } from "../../states.ts";

export const eventStreamType = "text/event-stream";
export const jsonLinesType = "application/jsonl";
export const textType = "text/plain; charset=UTF-8";
const streamTypes = [eventStreamType, jsonLinesType, textType] as const;

export type StreamType = (typeof streamTypes)[number];

export interface TimelineFollowing {
  readonly controlApi: ControlApiServer;
  readonly id: string;
  readonly query: TimelineQuery;
  readonly type: StreamType;
  /** The revision of the last entry that the client has, from `Last-Event-ID`. */
  readonly lastRevision: number | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Throws a `ControlError` if the sandbox cannot be followed. The first step is complete when the response begins. */
export async function followTimeline(following: TimelineFollowing): Promise<Response> {
  const { query, type, lastRevision } = following;
  if (query.until !== undefined)
    throw new ControlError(400, "invalid_field", "until: a timeline that is followed has no end", "until");
  const line = newNewsLine(() => joinChanges(following));
  await requireJoined(line, following);
  const sent = new SentEntries();
  const ask = (from: StepStart) => askStep(following, from, sent);
  let first: TimelineStep;
  try {
    first = await ask({ revision: lastRevision });
  } catch (error) {
    line.close();
    throw error;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const gone = AbortSignal.any([following.signal, AbortSignal.timeout(limits.timelineFollowMs)]);
  void pump(first, writable, { line, ask, encode: encoderOf(type, sent), type, gone }).finally(() => line.close());
  // The encoding is set because a compressing proxy would delay entries.
  return new Response(readable, { headers: { "content-type": type, "content-encoding": "identity" } });
}

/** The revisions that a client has, each with the number of causes above it. Bounded: the oldest are forgotten. */
class SentEntries {
  readonly #depths = new Map<number, number>();

  get revisions(): readonly number[] {
    return [...this.#depths.keys()];
  }

  /** Adds an entry and returns the number of causes above it. */
  add({ revision, causedBy, change }: TimelineEntry): number {
    // A fault has no effects in the log, and the revision of another entry.
    if (change === "fault") return 0;
    const above = causedBy === undefined ? undefined : this.#depths.get(causedBy);
    const depth = above === undefined ? 0 : above + 1;
    this.#depths.set(revision, depth);
    for (const oldest of this.#depths.keys()) {
      if (this.#depths.size <= limits.timelineRemembered) break;
      this.#depths.delete(oldest);
    }
    return depth;
  }
}

/** The end of the step before: the client has everything up to it. */
type StepStart = Partial<Pick<TimelineStep, "injection">> & { readonly revision: number | undefined };

async function joinChanges({ controlApi, id }: TimelineFollowing): Promise<Response> {
  const headers = { upgrade: "websocket", [internalHeaders.lifeline]: "changes" };
  return controlApi.askCluster(id, "/", { headers });
}

/** Opens the socket of changes before anything is read, so that no change is missed. */
async function requireJoined(line: NewsLine, { id }: TimelineFollowing): Promise<void> {
  await line.open();
  if (line.isOpen()) return;
  const message = `as many clients follow sandbox ${id} as may: end one of them, or ask without follow`;
  throw new ControlError(409, "limit_exceeded", message);
}

async function askStep(
  { controlApi, id, query }: TimelineFollowing,
  { revision: after, injection }: StepStart,
  sent: SentEntries,
): Promise<TimelineStep> {
  const step = await controlApi.cluster(id).followTimeline({ query, after, injection, sent: sent.revisions });
  if (!step.ok) throw refusalError(step);
  return step;
}

interface Pumped {
  readonly line: NewsLine;
  readonly type: StreamType;
  readonly gone: AbortSignal;
  ask(from: StepStart): Promise<TimelineStep>;
  encode(step: TimelineStep): string;
}

const encoder = new TextEncoder();
const pause = pauseAtLeast(limits.timelineStepPauseMs);

/** Writes steps until the client disconnects, the sandbox ends or the time is over. Never rejects. */
async function pump(
  first: TimelineStep,
  writable: WritableStream<Uint8Array>,
  { line, type, gone, ask, encode }: Pumped,
): Promise<void> {
  const writer = writable.getWriter();
  const write = (text: string) => (text === "" ? undefined : writer.write(encoder.encode(text)));
  try {
    let step = first;
    await write(type === eventStreamType ? `: follows\n\n${encode(step)}` : encode(step));
    for (;;) {
      if (!step.hasMore && !(await pause(limits.timelineAliveMs, line.news, gone))) break;
      if (line.hasEnded()) break;
      if (!line.isOpen()) await line.open();
      else if (!step.hasMore && !line.news.isThere) {
        await write(aliveOf(type));
        continue;
      }
      line.news.isThere = false;
      step = await ask(step);
      await write(encode(step));
    }
  } catch (error) {
    await Promise.resolve(write(encodeFailure(type, error))).catch(() => undefined);
  }
  await writer.close().catch(() => undefined);
}

/** The sign of life of a silent stream, by which a proxy and a client notice a broken connection. Text for people has none. */
function aliveOf(type: StreamType): string {
  if (type === eventStreamType) return ": waits\n\n";
  return type === jsonLinesType ? "\n" : "";
}

function encoderOf(type: StreamType, sent: SentEntries): (step: TimelineStep) => string {
  return ({ entries, truncated }) => {
    const gap = truncated ? encodeGap(type, entries[0]) : "";
    return gap + entries.map((entry) => encodeEntry(type, entry, sent.add(entry))).join("");
  };
}

function encodeEntry(type: StreamType, entry: TimelineEntry, depth: number): string {
  if (type === textType) return `${timelineLine(entry, depth)}\n`;
  const json = JSON.stringify(entry);
  return type === jsonLinesType ? `${json}\n` : `id: ${entry.revision}\ndata: ${json}\n\n`;
}

/** Says that earlier entries are left out. */
function encodeGap(type: StreamType, first: TimelineEntry | undefined): string {
  if (type === textType) return "...\n";
  const json = JSON.stringify({ truncated: true, before: first?.revision ?? null });
  return type === jsonLinesType ? `${json}\n` : `event: truncated\ndata: ${json}\n\n`;
}

function encodeFailure(type: StreamType, error: unknown): string {
  const { code, message } =
    error instanceof ControlError ? error : { code: "internal", message: "the timeline broke off: follow it again" };
  if (type === textType) return `${message}\n`;
  const json = JSON.stringify({ error: { code, message } });
  return type === jsonLinesType ? `${json}\n` : `event: error\ndata: ${json}\n\n`;
}
