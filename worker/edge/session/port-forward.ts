// Forwards ports of pods over WebSockets. The edge implements SPDY and channels, and calls the cluster for each request on a connection.
import {
  type ForwardOpened,
  forwardProtocols,
  type ForwardStep,
  type ForwardStepped,
  internalHeaders,
} from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { newPortChannels } from "./forward/port-channels.ts";
import { newForwardChannels } from "./kubelet/forward-channels.ts";
import { newRawForward } from "./kubelet/raw-forward.ts";
import { newForward } from "./spdy/forward.ts";
import { openOrJoin, withoutUpgrade } from "./upgrade-headers.ts";
import { type SessionRequest, upgraded } from "./upgrade.ts";

export function isForward({ pathname }: URL): boolean {
  return /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/portforward\/?$/.test(pathname);
}

/** Opens port forwarding for a request that upgrades to a WebSocket. */
export async function openForward(request: SessionRequest, cluster: ClusterStub): Promise<Response> {
  const { url, headers, method } = request;
  const plain = withoutUpgrade(headers);
  plain.set(internalHeaders.session, "open");
  plain.set(internalHeaders.sessionId, crypto.randomUUID());
  const first = await openOrJoin(url, method, plain, cluster);
  const { webSocket } = first;
  if (webSocket) return openOnMachine(request, webSocket);
  if (first.status !== 200) return new Response(first.body, first);
  const { uid, ports, protocol }: ForwardOpened = await first.json();
  plain.set(internalHeaders.session, "step");
  const ask = async (step: ForwardStep): Promise<ForwardStepped | undefined> => {
    const body = JSON.stringify({ ...step, uid });
    const answer = await cluster.fetch(url.href, { method: "POST", headers: plain, body, redirect: "manual" });
    return answer.status === 200 ? answer.json() : undefined;
  };
  const options = { nowMs: () => request.nowMs(), ask };
  return upgraded(request, protocol, (socket) =>
    protocol === forwardProtocols.tunnel
      ? newForward(socket, options)
      : newPortChannels(socket, { ...options, ports, isText: protocol === forwardProtocols.base64 }),
  );
}

/** Connects the client to the kubelet of a machine. `cluster` is the cluster's socket, which carries the connection. */
function openOnMachine(request: SessionRequest, cluster: WebSocket): Response {
  const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim());
  const { tunnel, ...channels } = forwardProtocols;
  if (offered.includes(tunnel)) return upgraded(request, tunnel, (socket) => newRawForward(socket, cluster));
  const protocol = offered.find((name) => Object.values<string>(channels).includes(name));
  if (protocol === undefined) {
    cluster.accept();
    cluster.close(1000, "");
    return new Response(null, { status: 403 });
  }
  const ports = request.url.searchParams.getAll("ports").flatMap((text) => text.split(",").map(Number));
  const isText = protocol === forwardProtocols.base64;
  return upgraded(request, protocol, (socket) => newForwardChannels(socket, { ports, isText, cluster }));
}
