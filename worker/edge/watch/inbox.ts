// The queue of a watching client: live frames up to a limit, and the reasons to stop.

import { limits } from "../../../shared/base/limits.ts";
import type { Holding } from "./holdings.ts";

/**
 * The state. `overflowed`: the queue was dropped and must be pulled again. `expired`: it was dropped and the watch ends with `Expired`.
 * `closed`: the cluster ended it. `ended`: the edge ended it.
 */
export type InboxState = "open" | "overflowed" | "expired" | "closed" | "ended";

export interface Delivery {
  /** The newline-terminated events; empty for a frame that only advances the revision. */
  readonly events: string;
  /** The revision up to which the client is complete after these events. */
  readonly revision: string;
}

export class Inbox {
  readonly #limit: number;
  readonly #holding: Pick<Holding, "add" | "remove">;
  #events: string[] = [];
  /** The revisions of the frames in `#events`. */
  #revisions: string[] = [];
  #size = 0;
  #state: InboxState = "open";
  #bookmarkDue = false;
  #wake: (() => void) | undefined;

  /** The limit is in characters, because the cluster's events are nearly all ASCII. */
  constructor(limit: number, holding: Pick<Holding, "add" | "remove">) {
    this.#limit = limit;
    this.#holding = holding;
  }

  get state(): InboxState {
    return this.#state;
  }

  /** Queues a frame `<revision>\n<events>`. */
  push(frame: string): void {
    if (this.#state !== "open") return;
    const end = frame.indexOf("\n");
    const events = frame.slice(end + 1);
    if (this.#size + events.length > this.#limit) {
      this.drop("overflowed");
      return;
    }
    this.#events.push(events);
    this.#revisions.push(frame.slice(0, end));
    this.#size += events.length;
    // May call `drop`.
    this.#holding.add(events.length);
    this.#wake?.();
  }

  /** Drops the queue. */
  drop(reason: "overflowed" | "expired"): void {
    this.#holding.remove(this.#size);
    this.#events = [];
    this.#revisions = [];
    this.#size = 0;
    this.stop(reason);
  }

  /** Stops the queue. The first reason counts, except that `ended` overrides every other. */
  stop(reason: Exclude<InboxState, "open">): void {
    if (this.#state === "open" || reason === "ended") this.#state = reason;
    this.#wake?.();
  }

  askBookmark(): void {
    this.#bookmarkDue = true;
    this.#wake?.();
  }

  /** Reports whether a bookmark was requested since the last call. */
  takeBookmark(): boolean {
    const due = this.#bookmarkDue;
    this.#bookmarkDue = false;
    return due;
  }

  /** Returns the data of the next write: a frame, or several small ones. It counts as held until `taken`. */
  take(): Delivery | undefined {
    let events = this.#events.shift();
    let revision = this.#revisions.shift();
    if (events === undefined || revision === undefined) return undefined;
    for (let next = this.#events[0]; next !== undefined; next = this.#events[0]) {
      if (events.length + next.length > limits.watchWriteBytes) break;
      events += next;
      revision = this.#revisions.shift() ?? revision;
      this.#events.shift();
    }
    this.#size -= events.length;
    return { events, revision };
  }

  /** Releases data that the client has received. */
  taken({ events }: Delivery): void {
    this.#holding.remove(events.length);
  }

  /** Resolves when there is data, or when no more will come. */
  async ready(): Promise<void> {
    if (this.#state !== "open" || this.#revisions.length > 0 || this.#bookmarkDue) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
