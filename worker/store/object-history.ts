// Finds the revision of an object that was current at a time. Simulated containers read the cluster as it was at the time of their request,
// so that a replay gives the same result.
import { limits } from "../../shared/base/limits.ts";
import type { Change } from "./change.ts";
import { type Key, keyText } from "./index-by-owner.ts";
import { first, type Sql } from "./sql.ts";

/** A write of the log without its value. */
interface LoggedWrite extends Key {
  readonly revision: number;
  /** The revision that it replaced; null for a creation. */
  readonly previous: number | null;
  readonly atMs: number;
}

/** The state of an object at a time: the current object, or an older revision. `revision` is undefined if the object did not exist. */
export type PastState = "current" | { readonly revision: number | undefined };

/** An object at a moment in the past; `revision` is undefined if it did not exist. */
export interface PastObject {
  readonly key: Key;
  readonly revision: number | undefined;
}

/** Resources that are written constantly and that no container reads. */
const ignored = ["events", "events.events.k8s.io", "leases.coordination.k8s.io", ""];

const columns = "revision, resource, namespace, name, previous, at_ms AS atMs";
const isRead = `resource NOT IN (${ignored.map(() => "?").join()})`;

/** The number of writes that the index is extended by in one query. */
const pageWrites = 500;
/** The maximum number of writes of one object that are followed without the index. */
const chainWrites = 50;

type WriteRow = Omit<LoggedWrite, "atMs"> & { readonly atMs: number | null };

/**
 * An index over the newest writes of the log, at most `limits.pastWrites`. It is extended on demand. Before its first write, the state is
 * assumed to be that of its first write. Rows of older versions have no time and count as the oldest.
 */
export class ObjectHistory {
  readonly #sql: Sql;
  readonly #isUnchanged: (key: Key) => boolean;
  /** The time of the newest write, if it was read already. */
  #newestMs: number | undefined;
  /** The times of the newest writes by resource, for resources that were queried. */
  readonly #newestOf = new Map<string, number>();
  /** The indexed writes, ordered by revision. Undefined until the index is needed. */
  #writes: LoggedWrite[] | undefined;
  /** The index has reached the start of the log or its maximum size. */
  #isWhole = false;
  #byKey = new Map<string, LoggedWrite[]>();
  #byResource = new Map<string, Set<string>>();

  /** `isUnchanged` reports whether an object is unchanged since the cluster was created. */
  constructor(sql: Sql, isUnchanged: (key: Key) => boolean) {
    this.#sql = sql;
    this.#isUnchanged = isUnchanged;
  }

  /** Adds a write that was just committed. */
  append({ revision, resource, namespace, name, previous }: Change, atMs: number): void {
    if (ignored.includes(resource)) return;
    this.#newestMs = atMs;
    if (this.#newestOf.has(resource)) this.#newestOf.set(resource, atMs);
    if (!this.#writes) return;
    const before = previous ? Number(previous.metadata.resourceVersion) : null;
    this.#add({ revision, resource, namespace, name, previous: before, atMs });
    if (this.#writes.length > 2 * limits.pastWrites) this.forget();
  }

  /** Frees the memory of a large index. It is read again on demand. */
  rest(): void {
    if ((this.#writes?.length ?? 0) > limits.restingPastWrites) this.forget();
  }

  forget(): void {
    this.#writes = undefined;
    this.#isWhole = false;
    this.#byKey = new Map();
    this.#byResource = new Map();
  }

  /** Reports whether nothing was written after a time. */
  isCurrent(atMs: number): boolean {
    return atMs >= this.#newest();
  }

  /** Returns the time of the first write after a time; Infinity if there is none. */
  nextWriteMs(afterMs: number): number {
    if (afterMs >= this.#newest()) return Number.POSITIVE_INFINITY;
    const writes = this.#loadedTo(afterMs);
    return writes[firstAfter(writes, afterMs)]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns the times of the writes of an object after a time, in order. Writes before its creation, of an earlier object with the same
   * name, are left out.
   */
  writesOf(key: Key, afterMs: number): readonly number[] {
    if (afterMs >= this.#newest()) return [];
    const writes = this.#chainOf(key, afterMs) ?? this.#indexed(key, afterMs);
    const creation = writes.findLastIndex(({ previous }) => previous === null);
    return writes.slice(Math.max(creation, 0)).map(({ atMs }) => atMs);
  }

  stateOf(key: Key, atMs: number): PastState {
    if (atMs >= this.#newest()) return "current";
    const chain = this.#chainOf(key, atMs);
    // Before the creation there may have been another object with the same name.
    const [next] = chain && chain[0]?.previous !== null ? chain : this.#indexed(key, atMs);
    return next ? { revision: next.previous ?? undefined } : "current";
  }

  #indexed(key: Key, afterMs: number): readonly LoggedWrite[] {
    this.#loadedTo(afterMs);
    const writes = this.#byKey.get(keyText(key)) ?? [];
    return writes.slice(firstAfter(writes, afterMs));
  }

  /**
   * Follows the writes of an object back to its creation. Returns undefined if the index has to be used: it exists already, the chain is
   * too long, or the object does not exist.
   */
  #chainOf(key: Key, afterMs: number): readonly LoggedWrite[] | undefined {
    if (this.#writes) return undefined;
    if (this.#isUnchanged(key)) return [];
    const { resource, namespace, name } = key;
    const query = "SELECT revision FROM objects WHERE resource = ? AND namespace = ? AND name = ?";
    let revision = first<{ revision: number }>(this.#sql, query, resource, namespace, name)?.revision ?? null;
    if (revision === null) return undefined;
    const chain: LoggedWrite[] = [];
    while (revision !== null && chain.length < chainWrites) {
      const row: WriteRow | undefined = first(this.#sql, `SELECT ${columns} FROM changes WHERE revision = ?`, revision);
      if (!row || (row.atMs ?? 0) <= afterMs) return chain.reverse();
      chain.push({ ...row, atMs: row.atMs ?? 0 });
      revision = row.previous;
    }
    return revision === null ? chain.reverse() : undefined;
  }

  /** Returns the objects of a resource that were written after a time, each with the revision that was current at that time. */
  writtenSince(resource: string, atMs: number): readonly PastObject[] {
    if (atMs >= this.#newest() || atMs >= this.#newestIn(resource)) return [];
    this.#loadedTo(atMs);
    return [...(this.#byResource.get(resource) ?? [])].flatMap((text) => {
      const writes = this.#byKey.get(text) ?? [];
      const next = writes[firstAfter(writes, atMs)];
      return next ? [{ key: next, revision: next.previous ?? undefined }] : [];
    });
  }

  #newest(): number {
    if (this.#newestMs !== undefined) return this.#newestMs;
    const query = `SELECT at_ms AS atMs FROM changes WHERE ${isRead} ORDER BY revision DESC LIMIT 1`;
    return (this.#newestMs = first<{ atMs: number | null }>(this.#sql, query, ...ignored)?.atMs ?? 0);
  }

  #newestIn(resource: string): number {
    const cachedMs = this.#newestOf.get(resource);
    if (cachedMs !== undefined) return cachedMs;
    const query = "SELECT at_ms AS atMs FROM changes WHERE resource = ? ORDER BY revision DESC LIMIT 1";
    const newestMs = first<{ atMs: number | null }>(this.#sql, query, resource)?.atMs ?? 0;
    this.#newestOf.set(resource, newestMs);
    return newestMs;
  }

  /** Returns the index, extended until it covers a time or reaches its end. */
  #loadedTo(atMs: number): readonly LoggedWrite[] {
    let writes = (this.#writes ??= []);
    while (!this.#isWhole && (writes[0]?.atMs ?? Number.POSITIVE_INFINITY) > atMs) {
      const query = `SELECT ${columns} FROM changes WHERE revision < ? AND ${isRead} ORDER BY revision DESC LIMIT ?`;
      const before = writes[0]?.revision ?? Number.MAX_SAFE_INTEGER;
      const rows = this.#sql.all<WriteRow>(query, before, ...ignored, pageWrites);
      const page = rows.map((row): LoggedWrite => ({ ...row, atMs: row.atMs ?? 0 }));
      for (const write of page) this.#file(write).unshift(write);
      writes = [...page.reverse(), ...writes];
      this.#isWhole = page.length < pageWrites || writes.length >= limits.pastWrites;
    }
    return (this.#writes = writes);
  }

  #add(write: LoggedWrite): void {
    this.#writes?.push(write);
    this.#file(write).push(write);
  }

  /** Returns the list of writes of an object, created if necessary. */
  #file(write: LoggedWrite): LoggedWrite[] {
    const text = keyText(write);
    const writes = this.#byKey.get(text);
    if (writes) return writes;
    const fresh: LoggedWrite[] = [];
    this.#byKey.set(text, fresh);
    const keys = this.#byResource.get(write.resource);
    if (keys) keys.add(text);
    else this.#byResource.set(write.resource, new Set([text]));
    return fresh;
  }
}

/** Returns the index of the first write after a time. Times never decrease with revisions. */
function firstAfter(writes: readonly LoggedWrite[], atMs: number): number {
  let [low, high] = [0, writes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((writes[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
