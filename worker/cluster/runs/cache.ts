// What was worked out of containers for those who read it, kept until something that it depends on changes, bounded in bytes, least
// recently used first. One is worked out at a time: who asks for the same meanwhile shares it. Before it is begun its name is on disk,
// so that a container whose output kills the process is refused to readers for a time: see `PoisonGuard`.
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
import { Lookers, objectKey, type Seen } from "./seen.ts";

export interface CacheOptions {
  readonly sql: Sql;
  readonly client: Client;
  readonly clock: Clock;
  /** Resolves once what is written is on disk. */
  onDisk(): Promise<void>;
  /** Lets others have a turn. */
  pause(): Promise<void>;
  /** Throws if the cluster is gone. */
  mustBeThere(): void;
  /** The order of the cluster's turns; absent where there are no others. */
  readonly turns?: TurnOrder | undefined;
}

/** What is asked of a container. */
export interface Wanted<T> {
  readonly pod: Pod;
  /** "" for all of the pod's. */
  readonly container: string;
  /** Kept under this name. */
  readonly what: string;
  /** Whether what was worked out earlier will do. */
  isGood(kept: Kept<T>, nowMs: number): boolean;
  /** Told of it in the turn in which it is found or made: nothing has changed since. */
  found?(kept: Kept<T>): void;
  /** Notes in `seen` what it looks at. */
  work(seen: Seen, nowMs: number): Worked<T>;
}

export interface Worked<T> {
  readonly value: T;
  readonly bytes: number;
  /** When it is another, though nothing changes; Infinity if never. */
  readonly untilMs?: number;
}

export interface Kept<T> extends Worked<T> {
  /** The moment that it was worked out for, and how long that took. */
  readonly atMs: number;
  tookMs: number;
  readonly seen: ReadonlySet<string>;
}

interface Entry {
  readonly kept: Kept<unknown>;
  readonly version: string;
}

/** A result may be so many times older than it took to make, so that working out takes no more than a tenth of the time. */
const shareTimes = 10;
const shareMostMs = 2_000;

export class RunCache {
  readonly #options: CacheOptions;
  readonly #guard: PoisonGuard;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #lookers = new Lookers();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#guard = new PoisonGuard(options.sql, "run");
  }

  /** The container that was being worked out when the last process died, and until when it is refused from now on. */
  setAside(): { readonly place: Place; readonly untilMs: number } | undefined {
    const { crashedIntent: found } = this.#guard;
    if (found === undefined) return undefined;
    return { place: placeOf(found), untilMs: this.#guard.setAsideCrashed(this.#options.clock.nowMs()) };
  }

  get hasFound(): boolean {
    return this.#guard.crashedIntent !== undefined;
  }

  /** Of what is there already, or worked out now. Throws 503 for what is set aside. */
  async get<T>(wanted: Wanted<T>): Promise<Kept<T>> {
    return this.#find(wanted) ?? (await this.#inTurn(() => this.#find(wanted) ?? this.#workOut(wanted)));
  }

  /** Throws 503 if the container killed the last process, or is set aside since. Unkept work is guarded by it alone. */
  async guarded<T>(pod: Pod, container: string, body: () => T): Promise<T> {
    return this.#inTurn(() => this.#carefully(pod, container, body));
  }

  changed(change: Change): void {
    for (const key of this.#lookers.ofChange(change)) this.#drop(key);
  }

  edited(key: string): void {
    for (const one of this.#lookers.ofKey(key)) this.#drop(one);
  }

  #find<T>(wanted: Wanted<T>): Kept<T> | undefined {
    const key = keyOf(wanted);
    const entry = this.#entries.get(key);
    if (!entry || entry.version !== wanted.pod.metadata.resourceVersion) return undefined;
    // Whoever keeps under a name keeps the same type under it.
    const kept = entry.kept as Kept<T>;
    const nowMs = this.#options.clock.nowMs();
    if ((kept.untilMs ?? nowMs) < nowMs || !(wanted.isGood(kept, nowMs) || isShared(kept, nowMs))) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    wanted.found?.(kept);
    return kept;
  }

  async #workOut<T>(wanted: Wanted<T>): Promise<Kept<T>> {
    const { clock, pause } = this.#options;
    const { pod, container } = wanted;
    const kept = await this.#carefully(pod, container, () => {
      const seen: Seen = new Set([objectKey(pods.resource, pod.metadata.namespace ?? "", pod.metadata.name ?? "")]);
      const atMs = clock.nowMs();
      const made = { ...wanted.work(seen, atMs), seen, atMs, tookMs: 0 };
      this.#keep(keyOf(wanted), pod, made);
      wanted.found?.(made);
      return made;
    });
    await pause();
    // The clock may stand still while something is computed.
    kept.tookMs = clock.nowMs() - kept.atMs;
    return kept;
  }

  async #carefully<T>(pod: Pod, container: string, body: () => T): Promise<T> {
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
    const message = `working out what ${what} does did not come to an end and ended the cluster's process; it is refused until ${rfc3339(untilMs)}`;
    throw new ApiError(503, "ServiceUnavailable", message, { retryAfterSeconds: Math.ceil((untilMs - nowMs) / 1000) });
  }

  /** What the pod has become meanwhile, it was not worked out for. */
  #keep(key: string, pod: Pod, kept: Kept<unknown>): void {
    const { namespace = "", name = "", resourceVersion: version = "" } = pod.metadata;
    this.#drop(key);
    if (this.#options.client.get(pods, namespace, name)?.metadata.resourceVersion !== version) return;
    this.#entries.set(key, { kept, version });
    this.#lookers.add(key, kept.seen);
    this.#bytes += kept.bytes;
    for (const one of this.#entries.keys()) {
      if (this.#bytes <= limits.keptRunBytes || one === key) return;
      this.#drop(one);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.kept.bytes ?? 0;
    this.#entries.delete(key);
    this.#lookers.remove(key);
  }

  #inTurn<T>(body: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(body);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
}

/** As readers that came meanwhile waited for it. */
function isShared({ atMs, tookMs }: Kept<unknown>, nowMs: number): boolean {
  return nowMs - atMs <= Math.min(tookMs * shareTimes, shareMostMs);
}

function keyOf({ pod, container, what }: Pick<Wanted<unknown>, "pod" | "container" | "what">): string {
  return `${pod.metadata.uid ?? ""}/${container}/${what}`;
}

function guardKey({ metadata: { namespace = "", name = "", uid = "" } }: Pod, container: string): string {
  return [namespace, name, uid, container].join("/");
}

function placeOf(key: string): Place {
  const [namespace = "", name = "", uid = "", container = ""] = key.split("/");
  return { namespace, name, uid, container };
}
