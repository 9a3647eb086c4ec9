// What waits for a watching client: live frames up to a bound, and the reasons to stop waiting for more.

/** `overflowed`: what was queued is dropped and must be pulled again. `closed`: the cluster ended it. `ended`: the edge did. */
export type InboxState = "open" | "overflowed" | "closed" | "ended";

export interface Delivery {
  /** Newline-terminated events; empty for a frame that only tells how far the cluster is. */
  readonly events: string;
  /** The client is complete up to here once it has the events. */
  readonly revision: string;
}

export class Inbox {
  readonly #limit: number;
  #events: string[] = [];
  #revision: string | undefined;
  #size = 0;
  #state: InboxState = "open";
  #bookmarkDue = false;
  #wake: (() => void) | undefined;

  /** The limit is in characters: what the cluster sends is nearly all ASCII. */
  constructor(limit: number) {
    this.#limit = limit;
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
      this.#events = [];
      this.#revision = undefined;
      this.#size = 0;
      this.stop("overflowed");
      return;
    }
    this.#events.push(events);
    this.#revision = frame.slice(0, end);
    this.#size += events.length;
    this.#wake?.();
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

  /** All that is queued. */
  take(): Delivery | undefined {
    const revision = this.#revision;
    if (revision === undefined) return undefined;
    const events = this.#events.join("");
    this.#events = [];
    this.#revision = undefined;
    this.#size = 0;
    return { events, revision };
  }

  /** Resolves when there is something to take, or nothing more will come. */
  async ready(): Promise<void> {
    if (this.#state !== "open" || this.#revision !== undefined || this.#bookmarkDue) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
