// The queue of one object for its turns on the thread that it shares with others: see `FairShares`. A light sandbox is let through at once.
// What waits is served in the order in which it came, some of it between two looks of the runtime for connections and requests.
import { limits } from "../../../shared/base/limits.ts";
import type { TurnOrder } from "../../api/api-server.ts";
import { observe } from "../../metrics/record.ts";
import type { FairShares, Share } from "./fair-shares.ts";

export interface TurnQueueOptions {
  readonly shares: FairShares;
  readonly nowMs: () => number;
  share(): Share;
  /** Returns the counted work of the open cluster in milliseconds: within a turn the platform's clock stands still. */
  workedMs(): number;
  /** Resolves after so many milliseconds, when the runtime has looked for connections and requests. */
  pause(ms: number): Promise<void>;
}

interface Waiter {
  readonly sinceMs: number;
  /** Set for a request that may be refused: what it holds, in bytes. */
  readonly bytes: number | undefined;
  serve(isServed: boolean): void;
}

/** Waiters that are served at once at most: each of them takes little. */
const batchMost = 20;
/** Microtasks within which a waiter that was served does its work, unless it awaits the runtime. */
const microtasks = 10;

export class TurnQueue implements TurnOrder {
  readonly #options: TurnQueueOptions;
  #waiters: Waiter[] = [];
  #requests = 0;
  #bytes = 0;
  #isServing = false;
  /** The usual duration of a recently served waiter in milliseconds. A long one counts at once. */
  #usualMs = 0;
  #isMeasuring = false;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  next(): Promise<void> | undefined {
    if (this.#isFree()) return undefined;
    return new Promise((done) => this.#wait(undefined, () => done()));
  }

  /**
   * The same for a request that comes in. A read of a sandbox that is alone is let through: it delays no other sandbox, and the runtime has
   * just looked. Writes wait, because those of one turn are committed together, which takes a third less for each. Resolves to false if the
   * request is refused: too many wait, they hold too many bytes, or it has waited too long. Upstream bounds its queues in the same way
   * (`queueLengthLimit`, and a quarter of the request's time).
   */
  admit(request: Request): Promise<boolean> | boolean {
    if (this.#isFree() || (request.method === "GET" && this.#isAlone())) return true;
    const bytes = requestBytes(request);
    const isFull = this.#requests >= limits.waitingRequests || this.#bytes + bytes > limits.waitingRequestBytes;
    if (isFull) return false;
    return new Promise((done) => this.#wait(bytes, done));
  }

  measure<T>(body: () => T): T {
    // What is measured within is part of it.
    if (this.#isMeasuring) return body();
    const { nowMs, shares, share, workedMs } = this.#options;
    const [beganMs, workedBeforeMs] = [nowMs(), workedMs()];
    this.#isMeasuring = true;
    try {
      return body();
    } finally {
      this.#isMeasuring = false;
      const tookMs = Math.max(nowMs() - beganMs, workedMs() - workedBeforeMs, 0);
      observe("sandbar_turn_seconds", tookMs / 1000);
      shares.charge(share(), tookMs);
    }
  }

  #isFree(): boolean {
    const { shares, share } = this.#options;
    return this.#waiters.length === 0 && !this.#isServing && shares.isLight(share());
  }

  #isAlone(): boolean {
    const { shares, share } = this.#options;
    return shares.isAlone(share());
  }

  #wait(bytes: number | undefined, serve: (isServed: boolean) => void): void {
    if (bytes !== undefined) {
      this.#requests++;
      this.#bytes += bytes;
    }
    this.#waiters.push({ sinceMs: this.#options.nowMs(), bytes, serve });
    if (!this.#isServing) void this.#serveAll();
  }

  async #serveAll(): Promise<void> {
    const { shares, share, pause } = this.#options;
    this.#isServing = true;
    try {
      while (this.#waiters.length > 0) {
        for (let ms = shares.begin(share()); ms > 0; ms = shares.begin(share())) await pause(ms);
        const served = await this.#serveSome();
        await pause(0);
        const tookMs = shares.end(share());
        this.#usualMs = Math.max(tookMs / Math.max(1, served), this.#usualMs * 0.8);
      }
    } finally {
      this.#isServing = false;
    }
  }

  /** Serves waiters until a turn is over, as far as can be told: some go on only when the runtime has looked. Returns their number. */
  async #serveSome(): Promise<number> {
    const { shares, share, nowMs: clockMs } = this.#options;
    const nowMs = clockMs();
    const most = Math.min(batchMost, Math.max(1, Math.floor(limits.shareTurnMs / Math.max(0.1, this.#usualMs))));
    let served = 0;
    while (served < most) {
      const waiter = this.#waiters.shift();
      if (!waiter) break;
      const { bytes, sinceMs } = waiter;
      if (bytes !== undefined) {
        this.#requests--;
        this.#bytes -= bytes;
      }
      const isServed = bytes === undefined || nowMs - sinceMs < limits.waitingRequestMs;
      waiter.serve(isServed);
      if (!isServed) continue;
      served++;
      for (let at = 0; at < microtasks; at++) await Promise.resolve();
      if (shares.turnMs(share()) >= limits.shareTurnMs) break;
    }
    return served;
  }
}

/** A request that waits holds its address and headers, and what it has announced of a body. */
function requestBytes({ url, headers }: Request): number {
  const announced = Number(headers.get("content-length") ?? "0") || 0;
  return 4096 + url.length + Math.min(announced, limits.requestBodyBytes);
}
