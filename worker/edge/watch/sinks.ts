// Where a watch's events go: a chunked body, or the client's own WebSocket with one event a frame.
import type { WatchSink } from "./run.ts";
import { withLength } from "./frames.ts";

const encoder = new TextEncoder();

/** What a line of the cluster is for the client, where it is not the line itself. */
export type Frame = (line: string) => Uint8Array;

/** The newest events, as text (no frame) and in frames. */
const newest = new Map<Frame | undefined, { readonly events: string; readonly bytes: Uint8Array }>();

/**
 * A change goes to its watchers one after the other: all of a form are sent the same bytes, which nobody changes. There are as many forms
 * as functions that frame.
 */
function bytesOf(events: string, frame: Frame | undefined): Uint8Array {
  const known = newest.get(frame);
  if (known?.events === events) return known.bytes;
  const bytes = frame ? withLength(linesOf(events).map(frame)) : encoder.encode(events);
  newest.set(frame, { events, bytes });
  return bytes;
}

/** The writable end of a response's body: a write resolves when the client's connection took it. */
export function bodySink(writable: WritableStream<Uint8Array>, frame?: Frame): WatchSink {
  let writer = writable.getWriter();
  const broken = new AbortController();
  const write = (events: string) => writer.write(bytesOf(events, frame));
  return {
    write,
    pipe: async (body) => {
      if (frame) return eachPart(body, write);
      // The platform pipes bytes without showing each chunk to a script.
      writer.releaseLock();
      try {
        await body.pipeTo(writable, { preventClose: true, signal: broken.signal });
      } finally {
        writer = writable.getWriter();
      }
    },
    end: () => writer.close(),
    abort: () => {
      broken.abort();
      // While a body is piped this writer has no lock, and the signal alone ends the pipe.
      writer.abort("the watch was broken off").catch(() => undefined);
    },
  };
}

/** What a client's socket must offer. The platform's tells nothing of what waits in it, whatever its types say. */
export interface ClientSocket {
  send(message: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

/**
 * A socket has no back-pressure: a client that does not read costs all that is sent. So beside what there was at first it carries
 * only `limit` characters, and then the watch is broken off; its client comes back with the revision that it has seen. `sent` is told of
 * all that it carries.
 */
export function socketSink(
  socket: ClientSocket,
  limit: number,
  signal: AbortSignal,
  { frame, sent = () => undefined }: { readonly frame?: Frame | undefined; sent?(bytes: number): void } = {},
): WatchSink {
  let broken = false;
  let left = limit;
  let isFirst = true;
  const send = (lines: string) => {
    for (const line of linesOf(lines)) {
      if (broken || signal.aborted) throw new Error("the client is gone");
      socket.send(frame ? frame(line) : line);
      sent(line.length);
    }
  };
  const write = (lines: string) => {
    left -= lines.length;
    if (left < 0) throw new Error("the socket has carried enough");
    send(lines);
  };
  const close = (code: number, reason: string) => {
    try {
      socket.close(code, reason);
    } catch {
      // It is closed already.
    }
  };
  return {
    write: async (lines) => write(lines),
    pipe: async (body) => {
      const isPast = isFirst;
      isFirst = false;
      await eachPart(body, async (lines) => (isPast ? send(lines) : write(lines)));
    },
    end: () => Promise.resolve(close(1000, "the watch has ended")),
    abort: () => {
      broken = true;
      close(1001, "the watch was broken off");
    },
  };
}

function linesOf(events: string): string[] {
  return events.split("\n").filter(Boolean);
}

/** A body in parts that end with a line. */
async function eachPart(body: ReadableStream<Uint8Array>, write: (lines: string) => Promise<void>): Promise<void> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of body) {
    const text = held + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    held = text.slice(end);
    if (end > 0) await write(text.slice(0, end));
  }
}
