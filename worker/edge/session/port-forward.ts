// Ports of pods over WebSockets: SPDY is spoken here, and the cluster is asked for each request on a forwarded connection.
import {
  type ForwardOpened,
  type ForwardStep,
  type ForwardStepped,
  internalHeaders,
} from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { newForward } from "./spdy/forward.ts";
import { withoutUpgrade } from "../upgrade-headers.ts";
import { type SessionRequest, upgraded } from "./upgrade.ts";

/** SPDY in a WebSocket: the only protocol of port-forward here. Who does not offer it is refused by the cluster. */
const protocol = "SPDY/3.1+portforward.k8s.io";

export function isForward({ pathname }: URL, headers: Headers): boolean {
  const asked = (headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  return /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/portforward\/?$/.test(pathname) && asked.includes(protocol);
}

/** For requests that are upgrades to a WebSocket. */
export async function openForward(request: SessionRequest, cluster: ClusterStub): Promise<Response> {
  const { url, headers, method } = request;
  const plain = withoutUpgrade(headers);
  plain.set(internalHeaders.session, "open");
  plain.set(internalHeaders.sessionId, crypto.randomUUID());
  const first = await cluster.fetch(url.href, { method, headers: plain, redirect: "manual" });
  if (first.status !== 200) return new Response(first.body, first);
  const { uid }: ForwardOpened = await first.json();
  plain.set(internalHeaders.session, "step");
  const ask = async (step: ForwardStep): Promise<ForwardStepped | undefined> => {
    const body = JSON.stringify({ ...step, uid });
    const answer = await cluster.fetch(url.href, { method: "POST", headers: plain, body, redirect: "manual" });
    return answer.status === 200 ? answer.json() : undefined;
  };
  return upgraded(request, protocol, (socket) => newForward(socket, { nowMs: () => request.nowMs(), ask }));
}
