// A sandbox's Kubernetes API as a browser reaches it: lists by fetch, watches by WebSocket with the token as a subprotocol.
import { base64UrlOfText } from "../../shared/base/base64.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Gate } from "../live/ended.ts";
import { fetchOwn } from "./fetching.ts";
import { type ListSource, ListRefused, type Page, type WatchHandlers } from "../live/informer.ts";

export interface ClusterAccess {
  readonly id: string;
  /** Asked before every request, so that a token may be renewed; `stale` after the last one was refused. */
  readonly token: (stale: boolean) => Promise<string>;
  /** Passed before a lost connection is made again. */
  readonly gate: Gate;
  /** Whether its token may change things. */
  readonly mayWrite: boolean;
  /** Returns the past moment that is shown: a resource version, a time, or "" for now. Undefined: always now. */
  readonly at?: () => string;
}

/** Any second protocol will do: it is what the server echoes instead of the token. */
const watchProtocol = "v1.watch.sandbar.dev";
const pageSize = 500;

/** `path` is a collection's: `/api/v1/pods`. `query`: selectors. */
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
      if (access.at?.()) return stillWatch(handlers);
      const asked = new URLSearchParams({
        ...query,
        watch: "1",
        allowWatchBookmarks: "true",
        resourceVersion: revision,
      });
      return watching(await openSocket(access, `${path}?${asked}`, [watchProtocol]), handlers);
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

/** A page of a list, in whatever form `accept` asks for. Throws a `ListRefused`. */
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

/** A request to the sandbox with the token; once more with a new one, where that was refused. */
export async function ask(access: ClusterAccess, path: string, init: RequestInit = {}): Promise<Response> {
  const send = async (stale: boolean): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${await access.token(stale)}`);
    return fetchOwn(`/c/${access.id}${withMoment(path, access.at?.())}`, { ...init, headers });
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
  return socketWith(access.id, await access.token(false), withMoment(path, access.at?.()), protocols);
}

export function socketWith(id: string, token: string, path: string, protocols: readonly string[]): WebSocket {
  const bearer = `base64url.bearer.authorization.k8s.io.${base64UrlOfText(token)}`;
  return new WebSocket(`${location.origin.replace(/^http/, "ws")}/c/${id}${path}`, [bearer, ...protocols]);
}

/** Gives what ends it. */
export function watching(socket: WebSocket, handlers: WatchHandlers): () => void {
  socket.binaryType = "arraybuffer";
  const decoder = new TextDecoder();
  let left = false;
  socket.addEventListener("open", () => handlers.opened());
  socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (!left) handlers.message(typeof data === "string" ? data : decoder.decode(data));
  });
  socket.addEventListener("close", () => {
    if (!left) handlers.closed();
  });
  return () => {
    left = true;
    socket.close();
  };
}

/** The server sends lists as upstream's type says. */
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
