// The work queue: requests with the times at which they are due. Saved with the informer's cursor, so eviction loses nothing.
//
// Guarantees: a request is in the queue at most once. Adding it again can only move its time forward. Of the due requests the oldest is
// taken first. Requests that are due at the same time keep their order when the cluster is opened again. A request that is added and completed within one drain is never written. If many requests wait, those that a change
// triggered are not written either: the saved cursor stays before that change.
import { must } from "../../shared/base/assert.ts";
import type { Sql } from "../store/sql.ts";
import { Heap } from "./heap.ts";

export interface Pending {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  readonly dueMs: number;
  /** The number of failed attempts since the last success. */
  readonly attempts: number;
  /** The newest change that triggered the request. Undefined if no change did. The table has the value at the time of the write. */
  readonly reactsTo?: number | undefined;
  /**
   * The oldest change that triggered the request since its row was written. Undefined if the row covers all changes, or if no change
   * triggered it.
   */
  readonly since?: number | undefined;
  /** The state that the last reconcile returned for the next one. */
  readonly savedState?: string | undefined;
}

interface Row {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  readonly due_ms: number;
  readonly attempts: number;
  readonly saved_state: string;
  readonly reacts_to: number | null;
  readonly sequence: number;
}

interface Item extends Pending {
  readonly sequence: number;
  reactsTo?: number | undefined;
}

export class WorkQueue {
  readonly #sql: Sql;
  readonly #isOrdered: boolean;
  readonly #items = new Map<string, Item>();
  /** The items by due time. Entries that differ from the map are stale and skipped. */
  readonly #order = new Heap<Item>((a, b) => a.dueMs - b.dueMs || a.sequence - b.sequence);
  /** The contents of the table as text: see `#stateOf`. */
  readonly #saved = new Map<string, string>();
  readonly #touched = new Set<string>();
  /** The touched keys that no call of `save` or `saveRecent` has seen yet. */
  readonly #recent = new Set<string>();
  #sequence = 0;

  /** `isOrdered`: a request that only changed its position is written, too. */
  constructor(sql: Sql, isOrdered = false) {
    this.#sql = sql;
    this.#isOrdered = isOrdered;
    for (const { due_ms: dueMs, saved_state: savedState, reacts_to: reactsTo, ...row } of sql.all<Row>(
      "SELECT * FROM queue ORDER BY sequence",
    )) {
      const noted = { ...(savedState === "" ? {} : { savedState }), ...(reactsTo === null ? {} : { reactsTo }) };
      const item = { ...row, dueMs, ...noted };
      this.#sequence = row.sequence;
      this.#put(item);
      this.#saved.set(keyOf(row), this.#stateOf(item));
    }
    this.#touched.clear();
    this.#recent.clear();
  }

  /** The number of requests that may differ from the table. */
  get unsaved(): number {
    return this.#touched.size;
  }

  get size(): number {
    return this.#items.size;
  }

  add(request: Omit<Pending, "attempts" | "savedState" | "since">): void {
    const existing = this.#items.get(keyOf(request));
    const reacting = newestOf(request, existing);
    if (existing && existing.dueMs <= request.dueMs) {
      // Neither its position nor its row changes.
      if (reacting.reactsTo !== undefined) existing.reactsTo = reacting.reactsTo;
      return;
    }
    const since = existing?.since ?? request.reactsTo;
    this.#put({ ...request, ...reacting, since, attempts: existing?.attempts ?? 0, savedState: existing?.savedState });
  }

  /** Takes the oldest due request, if any. */
  take(nowMs: number): Pending | undefined {
    const item = this.#peek();
    if (!item || item.dueMs > nowMs) return undefined;
    this.#order.pop();
    this.#items.delete(keyOf(item));
    this.#touch(keyOf(item));
    return item;
  }

  get(request: QueueKey): Pending | undefined {
    return this.#items.get(keyOf(request));
  }

  /** Removes a request, due or not. */
  remove(request: QueueKey): void {
    if (this.#items.delete(keyOf(request))) this.#touch(keyOf(request));
  }

  /** Puts a request back after a failure or for a later time. If it was added in the meantime with an earlier time, that time is kept. */
  again(request: Pending): void {
    const existing = this.#items.get(keyOf(request));
    const dueMs = Math.min(request.dueMs, existing?.dueMs ?? Number.POSITIVE_INFINITY);
    this.#put({ ...request, ...newestOf(request, existing), since: request.since ?? existing?.since, dueMs });
  }

  earliestDueMs(): number | undefined {
    return this.#peek()?.dueMs;
  }

  all(): readonly Pending[] {
    return [...this.#items.values()];
  }

  /**
   * Writes the differences to the table. If a write fails, the next call repeats it. With `after`, it skips requests that changes after
   * that revision triggered, and deletes no row: reconciling twice is harmless.
   */
  save(after = Number.POSITIVE_INFINITY): Saved {
    let wrote = false;
    let unsavedFrom: number | undefined;
    for (const key of this.#touched) {
      const item = this.#items.get(key);
      if (after !== Number.POSITIVE_INFINITY && (item ? canWait(item, after) : this.#saved.has(key))) {
        if (item?.since !== undefined) unsavedFrom = Math.min(unsavedFrom ?? item.since, item.since);
        continue;
      }
      wrote = this.#write(key, item) || wrote;
      this.#touched.delete(key);
    }
    this.#recent.clear();
    return { wrote, heldFrom: unsavedFrom };
  }

  /**
   * Writes the requests of the latest turns that replaying the changes after a revision would not restore. Looks at no older request, so its
   * time does not grow with the queue. The saved cursor must not advance.
   */
  saveRecent(after: number): void {
    for (const key of this.#recent) {
      const item = this.#items.get(key);
      if (item ? canWait(item, after) : this.#saved.has(key)) continue;
      this.#write(key, item);
      this.#touched.delete(key);
    }
    this.#recent.clear();
  }

  /** Writes a row. Returns whether the table differed. */
  #write(key: string, item: Item | undefined): boolean {
    const state = item && this.#stateOf(item);
    if (state === this.#saved.get(key)) return false;
    const [controller, namespace, name] = split(key);
    if (!item || state === undefined) {
      this.#sql.run(
        "DELETE FROM queue WHERE controller = ? AND namespace = ? AND name = ?",
        controller,
        namespace,
        name,
      );
      this.#saved.delete(key);
      return true;
    }
    this.#sql.run(
      `INSERT OR REPLACE INTO queue (controller, namespace, name, due_ms, attempts, saved_state, reacts_to, sequence)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      controller,
      namespace,
      name,
      item.dueMs,
      item.attempts,
      item.savedState ?? "",
      item.reactsTo ?? null,
      item.sequence,
    );
    this.#saved.set(key, state);
    return true;
  }

  #put(pending: Pending): void {
    const key = keyOf(pending);
    const item: Item = { ...pending, sequence: this.#sequence++ };
    this.#items.set(key, item);
    this.#order.push(item);
    this.#touch(key);
  }

  #stateOf({ dueMs, attempts, savedState = "", sequence }: Item): string {
    return `${dueMs} ${attempts} ${this.#isOrdered ? sequence : ""} ${savedState}`;
  }

  #touch(key: string): void {
    this.#touched.add(key);
    this.#recent.add(key);
  }

  #peek(): Item | undefined {
    for (;;) {
      const item = this.#order.peek();
      if (!item || this.#items.get(keyOf(item)) === item) return item;
      this.#order.pop();
    }
  }
}

export interface Saved {
  readonly wrote: boolean;
  /** The oldest change that must be read again if the process dies now. */
  readonly heldFrom: number | undefined;
}

/** Reports whether replaying the change that triggered a request would restore it completely. */
function canWait({ since, attempts, savedState = "" }: Pending, after: number): boolean {
  return since !== undefined && since > after && attempts === 0 && savedState === "";
}

/** The key of a request: its controller, namespace and name. */
export type QueueKey = Pick<Pending, "controller" | "namespace" | "name">;

export function keyOf({ controller, namespace, name }: QueueKey): string {
  return `${controller}\n${namespace}\n${name}`;
}

export function fromKey(key: string): QueueKey {
  const [controller, namespace, name] = split(key);
  return { controller, namespace, name };
}

function split(key: string): [string, string, string] {
  const [controller, namespace, name] = key.split("\n");
  return [must(controller, "controller"), must(namespace, "namespace"), must(name, "name")];
}

/** Returns the newer of the changes that two requests with the same key react to. */
function newestOf(
  { reactsTo = 0 }: Pick<Pending, "reactsTo">,
  previous: Pick<Pending, "reactsTo"> | undefined,
): { reactsTo?: number } {
  const newest = Math.max(reactsTo, previous?.reactsTo ?? 0);
  return newest === 0 ? {} : { reactsTo: newest };
}
