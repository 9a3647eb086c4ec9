// The live watches of a cluster: hibernatable sockets, each with its spec as attachment. Equal specs are rendered once.
import { type Question, Unanswered } from "../../shared/k8s/question.ts";
import { limits } from "../../shared/base/limits.ts";
import { type Renderer, rendererOf, type WatchSpec } from "../api/watch-spec.ts";
import type { WatchSockets } from "../api/service.ts";
import type { Registry } from "../registry/registry.ts";
import { hash64 } from "../runtime/hash.ts";
import type { Change } from "../store/change.ts";
import type { Sql } from "../store/sql.ts";
import { isTunnels } from "./outside/tunnels.ts";
import { deleteMeta, readMeta, writeMeta } from "../store/tables.ts";

interface Group {
  readonly renderer: Renderer;
  readonly sockets: Set<WebSocket>;
  /** All of its sockets have been told of this revision, or of a later one. */
  toldRevision: number;
  /** Changes that wait until someone has been asked how they are shown. */
  held: readonly Change[];
}

/** What a hibernated socket keeps; a spec too long for it stands in SQLite under a key. */
type Attachment = { readonly spec: string } | { readonly key: string };

/** Bytes that the platform's framing of an attachment may need beside the text. */
const attachmentOverhead = 512;

export class LiveWatches implements WatchSockets {
  readonly #state: DurableObjectState;
  readonly #registry: Registry;
  readonly #sql: Sql;
  readonly #report: (error: unknown, where: string) => void;
  /** Asks, and then flushes. */
  readonly #ask: (questions: readonly Question[]) => void;
  readonly #groups = new Map<string, Group>();
  #changes: Change[] = [];

  /** Takes up the sockets that slept with the object. */
  constructor(
    state: DurableObjectState,
    registry: Registry,
    sql: Sql,
    report: (error: unknown, where: string) => void,
    ask: (questions: readonly Question[]) => void,
  ) {
    this.#state = state;
    this.#registry = registry;
    this.#sql = sql;
    this.#report = report;
    this.#ask = ask;
    for (const socket of state.getWebSockets()) if (!isTunnels(state, socket)) this.#adopt(socket);
    registry.store.onChange((change) => {
      if (this.#groups.size > 0) this.#changes.push(change);
    });
    registry.catalogue.onReplaced((resource) => this.#endOf(resource));
  }

  join(spec: string, revision: number, catchUp: string): Response {
    // The newcomer has what is waiting in its catch-up already.
    this.flush();
    this.#endIfHeld(spec);
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    server.serializeAttachment(this.#attachmentOf(spec));
    server.send(`${revision}\n${catchUp}`);
    this.#groupOf(spec).sockets.add(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends what was written since the last flush to the watches that it concerns. */
  flush(): void {
    const changes = this.#changes;
    this.#changes = [];
    for (const [spec, group] of this.#groups) {
      const all = group.held.length > 0 ? [...group.held, ...changes] : changes;
      if (all.length === 0) continue;
      group.held = [];
      try {
        this.#tell(group, all);
      } catch (error) {
        // A watch that would miss a change is ended instead.
        this.#report(error, `watch of ${spec}`);
        for (const socket of group.sockets) close(socket, 1011, "the watch failed");
        this.#forget(spec);
      }
    }
  }

  drop(socket: WebSocket): void {
    for (const [spec, group] of this.#groups) {
      group.sockets.delete(socket);
      if (group.sockets.size === 0) this.#forget(spec);
    }
  }

  #forget(spec: string): void {
    this.#groups.delete(spec);
    if (isLong(spec)) deleteMeta(this.#sql, keyOf(spec));
  }

  /** What is watched is not any more what it was: watches have what was written so far, and end. */
  #endOf(resource: string): void {
    this.flush();
    for (const [spec, group] of this.#groups) {
      if (group.renderer.resource !== resource) continue;
      for (const socket of group.sockets) close(socket, 1001, "the definition has changed");
      this.#forget(spec);
    }
  }

  closeAll(reason: string): void {
    for (const socket of this.#state.getWebSockets()) close(socket, 1001, reason);
    this.#groups.clear();
    this.#changes = [];
  }

  /** Frames of a bounded size, so that a turn that wrote much fits into messages and no watcher is sent all of it at once. */
  #tell(group: Group, changes: readonly Change[]): void {
    const nowMs = this.#registry.clock.nowMs();
    let lines = "";
    for (const [index, change] of changes.entries()) {
      if (change.resource !== group.renderer.resource) continue;
      const line = this.#rendered(group, change, nowMs);
      if (line === "waiting") {
        if (lines !== "") this.#send(group, changes[index - 1]?.revision ?? 0, lines);
        group.held = changes.slice(index);
        return;
      }
      lines += line;
      if (lines.length < limits.watchFrameBytes) continue;
      this.#send(group, change.revision, lines);
      lines = "";
    }
    const revision = changes.at(-1)?.revision ?? 0;
    if (lines !== "" || revision - group.toldRevision >= limits.watchTellRevisions) this.#send(group, revision, lines);
  }

  #rendered(group: Group, change: Change, nowMs: number): string {
    try {
      return group.renderer.change(change, nowMs) ?? "";
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      this.#ask(error.questions);
      return "waiting";
    }
  }

  /** Watches that lag behind would be joined by one that does not: they end, and come again. */
  #endIfHeld(spec: string): void {
    const group = this.#groups.get(spec);
    if (!group || group.held.length === 0) return;
    for (const socket of group.sockets) close(socket, 1001, "the watch lags behind");
    this.#forget(spec);
  }

  #send(group: Group, revision: number, lines: string): void {
    group.toldRevision = revision;
    for (const socket of group.sockets) {
      try {
        socket.send(`${revision}\n${lines}`);
      } catch {
        // The other end is gone and its close is on the way.
        group.sockets.delete(socket);
      }
    }
  }

  #groupOf(spec: string): Group {
    const found = this.#groups.get(spec);
    if (found) return found;
    // The text was written by the watch verb from a spec that had been checked.
    const renderer = rendererOf(this.#registry.catalogue, JSON.parse(spec) as WatchSpec);
    const group = { renderer, sockets: new Set<WebSocket>(), toldRevision: this.#registry.store.revision, held: [] };
    this.#groups.set(spec, group);
    return group;
  }

  #attachmentOf(spec: string): Attachment {
    if (!isLong(spec)) return { spec };
    writeMeta(this.#sql, keyOf(spec), spec);
    return { key: keyOf(spec) };
  }

  #adopt(socket: WebSocket): void {
    try {
      // join wrote it.
      const attachment = socket.deserializeAttachment() as Attachment;
      const spec = "spec" in attachment ? attachment.spec : readMeta(this.#sql, attachment.key);
      this.#groupOf(spec ?? "").sockets.add(socket);
    } catch (error) {
      // A watch of an older version of this service: its client comes back.
      this.#report(error, "a watch that slept");
      close(socket, 1011, "the watch is unknown");
    }
  }
}

function isLong(spec: string): boolean {
  return spec.length * 2 + attachmentOverhead >= limits.socketAttachmentBytes;
}

function keyOf(spec: string): string {
  return `watch:${hash64(spec)}`;
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already.
  }
}
