// The pods that have no node yet: those to be tried next, by importance, and those that wait for a change (upstream: the priority queue).
//
// It is derived: built from the pods without a node when it is not there. Everything that is to be tried also has a request in
// the work queue, which is saved; that brings the scheduler back after an eviction.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { Line } from "./line.ts";
import type { Entry } from "./queue-entry.ts";
import { priorityOf } from "./pod-info.ts";

/** Upstream's `podInitialBackoffSeconds` and `podMaxBackoffSeconds`. */
const firstBackoffMs = 1_000;
const longestBackoffMs = 10_000;
/** Upstream's `podMaxInUnschedulablePodsDuration`. */
const longestWaitMs = 300_000;
/** Where more than this sit out a pause, all of them do. */
const hastyLimit = 100;

export class SchedulingQueue {
  readonly #entries = new Map<string, Entry>();
  readonly #active = new Line();
  readonly #backingOff = new Set<Entry>();
  readonly #waiting = new Set<Entry>();
  #sequence = 0;

  get(uid: string): Entry | undefined {
    return this.#entries.get(uid);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In the order in which they began to wait. */
  waiting(): readonly Entry[] {
    return [...this.#waiting];
  }

  /** It waits until it is activated. */
  add(pod: Pod, gate: string | undefined): Entry {
    const { uid = "", namespace = "", name = "" } = pod.metadata;
    const entry: Entry = {
      uid,
      namespace,
      name,
      priority: priorityOf(pod),
      place: "waiting",
      sequence: this.#sequence++,
      failures: 0,
      errors: 0,
      triedMs: undefined,
      rejectors: undefined,
      gate,
    };
    this.#entries.set(uid, entry);
    this.#waiting.add(entry);
    return entry;
  }

  remove(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    this.#move(entry, "waiting");
    this.#waiting.delete(entry);
    this.#entries.delete(uid);
  }

  /** To be tried, at once or when its pause is over. */
  activate(entry: Entry): void {
    if (entry.place !== "waiting") return;
    entry.gate = undefined;
    this.#move(entry, entry.failures + entry.errors > 0 ? "backoff" : "active");
  }

  /** The pod to try now; `asked` is the one whose request has come up. */
  next(asked: Entry, nowMs: number): Entry | undefined {
    if (asked.place === "backoff" && this.backoffMs(asked, nowMs) === 0) this.#move(asked, "active");
    return this.#active.first() ?? (asked.place === "backoff" ? this.#early(nowMs) : undefined);
  }

  /** How long its pause still is. */
  backoffMs({ failures, errors, triedMs }: Entry, nowMs: number): number {
    const count = errors > 0 ? errors : failures;
    if (count === 0 || triedMs === undefined) return 0;
    return Math.max(0, triedMs + Math.min(firstBackoffMs * 2 ** (count - 1), longestBackoffMs) - nowMs);
  }

  /** After a try that found no node. */
  refused(entry: Entry, rejectors: ReadonlySet<string>, nowMs: number): void {
    entry.failures += 1;
    entry.errors = 0;
    this.#tried(entry, rejectors, nowMs);
  }

  /** It has a node, and what it needs there is being made ready: these plugins see to it. */
  parked(entry: Entry, plugins: ReadonlySet<string>, nowMs: number): void {
    this.#tried(entry, plugins, nowMs);
  }

  /** After a try that failed for another reason: it is repeated after a pause. */
  failed(entry: Entry, nowMs: number): void {
    entry.errors += 1;
    this.#tried(entry, new Set(), nowMs);
    this.activate(entry);
  }

  /** Those that have waited so long that a change may have been missed. */
  *overdue(nowMs: number): Generator<Entry> {
    for (const entry of this.#waiting) {
      entry.triedMs ??= nowMs;
      if (entry.gate === undefined && nowMs - entry.triedMs > longestWaitMs) yield entry;
    }
  }

  /** While nothing else is to be tried and few sit out a pause, the first of them goes early; errors do not. */
  #early(nowMs: number): Entry | undefined {
    if (this.#backingOff.size > hastyLimit) return undefined;
    let first: Entry | undefined;
    const isEarlier = (a: Entry, b: Entry) => {
      const seconds = Math.floor(this.backoffMs(a, nowMs) / 1000) - Math.floor(this.backoffMs(b, nowMs) / 1000);
      return (seconds || b.priority - a.priority || a.sequence - b.sequence) < 0;
    };
    for (const entry of this.#backingOff) {
      if (entry.errors === 0 && (!first || isEarlier(entry, first))) first = entry;
    }
    return first;
  }

  #tried(entry: Entry, rejectors: ReadonlySet<string>, nowMs: number): void {
    entry.rejectors = rejectors;
    entry.triedMs = nowMs;
    entry.sequence = this.#sequence++;
    this.#move(entry, "waiting");
  }

  #move(entry: Entry, place: Entry["place"]): void {
    this.#backingOff.delete(entry);
    this.#waiting.delete(entry);
    if (place === "backoff") this.#backingOff.add(entry);
    if (place === "waiting") this.#waiting.add(entry);
    entry.place = place;
    if (place === "active") this.#active.push(entry);
  }
}
