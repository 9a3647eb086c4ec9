// The client's end of a session: a request becomes a WebSocket, for as long as the client's token is good.
import type { SessionSocket } from "./run.ts";

export interface SessionRequest {
  /** As the cluster sees it. */
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  /** Until the client's token ends. */
  readonly leftMs: number;
  nowMs(): number;
}

/** What listens to a client. */
interface Listener {
  receive(data: string | ArrayBuffer): void;
  leave(): void;
  /** Resolves at the end. */
  readonly done: Promise<void>;
}

const longestMs = 4 * 3600 * 1000;

export function upgraded(
  { leftMs }: SessionRequest,
  protocol: string,
  listen: (socket: SessionSocket) => Listener,
): Response {
  const pair = new WebSocketPair();
  const [client, server] = [pair[0], pair[1]];
  server.binaryType = "arraybuffer";
  server.accept();
  const listener = listen(server);
  server.addEventListener("message", ({ data }) => {
    if (typeof data === "string" || data instanceof ArrayBuffer) listener.receive(data);
  });
  for (const type of ["close", "error"] as const) server.addEventListener(type, () => listener.leave());
  const timer = setTimeout(() => listener.leave(), Math.min(leftMs, longestMs));
  void listener.done.catch(() => undefined).finally(() => clearTimeout(timer));
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol === "" ? {} : { "sec-websocket-protocol": protocol },
  });
}

/** The upgrade is answered here; the cluster is told of the protocols all the same. */
export function withoutUpgrade(headers: Headers): Headers {
  const plain = new Headers(headers);
  for (const name of [
    "upgrade",
    "connection",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-extensions",
    "content-length",
    "content-type",
  ]) {
    plain.delete(name);
  }
  return plain;
}
