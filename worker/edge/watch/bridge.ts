// Bridges a client's watch to a hibernatable socket of the cluster, so that an open watch does not keep a cluster awake.
import { limits } from "../../../shared/base/limits.ts";
import { internalHeaders, protobufStream } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { protobufFrame } from "./frames.ts";
import type { Holder, Holding } from "./holdings.ts";
import { watchDurationMs } from "./request.ts";
import { type WatchOptions, runWatch } from "./run.ts";
import { bodySink, socketSink } from "./sinks.ts";
import { type WatchSource, clusterWatch } from "./source.ts";

export interface WatchRequest {
  /** The URL as the cluster sees it. */
  readonly url: URL;
  readonly headers: Headers;
  /** True if the client watches over its own WebSocket. */
  readonly upgrade: boolean;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Opens an account of the memory that this sandbox's watches hold. */
  hold(holder: Holder): Holding;
  /** The milliseconds until the client's token ends, and with it the watch. */
  readonly leftMs: number;
}

export async function bridgeWatch(request: WatchRequest, cluster: ClusterStub): Promise<Response> {
  const source = clusterWatch(request.url, request.headers, cluster);
  const first = await source.pull(undefined);
  if (first.headers.has(internalHeaders.cut)) return first;
  if (first.status !== 200 || !first.headers.has(internalHeaders.revision)) return withoutInternals(first);
  const options = {
    durationMs: Math.min(watchDurationMs(request.url, Math.random), request.leftMs),
    bookmarkMs: limits.watchBookmarkSeconds * 1000,
    bufferLimit: limits.watchBufferBytes,
    pullBytes: limits.watchPullBytes,
    lingerMs: 30_000,
    signal: request.signal,
    hold: request.hold,
  };
  return request.upgrade ? overSocket(first, source, options, request.headers) : overBody(first, source, options);
}

function overBody(first: Response, source: WatchSource, options: WatchOptions): Response {
  const { readable, writable } = new IdentityTransformStream();
  void runWatch(first, source, bodySink(writable, frameOf(first)), options);
  return new Response(readable, {
    headers: {
      ...passedOn(first.headers),
      "content-type": first.headers.get("content-type") ?? "application/json",
      "cache-control": "no-cache, private, no-transform",
      // Set explicitly, because a compressing proxy delays events.
      "content-encoding": "identity",
      "x-content-type-options": "nosniff",
    },
  });
}

function overSocket(first: Response, source: WatchSource, options: WatchOptions, headers: Headers): Response {
  const protocols = headers.get("sec-websocket-protocol")?.split(",") ?? [];
  // Upstream's handshake selects no protocol: a single one is echoed, several are rejected. The encoding does not depend on it: JSON is
  // text, protobuf binary.
  if (protocols.length > 1) {
    void first.body?.cancel();
    return new Response(null, { status: 400 });
  }
  const pair = new WebSocketPair();
  const gone = new AbortController();
  const signal = AbortSignal.any([options.signal, gone.signal]);
  pair[1].accept();
  for (const type of ["close", "error"] as const) pair[1].addEventListener(type, () => gone.abort());
  // The socket does not report what its client has received, so everything is held until the end.
  let holding: Holding | undefined;
  const hold = (holder: Holder) => {
    holding = options.hold(holder);
    return holding;
  };
  const sent = (bytes: number) => holding?.add(bytes);
  const sink = socketSink(pair[1], limits.watchSocketBytes, signal, { frame: frameOf(first), sent });
  void runWatch(first, source, sink, { ...options, signal, hold });
  const protocol = protocols[0]?.trim();
  return new Response(null, {
    status: 101,
    webSocket: pair[0],
    headers: protocol ? { "sec-websocket-protocol": protocol } : {},
  });
}

function frameOf(first: Response) {
  return first.headers.get("content-type") === protobufStream ? protobufFrame : undefined;
}

/** Returns the cluster's headers that are sent to the client. */
function passedOn(headers: Headers): Record<string, string> {
  const names = ["audit-id", "warning", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"];
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
}

function withoutInternals(response: Response): Response {
  const copy = new Response(response.body, response);
  for (const name of [...copy.headers.keys()]) {
    if (name.startsWith(internalHeaders.prefix)) copy.headers.delete(name);
  }
  return copy;
}
