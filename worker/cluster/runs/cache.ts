// Caches results that are computed from containers until something that they depend on changes. The cache is bounded in bytes and evicts the least
// recently used result. One result is computed at a time, and concurrent readers share it. The name of the container is on disk before the
// computation begins, so that a container that kills the process is refused to readers for a time: see `PoisonGuard`.
import { limits } from "../../../shared/base/limits.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { TurnOrder } from "../../api/api-server.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import { PoisonGuard } from "../../runtime/poison-guard.ts";
import type { Change } from "../../store/change.ts";
import type { Sql } from "../../store/sql.ts";
import { DependencyIndex, objectKey, type ReadKeys } from "./read-tracking.ts";

export interface CacheOptions {
  readonly sql: Sql;
  readonly client: Client;
  readonly clock: Clock;
  /** Resolves once all writes are on disk. */
  onDisk(): Promise<void>;
  /** Yields to other turns of the cluster. */
  pause(): Promise<void>;
  /** Throws if the cluster does not exist any more. */
  mustBeThere(): void;
  /** The order of the cluster's turns; absent if there are no other turns. */
  readonly turns?: TurnOrder | undefined;
}

/** A request for a result that is computed from a container. */
export interface CacheRequest<T> {
  readonly pod: Pod;
  /** The name of the container; "" for all containers of the pod. */
  readonly container: string;
  /** The name of the result, which determines its type. */
  readonly what: string;
  /** Reports whether an earlier result is still correct. */
  isUsable(result: CachedResult<T>, nowMs: number): boolean;
  /** Receives the result in the turn in which it is read from the cache or computed, before anything can change. */
  onResult?(result: CachedResult<T>): void;
  /** Computes the result, and adds the keys of all that it reads to `readKeys`. */
  compute(readKeys: ReadKeys, nowMs: number): ComputedResult<T>;
}

export interface ComputedResult<T> {
  readonly value: T;
  readonly bytes: number;
  /** The moment up to which the result is valid if nothing changes; Infinity if it does not expire. */
  readonly untilMs?: number;
}

export interface CachedResult<T> extends ComputedResult<T> {
  /** The moment for which the result was computed. */
  readonly atMs: number;
  /** The duration of the computation. */
  tookMs: number;
  readonly readKeys: ReadonlySet<string>;
}

interface Entry {
  readonly result: CachedResult<unknown>;
  readonly version: string;
}

/** The age up to which a result is shared, as a multiple of the duration of its computation. It bounds computing to a tenth of the time. */
const shareTimes = 10;
const shareMostMs = 2_000;

export class RunCache {
  readonly #options: CacheOptions;
  readonly #guard: PoisonGuard;
  /** The results in the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #dependencies = new DependencyIndex();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#guard = new PoisonGuard(options.sql, "run");
  }

  /** Refuses the container that was being computed when the last process died, and returns it with the end of the refusal. */
  setAside(): { readonly place: Place; readonly untilMs: number } | undefined {
    const { crashedIntent: intent } = this.#guard;
    if (intent === undefined) return undefined;
    return { place: placeOf(intent), untilMs: this.#guard.setAsideCrashed(this.#options.clock.nowMs()) };
  }

  get hasCrashed(): boolean {
    return this.#guard.crashedIntent !== undefined;
  }

  /** Returns a result from the cache, or computes it. Throws 503 if the container is set aside. */
  async get<T>(request: CacheRequest<T>): Promise<CachedResult<T>> {
    return this.#find(request) ?? (await this.#inTurn(() => this.#find(request) ?? this.#compute(request)));
  }

  /** Runs a computation that is not cached. Throws 503 if the container killed the last process or is set aside. */
  async runGuarded<T>(pod: Pod, container: string, body: () => T): Promise<T> {
    return this.#inTurn(() => this.#runGuarded(pod, container, body));
  }

  changed(change: Change): void {
    for (const key of this.#dependencies.ofChange(change)) this.#drop(key);
  }

  edited(key: string): void {
    for (const dependent of this.#dependencies.ofKey(key)) this.#drop(dependent);
  }

  #find<T>(request: CacheRequest<T>): CachedResult<T> | undefined {
    const key = keyOf(request);
    const entry = this.#entries.get(key);
    if (!entry || entry.version !== request.pod.metadata.resourceVersion) return undefined;
    // The name of a result determines its type.
    const result = entry.result as CachedResult<T>;
    const nowMs = this.#options.clock.nowMs();
    if ((result.untilMs ?? nowMs) < nowMs || !(request.isUsable(result, nowMs) || isShared(result, nowMs)))
      return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    request.onResult?.(result);
    return result;
  }

  async #compute<T>(request: CacheRequest<T>): Promise<CachedResult<T>> {
    const { clock, pause } = this.#options;
    const { pod, container } = request;
    const result = await this.#runGuarded(pod, container, () => {
      const readKeys: ReadKeys = new Set([
        objectKey(pods.resource, pod.metadata.namespace ?? "", pod.metadata.name ?? ""),
      ]);
      const atMs = clock.nowMs();
      const computed = { ...request.compute(readKeys, atMs), readKeys, atMs, tookMs: 0 };
      this.#keep(keyOf(request), pod, computed);
      request.onResult?.(computed);
      return computed;
    });
    await pause();
    // The platform's clock stands still during a computation.
    result.tookMs = clock.nowMs() - result.atMs;
    return result;
  }

  async #runGuarded<T>(pod: Pod, container: string, body: () => T): Promise<T> {
    this.#options.mustBeThere();
    const place = guardKey(pod, container);
    this.#refuse(place, container);
    this.#guard.begin(place);
    const { onDisk, turns, mustBeThere } = this.#options;
    await onDisk();
    await turns?.next();
    mustBeThere();
    try {
      return turns ? turns.measure(body) : body();
    } finally {
      this.#guard.end();
      this.#guard.clear(place);
    }
  }

  #refuse(place: string, container: string): void {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    const untilMs =
      this.#guard.crashedIntent === place ? nowMs + limits.setAsideFirstMs : this.#guard.untilMs(place, nowMs);
    if (untilMs === undefined) return;
    const what = container === "" ? "the pod" : `container ${JSON.stringify(container)}`;
    const message = `computing what ${what} does did not finish and ended the cluster's process; it is refused until ${rfc3339(untilMs)}`;
    throw new ApiError(503, "ServiceUnavailable", message, { retryAfterSeconds: Math.ceil((untilMs - nowMs) / 1000) });
  }

  /** Stores a result, unless the pod was written during the computation. */
  #keep(key: string, pod: Pod, result: CachedResult<unknown>): void {
    const { namespace = "", name = "", resourceVersion: version = "" } = pod.metadata;
    this.#drop(key);
    if (this.#options.client.get(pods, namespace, name)?.metadata.resourceVersion !== version) return;
    this.#entries.set(key, { result, version });
    this.#dependencies.add(key, result.readKeys);
    this.#bytes += result.bytes;
    for (const oldestKey of this.#entries.keys()) {
      if (this.#bytes <= limits.keptRunBytes || oldestKey === key) return;
      this.#drop(oldestKey);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.result.bytes ?? 0;
    this.#entries.delete(key);
    this.#dependencies.remove(key);
  }

  #inTurn<T>(body: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(body);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
}

/** Reports whether a result is recent enough for readers that would otherwise have waited for its computation. */
function isShared({ atMs, tookMs }: CachedResult<unknown>, nowMs: number): boolean {
  return nowMs - atMs <= Math.min(tookMs * shareTimes, shareMostMs);
}

function keyOf({ pod, container, what }: Pick<CacheRequest<unknown>, "pod" | "container" | "what">): string {
  return `${pod.metadata.uid ?? ""}/${container}/${what}`;
}

function guardKey({ metadata: { namespace = "", name = "", uid = "" } }: Pod, container: string): string {
  return [namespace, name, uid, container].join("/");
}

function placeOf(key: string): Place {
  const [namespace = "", name = "", uid = "", container = ""] = key.split("/");
  return { namespace, name, uid, container };
}
