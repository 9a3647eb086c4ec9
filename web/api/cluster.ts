// Access to a sandbox's Kubernetes API from a browser: lists by fetch, and watches by WebSocket with the token as a subprotocol.
import { base64UrlOfText } from "../../shared/base/base64.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { ConnectionGate } from "../live/ended.ts";
import { fetchOwn } from "./fetching.ts";
import { type ListSource, ListRefused, type Page, type WatchHandlers } from "../live/informer.ts";

export interface ClusterAccess {
  readonly id: string;
  /** Returns the token for a request, possibly a renewed one. `stale` is set after the last one was refused. */
  readonly tokenSource: (stale: boolean) => Promise<string>;
  /** Must be passed before a lost connection is reopened. */
  readonly gate: ConnectionGate;
  /** Reports whether the token may write. */
  readonly mayWrite: boolean;
  /** Returns the past moment that is shown: a resource version, a time, or "" for now. Undefined: always now. */
  readonly moment?: () => string;
}

/** A second subprotocol, which the server selects so that it does not echo the token. */
const watchProtocol = "v1.watch.sandbar.dev";
const pageSize = 500;

/** Returns the source of a collection such as `/api/v1/pods`. `query` contains selectors. */
export function collectionOf<T extends KubeObject>(
  access: ClusterAccess,
  path: string,
  query: Readonly<Record<string, string>> = {},
): ListSource<T> {
  let isFirst = true;
  const pass = async () => {
    if (!isFirst || access.gate.ended.value) await access.gate.pass();
    isFirst = false;
  };
  return {
    async page(next) {
      if (next === undefined) await pass();
      return pageOf<T>(await listPage(access, path, { ...query, limit: String(pageSize), ...continued(next) }));
    },
    async watch(revision, handlers) {
      if (access.moment?.()) return stillWatch(handlers);
      const parameters = new URLSearchParams({
        ...query,
        watch: "1",
        allowWatchBookmarks: "true",
        resourceVersion: revision,
      });
      return watching(await openSocket(access, `${path}?${parameters}`, [watchProtocol]), handlers);
    },
  };
}

/** The watch of a past moment, in which nothing changes. */
export function stillWatch({ opened }: Pick<WatchHandlers, "opened">): () => void {
  opened();
  return () => undefined;
}

/** Adds the past moment that is shown, if any, to a path. */
export function withMoment(path: string, at: string | undefined): string {
  return at ? `${path}${path.includes("?") ? "&" : "?"}at=${encodeURIComponent(at)}` : path;
}

export function continued(next: string | undefined): Record<string, string> {
  return next ? { continue: next } : {};
}

/** Reads a page of a list in the form that `accept` requests. Throws a `ListRefused`. */
export async function listPage(
  access: ClusterAccess,
  path: string,
  query: Readonly<Record<string, string>>,
  accept = "application/json",
): Promise<unknown> {
  const answer = await ask(access, `${path}?${new URLSearchParams(query)}`, { headers: { accept } });
  if (!answer.ok) throw new ListRefused(answer.status, await reasonOf(answer));
  return answer.json();
}

/** Sends a request with the token, and repeats it once with a new token if the first was refused. */
export async function ask(access: ClusterAccess, path: string, init: RequestInit = {}): Promise<Response> {
  const send = async (stale: boolean): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${await access.tokenSource(stale)}`);
    return fetchOwn(`/c/${access.id}${withMoment(path, access.moment?.())}`, { ...init, headers });
  };
  const answer = await send(false);
  return answer.status === 401 ? send(true) : answer;
}

/** Opens a WebSocket at a path of the cluster. */
export async function openSocket(
  access: ClusterAccess,
  path: string,
  protocols: readonly string[],
): Promise<WebSocket> {
  return socketWith(access.id, await access.tokenSource(false), withMoment(path, access.moment?.()), protocols);
}

export function socketWith(id: string, token: string, path: string, protocols: readonly string[]): WebSocket {
  const bearer = `base64url.bearer.authorization.k8s.io.${base64UrlOfText(token)}`;
  return new WebSocket(`${location.origin.replace(/^http/, "ws")}/c/${id}${path}`, [bearer, ...protocols]);
}

/** Forwards the messages of a WebSocket. Returns a function that ends the watch. */
export function watching(socket: WebSocket, handlers: WatchHandlers): () => void {
  socket.binaryType = "arraybuffer";
  const decoder = new TextDecoder();
  let left = false;
  socket.addEventListener("open", () => {
    if (left) socket.close();
    else handlers.opened();
  });
  socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (!left) handlers.message(typeof data === "string" ? data : decoder.decode(data));
  });
  socket.addEventListener("close", () => {
    if (!left) handlers.closed();
  });
  return () => {
    left = true;
    // A browser reports a socket that is closed before it is open as an error, so it is closed once it is open.
    if (socket.readyState !== WebSocket.CONNECTING) socket.close();
  };
}

/** The server sends lists of upstream's type. */
function pageOf<T>(body: unknown): Page<T> {
  const { metadata, items } = body as {
    metadata: { resourceVersion?: string; continue?: string };
    items: T[] | null;
  };
  return { items: items ?? [], revision: metadata.resourceVersion ?? "", next: metadata.continue };
}

async function reasonOf(answer: Response): Promise<string> {
  try {
    const status = (await answer.json()) as { message?: string };
    return status.message ?? answer.statusText;
  } catch {
    return answer.statusText;
  }
}
