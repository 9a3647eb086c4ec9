// The client's end of an SPDY connection with a fixed set of streams, each of which stands for a channel of a WebSocket.
import { dataFrame, newFrameReader, openFrame, pingFrame, type SpdyFrame } from "./frames.ts";
import { newHeaderWriter, type SpdyHeaders } from "./headers.ts";

export interface StreamsEnd {
  /** Sends bytes to the server. */
  send(bytes: Uint8Array): void;
  receive(channel: number, bytes: Uint8Array): void;
  /** Handles the server's end of a stream. */
  closed(channel: number): void;
  /** Handles the server's announcement that the connection ends. */
  left(): void;
  /** Handles bytes that are not SPDY. */
  broken(): void;
}

export interface ClientStreams {
  /** Handles bytes of the server. */
  take(bytes: Uint8Array): void;
  write(channel: number, bytes: Uint8Array): void;
  /** Ends what the client sends on a channel. */
  finish(channel: number): void;
}

const nothing = new Uint8Array();

/** Opens the streams: a channel and the headers of each. */
export function newClientStreams(
  opened: readonly (readonly [channel: number, headers: SpdyHeaders])[],
  end: StreamsEnd,
): ClientStreams {
  const readFrames = newFrameReader();
  const writeHeaders = newHeaderWriter();
  const writable = new Map<number, number>();
  const readable = new Map<number, number>();
  for (const [at, [channel, headers]] of opened.entries()) {
    // A client's stream ids are odd.
    const id = 2 * at + 1;
    writable.set(channel, id);
    readable.set(id, channel);
    end.send(openFrame(id, writeHeaders(headers)));
  }
  const close = (stream: number) => {
    const channel = readable.get(stream);
    if (channel !== undefined && readable.delete(stream)) end.closed(channel);
  };
  const handle = (frame: SpdyFrame) => {
    if (frame.type === "data") {
      const channel = readable.get(frame.stream);
      if (channel !== undefined && frame.bytes.length > 0) end.receive(channel, frame.bytes);
    }
    if (frame.type === "reset") close(frame.stream);
    else if ((frame.type === "data" || frame.type === "headers") && frame.isLast) close(frame.stream);
    // Even ids are the server's own pings.
    else if (frame.type === "ping" && frame.id % 2 === 0) end.send(pingFrame(frame.id));
    else if (frame.type === "leave") end.left();
  };
  const write = (channel: number, bytes: Uint8Array, isLast: boolean) => {
    const stream = writable.get(channel);
    if (stream !== undefined) end.send(dataFrame(stream, bytes, isLast));
  };
  return {
    take: (bytes) => {
      const frames = readFrames(bytes);
      if (!frames) return end.broken();
      for (const frame of frames) handle(frame);
    },
    write: (channel, bytes) => write(channel, bytes, false),
    finish: (channel) => {
      write(channel, nothing, true);
      writable.delete(channel);
    },
  };
}
