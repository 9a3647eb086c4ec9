// A log over a WebSocket of the client's own: what a body would carry comes in messages, as bytes or in base64.
import { limits } from "../../../shared/base/limits.ts";
import { base64Of } from "../../../shared/base/base64.ts";
import type { ClientSocket } from "../watch/sinks.ts";

/** The protocols by name, "" for a client that asks for none, and whether their messages are text. */
const protocols = new Map([
  ["", false],
  ["binary.k8s.io", false],
  ["base64.binary.k8s.io", true],
]);

/** Bytes of a message, before they are written in base64. */
const messageBytes = 2048;

export interface LogMessages {
  /** Messages are base64. */
  readonly isText: boolean;
  /** A socket has no back-pressure: past so many bytes it is closed, because its client may not be reading. */
  readonly limit: number;
  /** Fires when the client goes. */
  readonly gone: AbortSignal;
}

/** `answer`: that to the same request without an upgrade. `over` is called once, when nothing is held for the client any more. */
export function logOverSocket(answer: Response, headers: Headers, over: () => void): Response {
  const asked = (headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const protocol = asked.find((one) => protocols.has(one));
  if (answer.status !== 200 || protocol === undefined) {
    over();
    if (answer.status !== 200) return answer;
    void answer.body?.cancel();
    return new Response(null, { status: 403 });
  }
  const pair = new WebSocketPair();
  const [client, server] = [pair[0], pair[1]];
  const gone = new AbortController();
  server.accept();
  for (const type of ["close", "error"] as const) server.addEventListener(type, () => gone.abort());
  const isText = protocols.get(protocol) ?? false;
  void sendLog(server, answer.body, { isText, limit: limits.logSocketBytes, gone: gone.signal }).finally(over);
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol === "" ? {} : { "sec-websocket-protocol": protocol },
  });
}

/** An empty message, then the log. Closes the socket in the end; never rejects. */
export async function sendLog(
  socket: ClientSocket,
  body: ReadableStream<Uint8Array> | null,
  { isText, limit, gone }: LogMessages,
): Promise<void> {
  const send = (bytes: Uint8Array) => socket.send(isText ? base64Of(bytes) : bytes);
  const reader = body?.getReader();
  const leave = () => void reader?.cancel().catch(() => undefined);
  gone.addEventListener("abort", leave, { once: true });
  try {
    send(new Uint8Array());
    let left = limit;
    for (let part = await reader?.read(); part && !part.done && !gone.aborted; part = await reader?.read()) {
      left -= part.value.length;
      if (left < 0) return socket.close(1001, "the socket has carried enough");
      for (let at = 0; at < part.value.length; at += messageBytes) send(part.value.subarray(at, at + messageBytes));
    }
    socket.close(1000, "");
  } catch {
    // The log broke off, or the client is gone.
    close(socket);
  } finally {
    gone.removeEventListener("abort", leave);
    leave();
  }
}

function close(socket: ClientSocket): void {
  try {
    socket.close(1011, "the log has broken off");
  } catch {
    // It is closed already.
  }
}
