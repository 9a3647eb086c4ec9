// The live watches of a cluster: hibernatable sockets, each with its spec as attachment. A spec too long for it stands in SQLite.
import type { OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import { limits } from "../../../shared/base/limits.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import { faultyRenderer, rendererOf, type WatchSpec } from "../../api/verbs/watch-spec.ts";
import type { WatchFaults } from "../../api/faults.ts";
import type { Credential, WatchSockets } from "../../api/api-server.ts";
import type { Registry } from "../../registry/registry.ts";
import { hash64 } from "../../runtime/hash.ts";
import type { Sql } from "../../store/sql.ts";
import { acceptSocket, closeSocket, kindOf } from "./sockets.ts";
import { isTimelined } from "../time/past/timelined.ts";
import { deleteMeta, readMeta, writeMeta } from "../../store/tables.ts";
import type { ChangeNews } from "./change-news.ts";
import { type FaultyWatches, WatchGroups } from "./watch-groups.ts";

export interface LiveWatchesOptions {
  readonly state: DurableObjectState;
  readonly registry: Registry;
  readonly sql: Sql;
  /** How many may be open, and how many lifelines. */
  limited(): number;
  lifelines(): number;
  /** Signals changes to those who follow the timeline. */
  readonly changeNews: ChangeNews;
  /** Watches that are no sockets of this kind, and count as well. */
  otherSockets(): number;
  report(error: unknown, where: string): void;
  /** Asks, and then flushes. */
  ask(calls: readonly OutboundCall[]): void;
  /** The machine's clock. */
  realMs(): number;
  /** Waits for milliseconds of real time. */
  wait(ms: number): Promise<void>;
  readonly faults: LiveWatchFaults;
}

export interface LiveWatchFaults extends WatchFaults {
  /** Applies to the watches what faults decided since the last flush. */
  flush(watches: FaultyWatches): void;
}

/** The attachment of a hibernated socket. A specification that is too long for it is in SQLite under the key. */
type Attachment = { readonly spec: string } | { readonly key: string };

/** Bytes that the platform's framing of an attachment may need beside the text. */
const attachmentOverhead = 512;

export class LiveWatches implements WatchSockets {
  readonly #options: LiveWatchesOptions;
  readonly #groups: WatchGroups<WebSocket>;

  /** Takes up the sockets that slept with the object. */
  constructor(options: LiveWatchesOptions) {
    const { state, registry, sql, report, ask } = options;
    this.#options = options;
    const { faults, wait } = options;
    this.#groups = new WatchGroups({
      wait,
      delayMs: ({ client, resource }) => (client && !faults.isIdle ? faults.delayMs(client, resource) : 0),
      meter: options.registry.store.meter,
      nowMs: () => registry.clock.nowMs(),
      realMs: options.realMs,
      report,
      ask,
      forget: (spec) => {
        if (isLong(spec)) deleteMeta(sql, keyOf(spec));
      },
    });
    for (const socket of state.getWebSockets()) if (kindOf(state, socket) === "watch") this.#adopt(socket);
    registry.store.onChange((change) => {
      this.#groups.push(change);
      if (isTimelined(change.resource)) options.changeNews.changed();
    });
    registry.catalogue.onReplaced((resource) => this.#groups.endOf(resource));
  }

  /** How many are open. */
  get size(): number {
    return this.#groups.size;
  }

  requireQuota(): void {
    const { otherSockets, limited: limitOf } = this.#options;
    const [used, limited] = [this.#groups.size + otherSockets(), limitOf()];
    if (used >= limited) throw limitExceeded("watches", { used, limited });
  }

  join(spec: string, revision: number, catchUp: string, credential: Credential | undefined): Response {
    // The newcomer has what is waiting in its catch-up already.
    this.flush();
    this.#groups.endIfHeld(spec);
    const { client, server } = acceptSocket(this.#options.state, "watch", credential);
    server.serializeAttachment(this.#attachmentOf(spec));
    server.send(`${revision}\n${catchUp}`);
    this.#add(spec, server);
    return new Response(null, { status: 101, webSocket: client });
  }

  hold(credential: Credential | undefined): Response {
    const { state } = this.#options;
    const [used, limited] = [state.getWebSockets("lifeline").length, this.#options.lifelines()];
    if (used >= limited) throw limitExceeded("lifelines", { used, limited });
    return new Response(null, { status: 101, webSocket: acceptSocket(state, "lifeline", credential).client });
  }

  followChanges(credential: Credential | undefined): Response {
    return this.#options.changeNews.join(credential);
  }

  /** Sends what was written since the last flush to the watches that it concerns. */
  flush(): void {
    this.#groups.flush();
    this.#options.changeNews.flush();
    this.#options.faults.flush(this.#groups);
  }

  drop(socket: WebSocket): void {
    this.#groups.drop(socket);
  }

  /** Ends all watches. Their clients pull the following changes, or learn that their revision is gone. */
  endAll(): void {
    this.#groups.endAll();
  }

  /** Forgets all watches, because their sockets are closed. */
  forget(): void {
    this.#groups.clear();
  }

  #add(spec: string, socket: WebSocket): void {
    const { registry } = this.#options;
    // The text was written by the watch verb from a spec that had been checked.
    const renderer = () =>
      faultyRenderer(
        rendererOf(registry.catalogue, registry.store.meter, JSON.parse(spec) as WatchSpec),
        this.#options.faults,
      );
    this.#groups.add(spec, socket, registry.store.revision, renderer);
  }

  #attachmentOf(spec: string): Attachment {
    if (!isLong(spec)) return { spec };
    writeMeta(this.#options.sql, keyOf(spec), spec);
    return { key: keyOf(spec) };
  }

  #adopt(socket: WebSocket): void {
    try {
      // join wrote it.
      const attachment = socket.deserializeAttachment() as Attachment;
      const spec = "spec" in attachment ? attachment.spec : readMeta(this.#options.sql, attachment.key);
      this.#add(spec ?? "", socket);
    } catch (error) {
      // A watch of an older version of this service: its client comes back.
      this.#options.report(error, "a watch that slept");
      closeSocket(socket, 1011, "the watch is unknown");
    }
  }
}

function isLong(spec: string): boolean {
  return spec.length * 2 + attachmentOverhead >= limits.socketAttachmentBytes;
}

function keyOf(spec: string): string {
  return `watch:${hash64(spec)}`;
}
