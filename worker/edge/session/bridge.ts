// Bridges commands in containers over WebSockets. The client's socket ends at the edge, because a sleeping cluster cannot hold it; see
// `SessionOpened`.
import {
  internalHeaders,
  type SessionOpened,
  type SessionStep,
  type SessionStepped,
} from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { isAccessEnded, accessEndedError } from "../lifeline.ts";
import { type Protocol, protocolOf } from "./channels.ts";
import { newRemoteSession } from "./kubelet/remote-session.ts";
import { newSession } from "./run.ts";
import { openOrJoin, withoutUpgrade } from "./upgrade-headers.ts";
import { type SessionRequest, upgraded } from "./upgrade.ts";

export function isSession({ pathname }: URL): boolean {
  return /^\/api\/v1\/(namespaces\/[^/]+\/pods\/[^/]+\/(exec|attach)|nodes\/[^/]+\/proxy\/exec)\/?$/.test(pathname);
}

/** Opens a session for a request that upgrades to a WebSocket. */
export async function openSession(request: SessionRequest, cluster: ClusterStub): Promise<Response> {
  const { url, headers, method } = request;
  const plain = withoutUpgrade(headers);
  plain.set(internalHeaders.session, "open");
  plain.set(internalHeaders.sessionId, crypto.randomUUID());
  const first = await openOrJoin(url, method, plain, cluster);
  if (!first.webSocket && first.status !== 200) return new Response(first.body, first);
  const protocol = protocolOf(headers.get("sec-websocket-protocol"));
  if (!protocol) {
    first.webSocket?.accept();
    first.webSocket?.close(1000, "");
    return new Response("unable to upgrade: no protocol of the client is known here\n", { status: 400 });
  }
  if (first.webSocket) return openOnMachine(request, protocol, first.webSocket);
  const opened: SessionOpened = await first.json();
  plain.set(internalHeaders.session, "step");
  const ask = async (step: SessionStep) => {
    const body = JSON.stringify(step);
    const answer = await cluster.fetch(url.href, { method: "POST", headers: plain, body, redirect: "manual" });
    if (answer.status === 200) return answer.json<SessionStepped>();
    await answer.body?.cancel();
    return isAccessEnded(answer.status) ? { refused: accessEndedError(answer.status) } : undefined;
  };
  const streams = streamsOf(url);
  return upgraded(request, protocol.name, (server) =>
    newSession(server, { protocol, ...streams, opened, nowMs: () => request.nowMs(), ask }),
  );
}

/** Connects a session to the kubelet of a machine. `cluster` is the cluster's socket, which carries the connection. */
function openOnMachine(request: SessionRequest, protocol: Protocol, cluster: WebSocket): Response {
  const streams = streamsOf(request.url);
  return upgraded(request, protocol.name, (socket) => newRemoteSession(socket, { protocol, ...streams, cluster }));
}

function streamsOf({ searchParams }: URL) {
  const is = (name: string) => isTrue(searchParams.get(name));
  const tty = is("tty");
  return { stdin: is("stdin"), stdout: is("stdout"), stderr: is("stderr") && !tty, tty };
}

function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}
