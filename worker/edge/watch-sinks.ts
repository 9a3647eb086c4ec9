// Where a watch's events go: a chunked body, or the client's own WebSocket with one event a frame.
import type { WatchSink } from "./watch-run.ts";

const encoder = new TextEncoder();

/** The writable end of a response's body: a write resolves when the client's connection took it. */
export function bodySink(writable: WritableStream<Uint8Array>): WatchSink {
  let writer = writable.getWriter();
  const broken = new AbortController();
  return {
    write: (events) => writer.write(encoder.encode(events)),
    pipe: async (body) => {
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

/** What a client's socket must offer; the platform's does. */
export interface ClientSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code: number, reason: string): void;
}

/** A socket has no back-pressure of its own: past `limit` bytes on their way, writing waits and looks again. */
export function socketSink(socket: ClientSocket, limit: number, signal: AbortSignal, waitMs = 50): WatchSink {
  let broken = false;
  const room = async () => {
    while (socket.bufferedAmount > limit && !broken && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    if (broken || signal.aborted) throw new Error("the client is gone");
  };
  const write = async (events: string) => {
    for (const line of events.split("\n")) {
      if (!line) continue;
      await room();
      socket.send(line);
    }
  };
  const close = (code: number, reason: string) => {
    try {
      socket.close(code, reason);
    } catch {
      // It is closed already.
    }
  };
  return {
    write,
    pipe: async (body) => {
      const decoder = new TextDecoder();
      let held = "";
      for await (const chunk of body) {
        const text = held + decoder.decode(chunk, { stream: true });
        const end = text.lastIndexOf("\n") + 1;
        held = text.slice(end);
        await write(text.slice(0, end));
      }
    },
    end: () => Promise.resolve(close(1000, "the watch has ended")),
    abort: () => {
      broken = true;
      close(1001, "the watch was broken off");
    },
  };
}
