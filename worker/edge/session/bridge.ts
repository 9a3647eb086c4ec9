// Commands in containers over WebSockets: the client's socket ends here, for what a sleeping cluster does not keep; see `SessionOpened`.
import {
  internalHeaders,
  type SessionOpened,
  type SessionStep,
  type SessionStepped,
} from "../../../shared/contract/cluster-object.ts";
import type { Fetches } from "../gate.ts";
import { protocolOf } from "./channels.ts";
import { newSession } from "./run.ts";

export interface SessionRequest {
  /** As the cluster sees it. */
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  /** Until the client's token ends. */
  readonly leftMs: number;
  nowMs(): number;
}

const longestMs = 4 * 3600 * 1000;

export function isSession({ pathname }: URL): boolean {
  return /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/(exec|attach)\/?$/.test(pathname);
}

/** For requests that are upgrades to a WebSocket. */
export async function openSession(request: SessionRequest, cluster: Fetches): Promise<Response> {
  const { url, headers, method } = request;
  const plain = withoutUpgrade(headers);
  plain.set(internalHeaders.session, "open");
  const first = await cluster.fetch(url.href, { method, headers: plain, redirect: "manual" });
  if (first.status !== 200) return new Response(first.body, first);
  const opened: SessionOpened = await first.json();
  const protocol = protocolOf(headers.get("sec-websocket-protocol"));
  if (!protocol) return new Response("unable to upgrade: no protocol of the client is known here\n", { status: 400 });
  plain.set(internalHeaders.session, "step");
  const ask = async (step: SessionStep): Promise<SessionStepped | undefined> => {
    const body = JSON.stringify(step);
    const answer = await cluster.fetch(url.href, { method: "POST", headers: plain, body, redirect: "manual" });
    return answer.status === 200 ? answer.json() : undefined;
  };
  const pair = new WebSocketPair();
  const [client, server] = [pair[0], pair[1]];
  server.binaryType = "arraybuffer";
  server.accept();
  const is = (name: string) => isTrue(url.searchParams.get(name));
  const tty = is("tty");
  const streams = { stdin: is("stdin"), stdout: is("stdout"), stderr: is("stderr") && !tty, tty };
  const session = newSession(server, { protocol, ...streams, opened, nowMs: () => request.nowMs(), ask });
  server.addEventListener("message", ({ data }) => {
    if (typeof data === "string" || data instanceof ArrayBuffer) session.receive(data);
  });
  for (const type of ["close", "error"] as const) server.addEventListener(type, () => session.leave());
  const timer = setTimeout(() => session.leave(), Math.min(request.leftMs, longestMs));
  void session.done.catch(() => undefined).finally(() => clearTimeout(timer));
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: protocol.name === "" ? {} : { "sec-websocket-protocol": protocol.name },
  });
}

function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** The upgrade is answered here; the cluster is told of the protocols all the same. */
function withoutUpgrade(headers: Headers): Headers {
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
