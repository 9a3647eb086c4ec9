// Requests to aggregated APIs and to kubelets of machines. The cluster returns directions and the edge carries the response, so that an
// endless response does not keep the cluster awake.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { isBodiless, isRedirect, passedOn, redirected } from "../../../shared/contract/passed-on.ts";
import type { Directions } from "../../../shared/contract/tunnel.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { askDirectly, type LocalNode } from "./direct.ts";
import type { Answered, Carried } from "./carried.ts";
import { askThroughTunnel } from "./through-tunnel.ts";

export interface RelayClient {
  /** True if the client requests a WebSocket. */
  readonly upgrade: boolean;
  readonly method: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The milliseconds until the client's token ends. */
  readonly leftMs: number;
  /** The Node.js process, on a user's machine. */
  readonly node?: LocalNode | undefined;
  /** The cluster's response, if the request was sent to it already. */
  readonly first?: Response | undefined;
}

/** The maximum duration of a response. */
const longestMs = 4 * 3600 * 1000;

/** Matches paths that a kubelet may answer: logs, and proxies to nodes. */
const kubeletPath = /^\/api\/v1\/(?:namespaces\/[^/]+\/pods\/[^/]+\/log\/?$|nodes\/[^/]+\/proxy(?:\/|$))/;
/** The characters of an error response that the cluster words. */
const wordedCharacters = 4_096;

/** Returns the header that makes the cluster return directions. */
export function relayHeader({ pathname }: URL, method: string, upgrade: boolean): string | undefined {
  if (kubeletPath.test(pathname)) return method === "GET" ? "ask" : undefined;
  if (!pathname.startsWith("/apis/")) return undefined;
  if (upgrade) return "upgrade";
  return method === "GET" ? "ask" : undefined;
}

/** Reports whether a response contains directions. */
export function hasDirections({ headers }: Response): boolean {
  return headers.get(internalHeaders.outside) === "here";
}

/** Wraps the cluster so that directions are followed transparently. */
export function relayed(cluster: ClusterStub, client: RelayClient): ClusterStub {
  return {
    fetch: async (url, init = {}) => {
      const first = client.first ?? (await cluster.fetch(url, init));
      if (!hasDirections(first)) return first;
      const directions: Directions = await first.json();
      const again = (outside: string, more: Record<string, string> = {}) => {
        const headers = new Headers(init.headers);
        for (const name of ["upgrade", "connection", internalHeaders.watch]) headers.delete(name);
        const callHeaders = {
          ...more,
          "audit-id": first.headers.get("audit-id") ?? "",
          [internalHeaders.outside]: outside,
        };
        for (const [name, value] of Object.entries(callHeaders)) headers.set(name, value);
        return cluster.fetch(url, { method: client.method, headers, redirect: "manual" });
      };
      const signal = AbortSignal.any([client.signal, AbortSignal.timeout(Math.min(client.leftMs, longestMs))]);
      const carried =
        directions.way === "direct"
          ? await askDirectly(directions.call, new Headers(init.headers), { ...client, signal })
          : await askThroughTunnel(() => again("join", { upgrade: "websocket" }), signal, directions.timeoutMs);
      if ("error" in carried) return again(`failed ${encodeURIComponent(carried.error)}`);
      if (directions.way === "tunnel" && directions.wordsErrors && "status" in carried && carried.status >= 300) {
        const text = await beginningOf(carried.body, wordedCharacters);
        return again(`answered ${carried.status} ${encodeURIComponent(text)}`);
      }
      return presented(carried, first.headers);
    },
  };
}

/** Reads the beginning of a text, and cancels the rest. */
async function beginningOf(body: Answered["body"], most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= most) break;
  }
  return text.slice(0, most).trimEnd();
}

/** The cluster's headers that are added to the server's response. */
const ofCluster = ["audit-id", "warning", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"];

function presented(carried: Carried, clusterHeaders: Headers): Response {
  if ("refused" in carried) return carried.refused;
  const { status, headers, body, socket } = carried;
  if (socket) {
    const chosen = new Headers();
    for (const [name, value] of headers) if (name.toLowerCase() === "sec-websocket-protocol") chosen.set(name, value);
    return new Response(null, { status: 101, webSocket: socket, headers: chosen });
  }
  const answered = new Headers({ "cache-control": "no-cache, private" });
  const visibleHeaders = isRedirect(status, headers)
    ? [["content-type", "text/plain; charset=utf-8"] as const]
    : passedOn(headers);
  for (const [name, value] of visibleHeaders) answered.set(name, value);
  for (const name of ofCluster) if (clusterHeaders.has(name)) answered.set(name, clusterHeaders.get(name) ?? "");
  if (isRedirect(status, headers)) {
    void body?.cancel();
    return new Response(redirected, { status: 502, headers: answered });
  }
  if (!headers.some(([name]) => name.toLowerCase() === "content-length")) {
    // Set explicitly, because a compressing proxy delays events.
    answered.set("content-encoding", "identity");
    answered.set("cache-control", `${answered.get("cache-control") ?? ""}, no-transform`);
  }
  return new Response(isBodiless(status) ? null : body, { status, headers: answered });
}
