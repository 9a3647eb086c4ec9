// Sends a log over the client's WebSocket, in messages of bytes or base64.
import { limits } from "../../../shared/base/limits.ts";
import { base64Of } from "../../../shared/base/base64.ts";
import type { ClientSocket } from "../watch/sinks.ts";

/** The protocols by name ("" for a client that requests none), and whether their messages are text. */
const protocols = new Map([
  ["", false],
  ["binary.k8s.io", false],
  ["base64.binary.k8s.io", true],
]);

/** The bytes of a message before base64. */
const messageBytes = 2048;

export interface LogMessages {
  /** True if messages are base64. */
  readonly isText: boolean;
  /** The buffered bytes at which the socket is closed. A WebSocket has no back-pressure, so the client may not be reading. */
  readonly limit: number;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
}

/**
 * Returns the upgrade response. `answer` is the response to the request without the upgrade. `over` is called once, when the client's
 * resources are released.
 */
export function logOverSocket(answer: Response, headers: Headers, over: () => void): Response {
  const requestedProtocols = (headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((protocolName) => protocolName.trim());
  const protocol = requestedProtocols.find((protocolName) => protocols.has(protocolName));
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

/** Sends an empty message, then the log, and closes the socket. Never rejects. */
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
    for (let chunk = await reader?.read(); chunk && !chunk.done && !gone.aborted; chunk = await reader?.read()) {
      left -= chunk.value.length;
      if (left < 0) return socket.close(1001, "the socket has carried enough");
      for (let at = 0; at < chunk.value.length; at += messageBytes) send(chunk.value.subarray(at, at + messageBytes));
    }
    socket.close(1000, "");
  } catch {
    // The log was interrupted, or the client disconnected.
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
    // The socket is closed already.
  }
}
