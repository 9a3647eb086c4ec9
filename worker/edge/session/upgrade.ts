// The client's end of a session: upgrades a request to a WebSocket for as long as its lifeline lasts.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Lifeline } from "../lifeline.ts";
import type { SessionSocket } from "./run.ts";

export interface SessionRequest {
  /** The URL as the cluster sees it. */
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly lifeline: Pick<Lifeline, "signal" | "release">;
  nowMs(): number;
}

/** A receiver of a client's messages. */
export interface Listener {
  receive(data: string | ArrayBuffer): void;
  leave(): void;
  /** Ends the session and sends the reason to the client. */
  end(why: ApiError): void;
  /** Resolves at the end. */
  readonly done: Promise<void>;
}

const longestMs = 4 * 3600 * 1000;

export function upgraded(
  { lifeline: { signal, release } }: SessionRequest,
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
  const timer = setTimeout(() => listener.leave(), longestMs);
  const over = () => {
    const why: unknown = signal.reason;
    if (why instanceof ApiError) listener.end(why);
    else listener.leave();
  };
  if (signal.aborted) over();
  else signal.addEventListener("abort", over, { once: true });
  void listener.done
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer);
      release();
    });
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol === "" ? {} : { "sec-websocket-protocol": protocol },
  });
}
