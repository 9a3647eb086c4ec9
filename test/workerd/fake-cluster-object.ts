// A cluster's object that knows only the watch protocol and the calls of the edge: events are numbered texts.
import { DurableObject } from "cloudflare:workers";
import type {
  AddedToken,
  ClusterRpc,
  ImportPart,
  InitializeOptions,
  InitializeResult,
  NewToken,
  StoredToken,
} from "../../shared/contract/cluster-object.ts";
import { internalHeaders, tokenIdLength } from "../../shared/contract/cluster-object.ts";

/** Events a join may be behind; more must be pulled. */
const joinEvents = 100;

export class ClusterObject extends DurableObject<unknown> implements ClusterRpc {
  /** Event `n` has revision `n + 1`. */
  #events: string[] = [];
  #oldest = 0;
  readonly #tokens: NewToken[] = [];
  readonly #seen: { path: string; headers: Record<string, string> }[] = [];
  #pulls = 0;

  async initialize({ manifests }: InitializeOptions): Promise<InitializeResult> {
    if (manifests !== "bad") return { ok: true };
    return { ok: false, code: "invalid_manifests", message: "no such kind", field: "manifests" };
  }
  async receiveImport(): Promise<{ readonly ok: true }> {
    return { ok: true };
  }
  async continueImport(): Promise<ImportPart> {
    return { ok: true, isDone: true, notImported: [], start: { isReady: true, isPaused: false } };
  }
  async addToken(token: NewToken): Promise<AddedToken> {
    this.#tokens.push(token);
    return "added";
  }
  async listTokens(): Promise<StoredToken[]> {
    return this.#tokens.map(({ hash, ...token }) => ({ ...token, id: hash.slice(0, tokenIdLength) }));
  }
  async removeToken(): Promise<boolean> {
    return false;
  }
  async renewTokens(): Promise<boolean> {
    return true;
  }
  async listAuditEvents(): Promise<never[]> {
    return [];
  }
  async countStoredRows(): Promise<number> {
    return 0;
  }
  async destroy(): Promise<void> {
    for (const socket of this.ctx.getWebSockets()) socket.close(1001, "gone");
  }

  // What tests ask.
  async emit(count: number, characters: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      const revision = this.#events.length + 1;
      this.#events.push(`${JSON.stringify({ type: "ADDED", object: { revision, text: "x".repeat(characters) } })}\n`);
      for (const socket of this.ctx.getWebSockets()) socket.send(`${revision}\n${this.#events.at(-1)}`);
    }
  }
  async compact(): Promise<void> {
    this.#oldest = this.#events.length;
  }
  async counts() {
    return { requests: this.#seen, pulls: this.#pulls, sockets: this.ctx.getWebSockets().length, tokens: this.#tokens };
  }

  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const mode = request.headers.get(internalHeaders.watch);
    this.#seen.push({ path: url.pathname + url.search, headers: Object.fromEntries(request.headers) });
    if (url.pathname === "/cookies") return cookies();
    if (!mode) return new Response(`you asked for ${url.pathname}`, { headers: { "content-type": "text/html" } });
    const sinceHeader = request.headers.get(internalHeaders.since);
    const since = sinceHeader === null ? this.#oldest : Number(sinceHeader);
    if (since < this.#oldest) return gone();
    return mode === "join" ? this.#join(since) : this.#pull(since, url);
  }

  #pull(since: number, url: URL): Response {
    if (url.pathname.endsWith("/not-a-watch")) return Response.json({ kind: "Namespace" });
    if (url.pathname.endsWith("/forbidden")) return Response.json({ kind: "Status", code: 403 }, { status: 403 });
    this.#pulls++;
    const events = this.#events.slice(since);
    const bookmark = JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "$R" } } });
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const event = events.shift();
        if (event === undefined) controller.close();
        else controller.enqueue(encoder.encode(event));
      },
    });
    return new Response(body, {
      headers: {
        "content-type": "application/json",
        [internalHeaders.revision]: String(this.#events.length),
        ...(url.searchParams.get("allowWatchBookmarks") ? { [internalHeaders.bookmark]: bookmark } : {}),
      },
    });
  }

  #join(since: number): Response {
    const missed = this.#events.slice(since);
    if (missed.length > joinEvents) return new Response(null, { status: 409 });
    const pair = new WebSocketPair();
    this.ctx.acceptWebSocket(pair[1]);
    if (missed.length > 0) pair[1].send(`${this.#events.length}\n${missed.join("")}`);
    return new Response(null, { status: 101, webSocket: pair[0] });
  }

  override webSocketClose(socket: WebSocket): void {
    try {
      socket.close(1000, "");
    } catch {
      // Answered already.
    }
  }
}

function gone(): Response {
  return Response.json({ kind: "Status", code: 410, reason: "Expired", message: "too old" }, { status: 410 });
}

/** Answers with cookies, as a tenant's server might. */
function cookies(): Response {
  const headers = new Headers();
  for (const name of [
    "sandbar-session",
    "__Secure-sandbar-session",
    " sandbar-oauth",
    "sandbar-lti-abcdefgh",
    "theirs",
  ])
    headers.append("set-cookie", `${name}=theirs; Path=/v1`);
  return new Response("ok", { headers });
}
