// Live watches by what they watch: equal specs are rendered once, and what one turn renders and sends has a bound.
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { type OutboundCall, PendingCalls } from "../../../shared/k8s/outbound-call.ts";
import { faultLimits } from "../../../shared/contract/cluster/fault-limits.ts";
import { limits } from "../../../shared/base/limits.ts";
import { pullAgain, watchExpired } from "../../../shared/contract/cluster-object.ts";
import type { FaultClient } from "../../api/faults.ts";
import type { Renderer } from "../../api/verbs/watch-spec.ts";
import type { Change } from "../../store/change.ts";

/** A socket's end in the object. */
export interface WatchSocket {
  send(frame: string): void;
  close(code: number, reason: string): void;
}

/** The live watches, as faults act on them. */
export interface FaultyWatches {
  /** Closes the watches of the clients that a predicate selects, after they have received what was written so far. */
  endClients(isSelected: (client: FaultClient, resource: string) => boolean, code: number, reason: string): void;
  /** Sends changes that were held back to the watches of the clients that a predicate selects for each. */
  release(changes: readonly Change[], wasHeld: (client: FaultClient, change: Change) => boolean): void;
  /** Has each watch come again, so that its client is known. */
  endAll(): void;
}

interface Group<S> {
  readonly renderer: Renderer;
  readonly sockets: Set<S>;
  /** All of its sockets have been told of this revision, or of a later one. */
  sentRevision: number;
  /** Changes that wait until someone has been asked how they are shown. */
  pendingChanges: readonly Change[];
  /** The frames that a fault delays, and when the last of them is due. */
  delayed: number;
  delayedUntilMs: number;
}

export interface WatchGroupsOptions {
  /** The meter that rendering charges. */
  readonly meter: WorkMeter;
  nowMs(): number;
  /** The machine's clock. */
  realMs(): number;
  report(error: unknown, where: string): void;
  /** Asks, and then flushes. */
  ask(calls: readonly OutboundCall[]): void;
  /** Waits for milliseconds of real time. */
  wait(ms: number): Promise<void>;
  /** Returns the milliseconds by which a fault delays the events of a watch. */
  delayMs(renderer: Renderer): number;
  /** Nobody watches by this spec any more. */
  forget(spec: string): void;
}

/** Costs of looking at a change, rendering a character, a unit of work beside it, and sending a frame, in characters sent. */
const cost = { look: 300, render: 4, work: 300, frame: 1000 };

export class WatchGroups<S extends WatchSocket> {
  readonly #options: WatchGroupsOptions;
  readonly #groups = new Map<string, Group<S>>();
  #changes: Change[] = [];
  /** The remaining budget of this flush. */
  #left = 0;

  constructor(options: WatchGroupsOptions) {
    this.#options = options;
  }

  get size(): number {
    let size = 0;
    for (const { sockets } of this.#groups.values()) size += sockets.size;
    return size;
  }

  push(change: Change): void {
    if (this.#groups.size > 0) this.#changes.push(change);
  }

  /** A socket that is complete up to `revision`. */
  add(spec: string, socket: S, revision: number, renderer: () => Renderer): void {
    let group = this.#groups.get(spec);
    if (!group) {
      group = {
        renderer: renderer(),
        sockets: new Set(),
        sentRevision: revision,
        pendingChanges: [],
        delayed: 0,
        delayedUntilMs: 0,
      };
      this.#groups.set(spec, group);
    }
    group.sockets.add(socket);
  }

  drop(socket: S): void {
    for (const [spec, { sockets }] of this.#groups) {
      if (sockets.delete(socket) && sockets.size === 0) this.#forget(spec);
    }
  }

  /** Sends what was written since the last flush to the watches that it concerns; those it has no room for are to pull it. */
  flush(): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#left = limits.watchFlushCharacters;
    for (const [spec, group] of this.#groups) {
      const all = group.pendingChanges.length > 0 ? [...group.pendingChanges, ...changes] : changes;
      if (all.length === 0) continue;
      group.pendingChanges = [];
      try {
        if (!this.#sendChanges(group, all)) this.#end(spec, group, pullAgain, "the watch lags behind");
        else if (group.sockets.size === 0) this.#forget(spec);
      } catch (error) {
        // A watch that would miss a change is ended instead.
        this.#options.report(error, `watch of ${spec}`);
        this.#end(spec, group, 1011, "the watch failed");
      }
    }
  }

  /** Watches that lag behind would be joined by one that does not: they come again. */
  endIfHeld(spec: string): void {
    const group = this.#groups.get(spec);
    if (group && group.pendingChanges.length > 0) this.#end(spec, group, pullAgain, "the watch lags behind");
  }

  /** Ends the watches of a resource that changed its meaning, after they received what was written so far. */
  endOf(resource: string): void {
    this.flush();
    for (const [spec, group] of this.#groups) {
      if (group.renderer.resource === resource) this.#end(spec, group, 1001, "the definition has changed");
    }
  }

  /** Watches have what was written so far, and come again. */
  endAll(): void {
    this.flush();
    for (const [spec, group] of this.#groups) this.#end(spec, group, pullAgain, "the cluster was set to another state");
  }

  endClients(isSelected: (client: FaultClient, resource: string) => boolean, code: number, reason: string): void {
    for (const [spec, group] of this.#groups) {
      const { client, resource } = group.renderer;
      if (client && isSelected(client, resource)) this.#end(spec, group, code, reason);
    }
  }

  release(changes: readonly Change[], wasHeld: (client: FaultClient, change: Change) => boolean): void {
    this.#left = limits.watchFlushCharacters;
    for (const [spec, group] of this.#groups) {
      const { client, resource } = group.renderer;
      const delayedChanges = client
        ? changes.filter((change) => change.resource === resource && wasHeld(client, change))
        : [];
      if (delayedChanges.length === 0) continue;
      // The watch stays complete up to what it had: a frame never sets its revision back.
      const revision = Math.max(group.sentRevision, delayedChanges.at(-1)?.revision ?? 0);
      if (!this.#sendChanges(group, delayedChanges, revision))
        this.#end(spec, group, watchExpired, "the watch lags behind");
    }
  }

  clear(): void {
    this.#groups.clear();
    this.#changes = [];
  }

  /**
   * Frames of a bounded size, so that a turn that wrote much fits into messages and no watcher is sent all of it at once. Returns
   * false where the turn has sent as much as it may.
   */
  #sendChanges(group: Group<S>, changes: readonly Change[], upTo = changes.at(-1)?.revision ?? 0): boolean {
    const nowMs = this.#options.nowMs();
    let lines = "";
    for (const [index, change] of changes.entries()) {
      if (change.resource !== group.renderer.resource) continue;
      if (this.#left <= 0) return false;
      const before = this.#options.meter.spent;
      const line = this.#render(group, change, nowMs);
      if (line === "waiting") {
        if (lines !== "") this.#send(group, changes[index - 1]?.revision ?? 0, lines);
        group.pendingChanges = changes.slice(index);
        return group.pendingChanges.length <= limits.changeBatch;
      }
      const work = this.#options.meter.spent - before;
      this.#left -= cost.look + line.length * cost.render + work * cost.work;
      lines += line;
      if (lines.length < limits.watchFrameBytes) continue;
      this.#send(group, change.revision, lines);
      lines = "";
    }
    const revision = upTo;
    if (lines !== "" || revision - group.sentRevision >= limits.watchTellRevisions) this.#send(group, revision, lines);
    return true;
  }

  #render(group: Group<S>, change: Change, nowMs: number): string {
    try {
      return group.renderer.change(change, nowMs) ?? "";
    } catch (error) {
      if (!(error instanceof PendingCalls)) throw error;
      this.#options.ask(error.calls);
      return "waiting";
    }
  }

  #send(group: Group<S>, revision: number, lines: string): void {
    group.sentRevision = revision;
    // One text for all: each text that is sent would be copied when it is put together.
    const frame = `${revision}\n${lines}`;
    const delayMs = this.#options.delayMs(group.renderer);
    if (delayMs > 0 || group.delayed > 0) this.#sendLater(group, frame, delayMs);
    else this.#sendNow(group, frame);
  }

  /** Delays a frame, and keeps the order of frames. */
  #sendLater(group: Group<S>, frame: string, delayMs: number): void {
    const nowMs = this.#options.realMs();
    group.delayedUntilMs = Math.max(group.delayedUntilMs, nowMs + delayMs);
    group.delayed += 1;
    if (group.delayed > faultLimits.delayedFrames) {
      for (const socket of group.sockets) close(socket, watchExpired, "too many events are delayed");
      group.sockets.clear();
      return;
    }
    void this.#options.wait(group.delayedUntilMs - nowMs).then(() => {
      group.delayed -= 1;
      this.#left = limits.watchFlushCharacters;
      this.#sendNow(group, frame);
    });
  }

  #sendNow(group: Group<S>, frame: string): void {
    for (const socket of group.sockets) {
      if (this.#left <= 0) {
        group.sockets.delete(socket);
        close(socket, pullAgain, "the watch lags behind");
        continue;
      }
      this.#left -= cost.frame + frame.length;
      try {
        socket.send(frame);
      } catch {
        // The other end is gone and its close is on the way.
        group.sockets.delete(socket);
      }
    }
  }

  #end(spec: string, { sockets }: Group<S>, code: number, reason: string): void {
    for (const socket of sockets) close(socket, code, reason);
    this.#forget(spec);
  }

  #forget(spec: string): void {
    this.#groups.delete(spec);
    this.#options.forget(spec);
  }
}

export function close(socket: WatchSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already.
  }
}
