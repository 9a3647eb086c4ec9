// Tracks the usage of a sandbox's limits: requests, bodies, reads, sessions and calls. In memory, on the machine's clock; it starts empty
// after an eviction.
import { limits } from "../../../shared/base/limits.ts";
import type { SandboxLimits } from "../../../shared/contract/sandbox-limits.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

/** Milliseconds after which a read no longer counts if it was not ended, because its reader is gone. */
const readLeaseMs = 600_000;

export class Load {
  readonly limits: Readonly<SandboxLimits>;
  readonly reads: Leases;
  readonly sessions: Leases;
  readonly calls: Slots;
  readonly #nowMs: () => number;
  #inFlight = 0;
  #bodyBytes = 0;
  /** The number of requests that may start now: a token bucket. */
  #tokens: number;
  #filledMs: number;

  /** `bounds` is read at each use, so limits can change. */
  constructor(nowMs: () => number, bounds: Readonly<SandboxLimits> = limits.sandbox) {
    this.limits = bounds;
    this.reads = new Leases("reads", bounds, readLeaseMs, nowMs);
    this.sessions = new Leases("sessions", bounds, limits.sessionLeaseMs, nowMs);
    this.calls = new Slots("webhookCalls", bounds);
    this.#nowMs = nowMs;
    this.#tokens = bounds.requestsPerSecond;
    this.#filledMs = nowMs();
  }

  /** Counts a request until the returned function is called. Returns undefined if the limit is exceeded. */
  begin(request: Request): (() => void) | undefined {
    const bytes = bodyBytes(request);
    if (this.#inFlight >= this.limits.requestsInFlight) return undefined;
    // A single body always fits.
    if (this.#bodyBytes > 0 && this.#bodyBytes + bytes > limits.bodiesInFlightBytes) return undefined;
    if (!this.#takeToken()) return undefined;
    this.#inFlight++;
    this.#bodyBytes += bytes;
    let reservedBytes = bytes;
    readers.set(request, (more) => {
      if (this.#bodyBytes + more > limits.bodiesInFlightBytes) throw busy();
      this.#bodyBytes += more;
      reservedBytes += more;
    });
    return () => {
      this.#inFlight--;
      this.#bodyBytes -= reservedBytes;
      readers.delete(request);
    };
  }

  #takeToken(): boolean {
    const { requestsPerSecond: rate } = this.limits;
    const nowMs = this.#nowMs();
    // A clock that moves backwards adds no tokens.
    this.#tokens = Math.min(rate, this.#tokens + (Math.max(0, nowMs - this.#filledMs) * rate) / 1000);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** Callbacks that count the bytes of a body without a declared length. */
const readers = new WeakMap<Request, (bytes: number) => void>();

/** Counts more bytes of a body without a declared length. Throws 429 if bodies hold too much memory. */
export function holdsMore(request: Request, bytes: number): void {
  readers.get(request)?.(bytes);
}

function busy(): ApiError {
  return ApiError.tooManyRequests("Too many requests, please try again later.", limits.retryAfterSeconds);
}

/** Returns the declared length. Other bodies are counted while they are read. */
function bodyBytes(request: Request): number {
  if (request.method === "GET" || !request.body) return 0;
  return Math.min(Number(request.headers.get("content-length") ?? "0") || 0, limits.requestBodyBytes);
}

/** A counting semaphore. */
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

  /** Takes slots and returns a function that releases them. Throws 429 if there are not enough. */
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

/** A semaphore for holders that may disappear: a slot expires some time after its last renewal. */
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

  /** Throws 429 if there is no free slot. */
  requireRoom(id?: string | symbol): void {
    const used = this.#used(id);
    const limited = this.#bounds[this.#what];
    if (used >= limited) throw limitExceeded(this.#what, { used, limited });
  }

  /** Takes a slot. Throws 429 if there are too many. */
  take(id: string | symbol): void {
    this.requireRoom(id);
    this.#heardMs.set(id, this.#nowMs());
  }

  /** Renews a slot. A slot from before an eviction is never rejected, and counts from now on. */
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
