// The work queue: what is to be reconciled, and when. Saved with the informer's cursor, so that eviction loses nothing.
//
// Promises: a request stands in it at most once; adding one again only brings its time forward; of those that are due, the
// one that has waited longest comes first; what is added and done within one drain is never written. While many wait, those that a change
// asked for are not written either: the saved cursor stays before that change.
import { must } from "../../shared/base/assert.ts";
import type { Sql } from "../store/sql.ts";
import { Heap } from "./heap.ts";

export interface Pending {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  readonly dueMs: number;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  /** The newest change that asked for it; absent: none did. The table has it as it was when the row was written. */
  readonly reactsTo?: number | undefined;
  /** The oldest change that asked for it and that no written row stands for. Undefined if a row does, or if no change asked. */
  readonly since?: number | undefined;
  /** What the last reconcile returned for the next one. */
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
}

interface Item extends Pending {
  readonly sequence: number;
  reactsTo?: number | undefined;
}

export class WorkQueue {
  readonly #sql: Sql;
  readonly #items = new Map<string, Item>();
  /** Order of the items; entries that no longer equal the map's are skipped. */
  readonly #order = new Heap<Item>((a, b) => a.dueMs - b.dueMs || a.sequence - b.sequence);
  /** What the table holds, as text of due time, attempts and saved state. */
  readonly #saved = new Map<string, string>();
  readonly #touched = new Set<string>();
  #sequence = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const { due_ms: dueMs, saved_state: savedState, reacts_to: reactsTo, ...row } of sql.all<Row>(
      "SELECT * FROM queue",
    )) {
      const noted = { ...(savedState === "" ? {} : { savedState }), ...(reactsTo === null ? {} : { reactsTo }) };
      const pending = { ...row, dueMs, ...noted };
      this.#put(pending);
      this.#saved.set(keyOf(row), stateOf(pending));
    }
    this.#touched.clear();
  }

  /** Requests that may differ from the table. */
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
      // Its place does not change, nor what is written of it.
      if (reacting.reactsTo !== undefined) existing.reactsTo = reacting.reactsTo;
      return;
    }
    const since = existing?.since ?? request.reactsTo;
    this.#put({ ...request, ...reacting, since, attempts: existing?.attempts ?? 0, savedState: existing?.savedState });
  }

  /** Takes the oldest request that is due, if any. */
  take(nowMs: number): Pending | undefined {
    const item = this.#peek();
    if (!item || item.dueMs > nowMs) return undefined;
    this.#order.pop();
    this.#items.delete(keyOf(item));
    this.#touched.add(keyOf(item));
    return item;
  }

  /** What stands in the queue for a request. */
  get(request: QueueKey): Pending | undefined {
    return this.#items.get(keyOf(request));
  }

  /** Takes one request out, whenever it is due. */
  remove(request: QueueKey): void {
    if (this.#items.delete(keyOf(request))) this.#touched.add(keyOf(request));
  }

  /** Puts a request back after a failure, or for a later time; an earlier one that came meanwhile wins. */
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
   * Writes what differs from the table. What it could not write, it writes the next time. With `after`, it writes no request that a change
   * after that revision asked for, and deletes no row: a request that is done twice does no harm.
   */
  save(after = Number.POSITIVE_INFINITY): Saved {
    let wrote = false;
    let heldFrom: number | undefined;
    for (const key of this.#touched) {
      const item = this.#items.get(key);
      if (after !== Number.POSITIVE_INFINITY && (item ? canWait(item, after) : this.#saved.has(key))) {
        if (item?.since !== undefined) heldFrom = Math.min(heldFrom ?? item.since, item.since);
        continue;
      }
      wrote = this.#write(key, item) || wrote;
      this.#touched.delete(key);
    }
    return { wrote, heldFrom };
  }

  /** Returns whether the table differed. */
  #write(key: string, item: Item | undefined): boolean {
    const state = item && stateOf(item);
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
      `INSERT OR REPLACE INTO queue (controller, namespace, name, due_ms, attempts, saved_state, reacts_to)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      controller,
      namespace,
      name,
      item.dueMs,
      item.attempts,
      item.savedState ?? "",
      item.reactsTo ?? null,
    );
    this.#saved.set(key, state);
    return true;
  }

  #put(pending: Pending): void {
    const key = keyOf(pending);
    const item: Item = { ...pending, sequence: this.#sequence++ };
    this.#items.set(key, item);
    this.#order.push(item);
    this.#touched.add(key);
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
  /** The oldest change that has to be read again, should the process die now. */
  readonly heldFrom: number | undefined;
}

/** A request that the change which asked for it brings back as it is. */
function canWait({ since, attempts, savedState = "" }: Pending, after: number): boolean {
  return since !== undefined && since > after && attempts === 0 && savedState === "";
}

/** Who is to reconcile what. */
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

/** The newer of the changes that two requests of one name react to. */
function newestOf(
  { reactsTo = 0 }: Pick<Pending, "reactsTo">,
  other: Pick<Pending, "reactsTo"> | undefined,
): { reactsTo?: number } {
  const newest = Math.max(reactsTo, other?.reactsTo ?? 0);
  return newest === 0 ? {} : { reactsTo: newest };
}

function stateOf({ dueMs, attempts, savedState = "" }: Pick<Pending, "dueMs" | "attempts" | "savedState">): string {
  return `${dueMs} ${attempts} ${savedState}`;
}
