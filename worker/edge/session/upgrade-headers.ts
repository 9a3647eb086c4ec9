// Removes the WebSocket upgrade from the headers of a request, and opens a session with the rest.
import type { ClusterStub } from "../cluster-stub.ts";

/** The edge answers the upgrade; the cluster still receives the protocols. */
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

/** Opens a session. The response has a socket if the pod runs on a machine: it carries the connection to the kubelet there. */
export function openOrJoin(url: URL, method: string, headers: Headers, cluster: ClusterStub): Promise<Response> {
  const opening = new Headers(headers);
  opening.set("upgrade", "websocket");
  return cluster.fetch(url.href, { method, headers: opening, redirect: "manual" });
}
