// Requests for aggregated APIs: the cluster says where they go, and the edge carries the answer, so that one that goes on and on keeps no
// cluster awake.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { isBodiless, isRedirect, passedOn, redirected } from "../../../shared/contract/passed-on.ts";
import type { Directions } from "../../../shared/contract/tunnel.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { askDirectly, type Node } from "./direct.ts";
import type { Carried } from "./carried.ts";
import { askThroughTunnel } from "./through-tunnel.ts";

export interface RelayClient {
  /** The client wants a WebSocket. */
  readonly upgrade: boolean;
  readonly method: string;
  /** Fires when the client goes. */
  readonly signal: AbortSignal;
  /** Until the client's token ends. */
  readonly leftMs: number;
  /** On a user's machine. */
  readonly node?: Node | undefined;
  /** The cluster's answer, where it was asked already. */
  readonly first?: Response | undefined;
}

/** An answer goes on for so long at most. */
const longestMs = 4 * 3600 * 1000;

/** What is asked of the cluster so that it gives directions. */
export function relayHeader({ pathname }: URL, method: string, upgrade: boolean): string | undefined {
  if (!pathname.startsWith("/apis/")) return undefined;
  if (upgrade) return "upgrade";
  return method === "GET" ? "ask" : undefined;
}

/** Whether an answer is directions. */
export function isElsewhere({ headers }: Response): boolean {
  return headers.get(internalHeaders.outside) === "here";
}

/** The same cluster for who need not know of directions. */
export function relayed(cluster: ClusterStub, client: RelayClient): ClusterStub {
  return {
    fetch: async (url, init = {}) => {
      const first = client.first ?? (await cluster.fetch(url, init));
      if (!isElsewhere(first)) return first;
      const directions: Directions = await first.json();
      const again = (outside: string, more: Record<string, string> = {}) => {
        const headers = new Headers(init.headers);
        for (const name of ["upgrade", "connection", internalHeaders.watch]) headers.delete(name);
        const own = { ...more, "audit-id": first.headers.get("audit-id") ?? "", [internalHeaders.outside]: outside };
        for (const [name, value] of Object.entries(own)) headers.set(name, value);
        return cluster.fetch(url, { method: client.method, headers, redirect: "manual" });
      };
      const signal = AbortSignal.any([client.signal, AbortSignal.timeout(Math.min(client.leftMs, longestMs))]);
      const carried =
        directions.way === "direct"
          ? await askDirectly(directions.call, new Headers(init.headers), { ...client, signal })
          : await askThroughTunnel(() => again("join", { upgrade: "websocket" }), signal);
      if ("error" in carried) return again(`failed ${encodeURIComponent(carried.error)}`);
      return presented(carried, first.headers);
    },
  };
}

/** What the cluster says of the request beside the server's answer. */
const ofCluster = ["audit-id", "warning", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"];

function presented(carried: Carried, known: Headers): Response {
  if ("refused" in carried) return carried.refused;
  const { status, headers, body, socket } = carried;
  if (socket) {
    const chosen = new Headers();
    for (const [name, value] of headers) if (name.toLowerCase() === "sec-websocket-protocol") chosen.set(name, value);
    return new Response(null, { status: 101, webSocket: socket, headers: chosen });
  }
  const answered = new Headers({ "cache-control": "no-cache, private" });
  const shown = isRedirect(status, headers)
    ? [["content-type", "text/plain; charset=utf-8"] as const]
    : passedOn(headers);
  for (const [name, value] of shown) answered.set(name, value);
  for (const name of ofCluster) if (known.has(name)) answered.set(name, known.get(name) ?? "");
  if (isRedirect(status, headers)) {
    void body?.cancel();
    return new Response(redirected, { status: 502, headers: answered });
  }
  if (!headers.some(([name]) => name.toLowerCase() === "content-length")) {
    // Said outright, because a proxy that compresses holds events back.
    answered.set("content-encoding", "identity");
    answered.set("cache-control", `${answered.get("cache-control") ?? ""}, no-transform`);
  }
  return new Response(isBodiless(status) ? null : body, { status, headers: answered });
}
