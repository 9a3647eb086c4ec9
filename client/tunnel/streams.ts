// Streams answers through a tunnel in pieces. Each is read no faster than its receiver consumes it. An upgraded connection also carries the
// client's bytes to the server, which are confirmed as the server takes them.
import {
  pieceBytes,
  streamWindowBytes,
  type TunnelOrder,
  type TunnelPiece,
  type TunnelCall,
} from "../../shared/contract/tunnel.ts";
import { begin, type Begun } from "./perform.ts";

export interface Streams {
  open(question: TunnelCall): Promise<void>;
  order(order: TunnelOrder): void;
  /** Ends all streams, because the tunnel is closed. */
  end(): void;
}

interface Stream {
  readonly gone: AbortController;
  /** The number of bytes that may be sent. */
  room: number;
  wake(): void;
  /** Sends the client's bytes to the server of an upgraded connection. */
  write?(bytes: Buffer): void;
  /** The client's bytes that the server has not taken yet. */
  pending: number;
}

/** The maximum of open streams. A sandbox has 1,000 watches and 200 sessions by default. */
const mostStreams = 2_000;

export function newStreams(
  socket: Pick<WebSocket, "send" | "readyState">,
  to: string,
  { say, trusted }: { say(text: string): void; readonly trusted: readonly string[] | undefined },
): Streams {
  const streams = new Map<string, Stream>();
  const tell = (piece: TunnelPiece) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(piece));
  };
  const run = async (question: TunnelCall, stream: Stream) => {
    const { id, method, path } = question;
    const begun = await begin(question, to, trusted, stream.gone.signal);
    say(`${method} ${path} ${"error" in begun ? begun.error : begun.status}`);
    if ("error" in begun) return tell({ id, error: begun.error });
    const { status, headers, body } = begun;
    connect(stream, body, (took) => tell({ id, took }));
    tell({ id, status, headers });
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; at += pieceBytes) {
          const piece = chunk.subarray(at, at + pieceBytes);
          while (stream.room <= 0) await roomOf(stream);
          stream.room -= piece.length;
          tell({ id, piece: piece.toString("base64") });
        }
      }
      tell({ id, end: true });
    } catch {
      tell({ id, error: "unexpected EOF" });
    }
  };
  return {
    open: async (question) => {
      if (streams.size >= mostStreams) return tell({ id: question.id, error: "the tunnel has too many streams" });
      const stream: Stream = {
        gone: new AbortController(),
        room: streamWindowBytes,
        wake: () => undefined,
        pending: 0,
      };
      streams.set(question.id, stream);
      await run(question, stream);
      streams.delete(question.id);
    },
    order: (order) => {
      const stream = streams.get(order.id);
      if (!stream) return;
      if ("piece" in order) return stream.write?.(Buffer.from(order.piece, "base64"));
      if ("stop" in order) stream.gone.abort();
      else stream.room += order.took;
      stream.wake();
    },
    end: () => {
      for (const stream of streams.values()) {
        stream.gone.abort();
        stream.wake();
      }
    },
  };
}

/** Lets the client's bytes through to the server, if the connection was upgraded. A client that ignores its window is disconnected. */
function connect(stream: Stream, body: Begun["body"], took: (bytes: number) => void): void {
  if (!("write" in body)) return;
  stream.write = (bytes) => {
    stream.pending += bytes.length;
    if (stream.pending > 2 * streamWindowBytes) return stream.gone.abort();
    body.write(bytes, (error) => {
      stream.pending -= bytes.length;
      if (!error) took(bytes.length);
    });
  };
}

/** Resolves when more bytes may be sent. Rejects when the receiver no longer reads. */
function roomOf(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.wake = () => (stream.gone.signal.aborted ? reject(new Error("nobody wants the rest")) : resolve());
    if (stream.gone.signal.aborted) stream.wake();
  });
}
