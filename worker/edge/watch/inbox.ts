// What waits for a watching client: live frames up to a bound, and the reasons to stop waiting for more.

import { limits } from "../../../shared/base/limits.ts";
import type { Holding } from "./holdings.ts";

/**
 * `overflowed`: the queue was dropped and must be pulled again. `expired`: it was dropped, and the watch ends with `Expired`. `closed`: the
 * cluster ended it. `ended`: the edge did.
 */
export type InboxState = "open" | "overflowed" | "expired" | "closed" | "ended";

export interface Delivery {
  /** Newline-terminated events; empty for a frame that only tells how far the cluster is. */
  readonly events: string;
  /** The client is complete up to here once it has the events. */
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

  /** The limit is in characters: what the cluster sends is nearly all ASCII. */
  constructor(limit: number, holding: Pick<Holding, "add" | "remove">) {
    this.#limit = limit;
    this.#holding = holding;
  }

  get state(): InboxState {
    return this.#state;
  }

  /** A frame `<revision>\n<events>`. */
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
    // It may come to `drop`.
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

  /** The first reason counts, but the end that the edge decides on comes before every other. */
  stop(reason: Exclude<InboxState, "open">): void {
    if (this.#state === "open" || reason === "ended") this.#state = reason;
    this.#wake?.();
  }

  askBookmark(): void {
    this.#bookmarkDue = true;
    this.#wake?.();
  }

  /** Whether a bookmark was asked for since the last time this was called. */
  takeBookmark(): boolean {
    const due = this.#bookmarkDue;
    this.#bookmarkDue = false;
    return due;
  }

  /** Takes what is written at once: a frame, or several small ones. It is held until `taken` is told of it. */
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

  /** Releases what was taken: the client has it. */
  taken({ events }: Delivery): void {
    this.#holding.remove(events.length);
  }

  /** Resolves when there is something to take, or nothing more will come. */
  async ready(): Promise<void> {
    if (this.#state !== "open" || this.#revisions.length > 0 || this.#bookmarkDue) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
