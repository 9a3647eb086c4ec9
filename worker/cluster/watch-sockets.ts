// The live watches of a cluster: hibernatable sockets, each with its spec as attachment. Equal specs are rendered once.
import { limits } from "../../shared/base/limits.ts";
import { type Renderer, rendererOf, type WatchSpec } from "../api/watch-spec.ts";
import type { WatchSockets } from "../api/service.ts";
import type { Registry } from "../registry/registry.ts";
import { hash64 } from "../runtime/hash.ts";
import type { Change } from "../store/change.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";

interface Group {
  readonly renderer: Renderer;
  readonly sockets: Set<WebSocket>;
}

/** What a hibernated socket keeps; a spec too long for it stands in SQLite under a key. */
type Attachment = { readonly spec: string } | { readonly key: string };

/** Bytes that the platform's framing of an attachment may need beside the text. */
const attachmentOverhead = 512;

export class LiveWatches implements WatchSockets {
  readonly #state: DurableObjectState;
  readonly #registry: Registry;
  readonly #sql: Sql;
  readonly #groups = new Map<string, Group>();
  #changes: Change[] = [];

  /** Takes up the sockets that slept with the object. */
  constructor(state: DurableObjectState, registry: Registry, sql: Sql) {
    this.#state = state;
    this.#registry = registry;
    this.#sql = sql;
    for (const socket of state.getWebSockets()) this.#adopt(socket);
    registry.store.onChange((change) => {
      if (this.#groups.size > 0) this.#changes.push(change);
    });
  }

  get size(): number {
    let count = 0;
    for (const group of this.#groups.values()) count += group.sockets.size;
    return count;
  }

  join(spec: string, revision: number, catchUp: string): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    server.serializeAttachment(this.#attachmentOf(spec));
    server.send(`${revision}\n${catchUp}`);
    this.#groupOf(spec).sockets.add(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends what was written since the last flush: one frame for each watch that it concerns. */
  flush(): void {
    const changes = this.#changes;
    if (changes.length === 0) return;
    this.#changes = [];
    const nowMs = this.#registry.clock.nowMs();
    const revision = changes.at(-1)?.revision ?? 0;
    for (const group of this.#groups.values()) {
      let lines = "";
      for (const change of changes) {
        if (change.resource === group.renderer.resource) lines += group.renderer.change(change, nowMs) ?? "";
      }
      if (lines === "") continue;
      for (const socket of group.sockets) this.#send(group, socket, `${revision}\n${lines}`);
    }
  }

  drop(socket: WebSocket): void {
    for (const [spec, group] of this.#groups) {
      if (group.sockets.delete(socket) && group.sockets.size === 0) this.#groups.delete(spec);
    }
  }

  closeAll(reason: string): void {
    for (const socket of this.#state.getWebSockets()) {
      try {
        socket.close(1001, reason);
      } catch {
        // It is closed already.
      }
    }
    this.#groups.clear();
  }

  #send(group: Group, socket: WebSocket, frame: string): void {
    try {
      socket.send(frame);
    } catch {
      // The other end is gone and its close is on the way.
      group.sockets.delete(socket);
    }
  }

  #groupOf(spec: string): Group {
    const found = this.#groups.get(spec);
    if (found) return found;
    // The text was written by the watch verb from a spec that had been checked.
    const group = {
      renderer: rendererOf(this.#registry.catalogue, JSON.parse(spec) as WatchSpec),
      sockets: new Set<WebSocket>(),
    };
    this.#groups.set(spec, group);
    return group;
  }

  #attachmentOf(spec: string): Attachment {
    if (spec.length * 2 + attachmentOverhead < limits.socketAttachmentBytes) return { spec };
    const key = `watch:${hash64(spec)}`;
    writeMeta(this.#sql, key, spec);
    return { key };
  }

  #adopt(socket: WebSocket): void {
    // join wrote it.
    const attachment = socket.deserializeAttachment() as Attachment | null;
    const spec = attachment && ("spec" in attachment ? attachment.spec : readMeta(this.#sql, attachment.key));
    if (spec) this.#groupOf(spec).sockets.add(socket);
    else socket.close(1011, "the watch is unknown");
  }
}
