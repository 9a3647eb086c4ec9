// A sandbox's Kubernetes API as a browser reaches it: lists by fetch, watches by WebSocket with the token as a subprotocol.
import { base64UrlOfText } from "../../shared/base/base64.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type ListSource, ListRefused, type Page, type WatchHandlers } from "../live/informer.ts";

export interface ClusterAccess {
  readonly id: string;
  /** Asked before every request, so that a token may be renewed; `stale` after the last one was refused. */
  readonly token: (stale: boolean) => Promise<string>;
}

/** Any second protocol will do: it is what the server echoes instead of the token. */
const protocol = "v1.watch.sandbar.dev";
const pageSize = 500;

/** `path` is a collection's: `/api/v1/pods`. */
export function collectionOf<T extends KubeObject>({ id, token }: ClusterAccess, path: string): ListSource<T> {
  const base = `${location.origin}/c/${id}${path}`;
  const list = async (query: URLSearchParams, stale: boolean): Promise<Response> => {
    const answer = await fetch(`${base}?${query}`, { headers: { authorization: `Bearer ${await token(stale)}` } });
    return answer.status === 401 && !stale ? list(query, true) : answer;
  };
  return {
    async page(next) {
      const query = new URLSearchParams({ limit: String(pageSize), ...(next ? { continue: next } : {}) });
      const answer = await list(query, false);
      if (!answer.ok) throw new ListRefused(answer.status, await reasonOf(answer));
      return pageOf<T>(await answer.json());
    },
    async watch(revision, handlers) {
      const query = new URLSearchParams({ watch: "1", allowWatchBookmarks: "true", resourceVersion: revision });
      const address = `${base.replace(/^http/, "ws")}?${query}`;
      return open(address, await token(false), handlers);
    },
  };
}

function open(address: string, token: string, handlers: WatchHandlers): () => void {
  const bearer = `base64url.bearer.authorization.k8s.io.${base64UrlOfText(token)}`;
  const socket = new WebSocket(address, [bearer, protocol]);
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
