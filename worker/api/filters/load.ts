// What of a sandbox's limits is under way: requests, bodies, reads, sessions, calls. Counted in memory, by the machine's clock; a
// cluster that wakes begins with nothing.
import { limits } from "../../../shared/base/limits.ts";
import type { SandboxLimits } from "../../../shared/contract/sandbox-limits.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

/** Milliseconds after which a read that was never ended does not count any more: its reader is gone, and nobody said so. */
const readLeaseMs = 600_000;

export class Load {
  readonly limits: Readonly<SandboxLimits>;
  readonly reads: Leases;
  readonly sessions: Leases;
  readonly calls: Slots;
  readonly #nowMs: () => number;
  #inFlight = 0;
  #bodyBytes = 0;
  /** Requests that may begin now; a bucket that fills with time. */
  #tokens: number;
  #filledMs: number;

  /** `bounds`: looked at whenever something begins, so that they may change. */
  constructor(nowMs: () => number, bounds: Readonly<SandboxLimits> = limits.sandbox) {
    this.limits = bounds;
    this.reads = new Leases("reads", bounds, readLeaseMs, nowMs);
    this.sessions = new Leases("sessions", bounds, limits.sessionLeaseMs, nowMs);
    this.calls = new Slots("webhookCalls", bounds);
    this.#nowMs = nowMs;
    this.#tokens = bounds.requestsPerSecond;
    this.#filledMs = nowMs();
  }

  /** Counts a request until the function that it gives is called; undefined: it is one too many. */
  begin(request: Request): (() => void) | undefined {
    const bytes = bodyBytes(request);
    if (this.#inFlight >= this.limits.requestsInFlight) return undefined;
    // One body alone always fits.
    if (this.#bodyBytes > 0 && this.#bodyBytes + bytes > limits.bodiesInFlightBytes) return undefined;
    if (!this.#takeToken()) return undefined;
    this.#inFlight++;
    this.#bodyBytes += bytes;
    let held = bytes;
    readers.set(request, (more) => {
      if (this.#bodyBytes + more > limits.bodiesInFlightBytes) throw busy();
      this.#bodyBytes += more;
      held += more;
    });
    return () => {
      this.#inFlight--;
      this.#bodyBytes -= held;
      readers.delete(request);
    };
  }

  #takeToken(): boolean {
    const { requestsPerSecond: rate } = this.limits;
    const nowMs = this.#nowMs();
    // A clock that is set back fills nothing.
    this.#tokens = Math.min(rate, this.#tokens + (Math.max(0, nowMs - this.#filledMs) * rate) / 1000);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** Who counts what is read of a body that was not announced. */
const readers = new WeakMap<Request, (bytes: number) => void>();

/** So many bytes more are held of a body whose length nobody told; throws 429 where bodies hold too much already. */
export function holdsMore(request: Request, bytes: number): void {
  readers.get(request)?.(bytes);
}

function busy(): ApiError {
  return ApiError.tooManyRequests("Too many requests, please try again later.", limits.retryAfterSeconds);
}

/** What is announced; what is not is counted as it comes. */
function bodyBytes(request: Request): number {
  if (request.method === "GET" || !request.body) return 0;
  return Math.min(Number(request.headers.get("content-length") ?? "0") || 0, limits.requestBodyBytes);
}

/** So many at once, each until it is given back. */
export class Slots {
  readonly #what: keyof SandboxLimits;
  readonly #bounds: Readonly<SandboxLimits>;
  #used = 0;

  constructor(what: keyof SandboxLimits, bounds: Readonly<SandboxLimits>) {
    this.#what = what;
    this.#bounds = bounds;
  }

  get limited(): number {
    return this.#bounds[this.#what];
  }

  get free(): number {
    return Math.max(0, this.limited - this.#used);
  }

  /** Returns what gives them back; throws 429 where there are not so many. */
  take(count = 1): () => void {
    if (count > this.free) {
      throw limitExceeded(this.#what, { requested: count, used: this.#used, limited: this.limited });
    }
    this.#used += count;
    return () => {
      this.#used -= count;
    };
  }
}

/** The same for what may end without a word: it counts for some time after it was last heard of. */
export class Leases {
  readonly #what: keyof SandboxLimits;
  readonly #bounds: Readonly<SandboxLimits>;
  readonly #leaseMs: number;
  readonly #nowMs: () => number;
  readonly #heardMs = new Map<string | symbol, number>();

  constructor(what: keyof SandboxLimits, bounds: Readonly<SandboxLimits>, leaseMs: number, nowMs: () => number) {
    this.#what = what;
    this.#bounds = bounds;
    this.#leaseMs = leaseMs;
    this.#nowMs = nowMs;
  }

  /** Throws 429 where there is no room for one more. */
  requireRoom(id?: string | symbol): void {
    const used = this.#used(id);
    const limited = this.#bounds[this.#what];
    if (used >= limited) throw limitExceeded(this.#what, { used, limited });
  }

  /** Throws 429 where there are too many. */
  take(id: string | symbol): void {
    this.requireRoom(id);
    this.#heardMs.set(id, this.#nowMs());
  }

  /** It goes on; one that was begun before the cluster slept is never refused, and counts from now on. */
  renew(id: string | symbol): void {
    this.#heardMs.set(id, this.#nowMs());
  }

  release(id: string | symbol): void {
    this.#heardMs.delete(id);
  }

  #used(but: string | symbol | undefined): number {
    if (this.#heardMs.size >= this.#bounds[this.#what]) {
      const sinceMs = this.#nowMs() - this.#leaseMs;
      for (const [id, heardMs] of this.#heardMs) if (heardMs < sinceMs) this.#heardMs.delete(id);
    }
    return this.#heardMs.size - (but !== undefined && this.#heardMs.has(but) ? 1 : 0);
  }
}
