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
  if (webSocket) return upgraded(request, forwardProtocols.tunnel, (socket) => newRawForward(socket, webSocket));
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
