// Follows a log. The edge requests new lines when the cluster has announced them, or has signalled a change on a socket. A silent log
// neither keeps the cluster awake nor polls it.
import { internalHeaders, joining } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStub } from "../cluster-stub.ts";
import { newNewsLine, type News, type Pause, pauseAtLeast } from "./news-line.ts";

export interface LogRequest {
  /** The URL as the cluster sees it. */
  readonly url: URL;
  readonly headers: Headers;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The milliseconds until the client's token ends. */
  readonly leftMs: number;
}

/** The minimum between two requests. */
const shortestMs = 500;
/** The maximum between two requests, while nothing arrives and the cluster has not announced the next line. */
const longestMs = 5_000;
const longestFollowMs = 4 * 3600 * 1000;

export function isLog(method: string, { pathname }: URL): boolean {
  return method === "GET" && /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log\/?$/.test(pathname);
}

export function isFollowedLog(method: string, url: URL): boolean {
  if (!isLog(method, url)) return false;
  const follow = url.searchParams.get("follow");
  return follow !== null && follow !== "0" && follow.toLowerCase() !== "false";
}

export async function followLog(
  request: LogRequest,
  cluster: ClusterStub,
  pause: Pause = pauseAtLeast(shortestMs),
): Promise<Response> {
  const id = crypto.randomUUID();
  const ask = async (position: string | null, more: Record<string, string> = {}) => {
    const headers = new Headers(request.headers);
    headers.delete("accept-encoding");
    headers.set(internalHeaders.sessionId, id);
    if (position) headers.set(internalHeaders.logPosition, position);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return cluster.fetch(request.url.href, { headers, redirect: "manual" });
  };
  const first = await ask(null);
  const answered = new Response(first.body, first);
  for (const name of [internalHeaders.logPosition, internalHeaders.logWait]) answered.headers.delete(name);
  if (first.status !== 200 || !first.headers.has(internalHeaders.logPosition)) return answered;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const gone = AbortSignal.any([request.signal, AbortSignal.timeout(Math.min(request.leftMs, longestFollowMs))]);
  const join = () => ask(joining, { upgrade: "websocket" });
  void pump(first, writable, { ask, join, pause: (ms, news) => pause(ms, news, gone) }).catch(() => undefined);
  // Set explicitly, because a compressing proxy delays lines.
  answered.headers.set("content-encoding", "identity");
  answered.headers.set("cache-control", "no-cache, private, no-transform");
  return new Response(readable, { headers: answered.headers });
}

interface Source {
  ask(position: string): Promise<Response>;
  join(): Promise<Response>;
  pause(ms: number, news: News): Promise<boolean>;
}

async function pump(first: Response, writable: WritableStream<Uint8Array>, source: Source): Promise<void> {
  const line = newNewsLine(source.join);
  try {
    let silentMs = shortestMs / 2;
    for (let next: Response = first; ; ) {
      const [position, wait] = [internalHeaders.logPosition, internalHeaders.logWait].map((header) =>
        next.headers.get(header),
      );
      const isSilent = !(await passOn(next, writable));
      if (!position) break;
      await line.open();
      silentMs = isSilent ? Math.min(silentMs * 2, longestMs) : shortestMs;
      // Without a socket, only polling detects changes.
      const dueMs = line.isOpen() && wait ? Math.max(shortestMs, Number(wait)) : silentMs;
      if (!(await source.pause(dueMs, line.news))) break;
      line.news.isThere = false;
      next = await source.ask(position);
      // The pod was deleted with its log.
      if (next.status !== 200) break;
    }
    await writable.close();
  } catch (error) {
    await writable.abort(error).catch(() => undefined);
  } finally {
    line.close();
  }
}

/** Forwards the body as it arrives, so that a long log is never buffered. Returns whether it contained data. */
async function passOn({ body }: Response, writable: WritableStream<Uint8Array>): Promise<boolean> {
  let isThere = false;
  const writer = writable.getWriter();
  try {
    for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
      isThere = true;
      await writer.write(bytes);
    }
  } finally {
    writer.releaseLock();
  }
  return isThere;
}
