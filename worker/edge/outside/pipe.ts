// An upgraded connection through a tunnel: a socket of the cluster carries the bytes of both directions. The server's bytes are confirmed as
// the client's socket sends them, and the client's bytes wait until the server confirms earlier ones.
import { base64Of, tryBytesOfBase64 } from "../../../shared/base/base64.ts";
import { deadlineExceeded } from "../../../shared/base/fetch-failures.ts";
import { endedCode } from "../../../shared/contract/endings.ts";
import { pieceBytes, streamWindowBytes, type TunnelOrder, type TunnelPiece } from "../../../shared/contract/tunnel.ts";

export interface PipeEnd {
  /** Handles the head of the server's response: 101, or an error response. */
  begin(status: number): void;
  receive(bytes: Uint8Array): void;
  /** Handles the end of the connection. `why` is the reason if it broke. */
  end(why?: string): void;
  /** Returns the bytes that the client's socket has not sent yet. */
  buffered(): number;
}

export interface Pipe {
  write(bytes: Uint8Array): void;
  /** Closes the connection to the server. */
  close(): void;
}

/** The maximum of a client's bytes that wait for the server, since a client's WebSocket cannot be paused; and the cost of each message. */
export const mostWaitingBytes = 16 * 1024 * 1024;
export const messageBytes = 128;
const tooFast = "the client sends faster than the node receives";
const wrongPiece = "the tunnel does not keep to its protocol";
/** The time within which the server must answer. The command at the far end gives up a second earlier. */
const beginMs = 61_000;
/** The time between looks at a client's socket that is full. */
const lookMs = 20;

type Order = { readonly took: number } | { readonly piece: string };

/** Opens the client's end of a pipe over a socket of the cluster. */
export function newPipe(socket: WebSocket, end: PipeEnd): Pipe {
  let isOver = false;
  const late = setTimeout(() => finish(deadlineExceeded), beginMs);
  const order = (message: Order) => {
    if (!isOver) socket.send(JSON.stringify({ id: "", ...message } satisfies TunnelOrder));
  };
  const outbox = newOutbox(order);
  const inbox = newInbox(order, () => end.buffered());
  const finish = (why?: string) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    inbox.stop();
    try {
      socket.close(1000, "");
    } catch {
      // The socket is closed already.
    }
    end.end(why);
  };
  const hear = (piece: TunnelPiece) => {
    if ("status" in piece) {
      clearTimeout(late);
      end.begin(piece.status);
    } else if ("piece" in piece) {
      const bytes = tryBytesOfBase64(piece.piece);
      if (!bytes || !inbox.take(bytes.length)) return finish(wrongPiece);
      end.receive(bytes);
      inbox.confirm();
    } else if ("took" in piece) outbox.confirmed(piece.took);
    else finish("error" in piece ? piece.error : undefined);
  };
  socket.addEventListener("message", ({ data }) => {
    // The cluster has validated the message.
    if (typeof data === "string" && !isOver) hear(JSON.parse(data) as TunnelPiece);
  });
  socket.addEventListener("close", ({ code, reason }) => finish(code === endedCode ? reason : "EOF"));
  socket.addEventListener("error", () => finish("EOF"));
  socket.accept();
  return {
    close: () => finish(),
    write: (bytes) => {
      if (!isOver && !outbox.write(bytes)) finish(tooFast);
    },
  };
}

/** Returns the client's bytes that wait for the server. */
function newOutbox(order: (message: Order) => void) {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let room = streamWindowBytes;
  const flush = () => {
    for (let bytes = waiting[0]; bytes && room > 0; bytes = waiting[0]) {
      const piece = bytes.subarray(0, Math.min(pieceBytes, room));
      const isWhole = piece.length === bytes.length;
      if (isWhole) waiting.shift();
      else waiting[0] = bytes.subarray(piece.length);
      waitingBytes -= piece.length + (isWhole ? messageBytes : 0);
      room -= piece.length;
      order({ piece: base64Of(piece) });
    }
  };
  return {
    /** Returns false if too many bytes wait. */
    write: (bytes: Uint8Array): boolean => {
      if (bytes.length === 0) return true;
      waiting.push(bytes);
      waitingBytes += bytes.length + messageBytes;
      if (waitingBytes > mostWaitingBytes) return false;
      flush();
      return true;
    },
    confirmed: (took: number) => {
      room = Math.min(streamWindowBytes, room + took);
      flush();
    },
  };
}

/** Counts the server's bytes, and confirms them when the client's socket has sent most of what it received. */
function newInbox(order: (message: Order) => void, buffered: () => number) {
  let unconfirmed = 0;
  let looking: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    looking = undefined;
    if (buffered() > streamWindowBytes) {
      looking = setTimeout(look, lookMs);
      return;
    }
    order({ took: unconfirmed });
    unconfirmed = 0;
  };
  return {
    /** Returns false if the server has sent more than its window. */
    take: (count: number): boolean => {
      unconfirmed += count;
      return unconfirmed <= streamWindowBytes + pieceBytes;
    },
    confirm: () => {
      if (unconfirmed >= streamWindowBytes / 2 && looking === undefined) look();
    },
    stop: () => {
      if (looking !== undefined) clearTimeout(looking);
    },
  };
}
