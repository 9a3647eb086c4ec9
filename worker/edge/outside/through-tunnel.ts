// A response through a tunnel: a socket of the cluster becomes a body, and the tunnel learns how much of it was consumed.
import { tryBytesOfBase64 } from "../../../shared/base/base64.ts";
import { deadlineExceeded } from "../../../shared/base/fetch-failures.ts";
import { pieceBytes, streamWindowBytes, type TunnelOrder, type TunnelPiece } from "../../../shared/contract/tunnel.ts";
import type { Answered, Carried, Failed } from "./carried.ts";

/** The time by which the command at the far end gives up earlier, with a better reason. */
const graceMs = 1_000;

/** `join` opens the socket, or is refused. `timeoutMs`: the time within which the response must begin. */
export async function askThroughTunnel(
  join: () => Promise<Response>,
  client: AbortSignal,
  timeoutMs: number,
): Promise<Carried | Failed> {
  const joined = await join();
  const { webSocket: socket } = joined;
  if (!socket) return { refused: joined };
  const { promise, resolve } = Promise.withResolvers<Answered | Failed>();
  const stream = newStream(socket, resolve);
  client.addEventListener("abort", stream.leave, { once: true });
  if (client.aborted) stream.leave();
  const timer = setTimeout(() => stream.broken(deadlineExceeded), timeoutMs + graceMs);
  return promise.finally(() => clearTimeout(timer));
}

function newStream(socket: WebSocket, begin: (how: Answered | Failed) => void) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // The write that fails reports the error, so ignore these promises.
  for (const promise of [writer.closed, writer.ready]) promise.catch(() => undefined);
  let untold = 0;
  /** The bytes that have arrived and are not consumed. */
  let waiting = 0;
  let isOver = false;
  let done = Promise.resolve();
  const close = () => {
    isOver = true;
    try {
      socket.close(1000, "");
    } catch {
      // The socket is closed already.
    }
  };
  const leave = () => {
    begin({ error: "context canceled" });
    void writer.abort("the client is gone").catch(() => undefined);
    close();
  };
  const take = async (bytes: Uint8Array) => {
    await writer.write(bytes);
    waiting -= bytes.length;
    untold += bytes.length;
    if (untold < streamWindowBytes / 2 || isOver) return;
    socket.send(JSON.stringify({ id: "", took: untold } satisfies TunnelOrder));
    untold = 0;
  };
  const hear = (piece: TunnelPiece) => {
    if ("took" in piece) return;
    if ("status" in piece) {
      if (piece.status < 200) return broken(`unexpected status ${piece.status}`);
      begin({ status: piece.status, headers: piece.headers, body: readable });
    } else if ("piece" in piece) {
      const bytes = tryBytesOfBase64(piece.piece);
      waiting += bytes?.length ?? 0;
      if (!bytes || waiting > streamWindowBytes + pieceBytes) return broken("the tunnel does not keep to its protocol");
      done = done.then(() => take(bytes)).catch(leave);
    } else if ("error" in piece) broken(piece.error);
    else {
      close();
      done = done.then(() => writer.close()).catch(() => undefined);
    }
  };
  const broken = (why: string) => {
    if (isOver) return;
    close();
    begin({ error: why });
    // Abort the body, because a partial response must not look complete.
    done = done.then(() => writer.abort(why)).catch(() => undefined);
  };
  socket.addEventListener("message", ({ data }) => {
    // The cluster has validated the message.
    if (typeof data === "string") hear(JSON.parse(data) as TunnelPiece);
  });
  for (const type of ["close", "error"] as const) socket.addEventListener(type, () => broken("EOF"));
  socket.accept();
  return { leave, broken };
}
