// A log that is followed: the edge asks for what is new again and again, so that no cluster is kept awake by a log that is silent.
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import type { Fetches } from "./gate.ts";

export interface LogRequest {
  /** As the cluster sees it. */
  readonly url: URL;
  readonly headers: Headers;
  /** Fires when the client goes. */
  readonly signal: AbortSignal;
  /** Until the client's token ends. */
  readonly leftMs: number;
}

/** Between two questions: at first, and at most while nothing comes. */
const shortestMs = 500;
const longestMs = 5_000;
const longestFollowMs = 4 * 3600 * 1000;

export function isFollowedLog(method: string, url: URL): boolean {
  if (method !== "GET" || !/^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log\/?$/.test(url.pathname)) return false;
  const follow = url.searchParams.get("follow");
  return follow !== null && follow !== "0" && follow.toLowerCase() !== "false";
}

export async function followLog(request: LogRequest, cluster: Fetches, pause = pauseFor): Promise<Response> {
  const id = crypto.randomUUID();
  const ask = async (position: string | null) => {
    const headers = new Headers(request.headers);
    headers.delete("accept-encoding");
    headers.set(internalHeaders.sessionId, id);
    if (position) headers.set(internalHeaders.logPosition, position);
    return cluster.fetch(request.url.href, { headers, redirect: "manual" });
  };
  const first = await ask(null);
  const answered = new Response(first.body, first);
  answered.headers.delete(internalHeaders.logPosition);
  const position = first.headers.get(internalHeaders.logPosition);
  if (first.status !== 200 || !position) return answered;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const gone = AbortSignal.any([request.signal, AbortSignal.timeout(Math.min(request.leftMs, longestFollowMs))]);
  void pump(await first.bytes(), position, writable, ask, (ms) => pause(ms, gone)).catch(() => undefined);
  // Said outright, because a proxy that compresses holds lines back.
  answered.headers.set("content-encoding", "identity");
  answered.headers.set("cache-control", "no-cache, private, no-transform");
  return new Response(readable, { headers: answered.headers });
}

async function pump(
  begun: Uint8Array,
  begin: string,
  writable: WritableStream<Uint8Array>,
  ask: (position: string) => Promise<Response>,
  pause: (ms: number) => Promise<boolean>,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    if (begun.length > 0) await writer.write(begun);
    let position: string | null = begin;
    for (let waitMs = shortestMs; position && (await pause(waitMs)); ) {
      const next: Response = await ask(position);
      const bytes = await next.bytes();
      // The pod is gone, and with it whatever it would have said.
      if (next.status !== 200) break;
      position = next.headers.get(internalHeaders.logPosition);
      if (bytes.length > 0) await writer.write(bytes);
      waitMs = bytes.length > 0 ? shortestMs : Math.min(waitMs * 2, longestMs);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
  }
}

/** Whether the client is still there afterwards. */
function pauseFor(ms: number, gone: AbortSignal): Promise<boolean> {
  return new Promise((done) => {
    if (gone.aborted) return done(false);
    const end = (isThere: boolean) => {
      clearTimeout(timer);
      gone.removeEventListener("abort", leave);
      done(isThere);
    };
    const leave = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    gone.addEventListener("abort", leave);
  });
}
