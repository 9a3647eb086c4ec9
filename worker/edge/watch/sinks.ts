// The destinations of a watch's events: a chunked body, or the client's WebSocket with one event in a frame.
import type { WatchSink } from "./run.ts";
import { withLength } from "./frames.ts";

const encoder = new TextEncoder();

/** Encodes a line of the cluster for the client. */
export type Frame = (line: string) => Uint8Array;

/** The newest events with their encoding, for each frame function. */
const newest = new Map<Frame | undefined, { readonly events: string; readonly bytes: Uint8Array }>();

/**
 * Encodes events. A change goes to all watchers in a row, so the bytes of the newest events are shared and never modified. There are as
 * many entries as frame functions.
 */
function bytesOf(events: string, frame: Frame | undefined): Uint8Array {
  const cached = newest.get(frame);
  if (cached?.events === events) return cached.bytes;
  const bytes = frame ? withLength(linesOf(events).map(frame)) : encoder.encode(events);
  newest.set(frame, { events, bytes });
  return bytes;
}

/** The writable end of a response's body. A write resolves when the client's connection has accepted it. */
export function bodySink(writable: WritableStream<Uint8Array>, frame?: Frame): WatchSink {
  let writer = writable.getWriter();
  const broken = new AbortController();
  const write = (events: string) => writer.write(bytesOf(events, frame));
  return {
    write,
    pipe: async (body) => {
      if (frame) return eachPart(body, write);
      // The platform pipes bytes without running a script for each chunk.
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
      // While a body is piped, the writer has no lock, and only the signal ends the pipe.
      writer.abort("the watch was broken off").catch(() => undefined);
    },
  };
}

/** The operations of a client's socket. The platform's socket does not report buffered data, despite its types. */
export interface ClientSocket {
  send(message: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

/**
 * Writes to a socket, which has no back-pressure: unread data accumulates. After the initial events it carries only `limit` characters
 * before the watch is aborted. The client resumes at its last revision. `sent` receives the number of all characters.
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
      // The socket is closed already.
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

/** Splits a body at the ends of lines. */
async function eachPart(body: ReadableStream<Uint8Array>, write: (lines: string) => Promise<void>): Promise<void> {
  const decoder = new TextDecoder();
  let incompleteLine = "";
  for await (const chunk of body) {
    const text = incompleteLine + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    incompleteLine = text.slice(end);
    if (end > 0) await write(text.slice(0, end));
  }
}
