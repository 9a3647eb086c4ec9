// Which revision of an object was current at a moment. Simulated containers read the cluster as it was when they asked, so that what they
// did stays what it was.
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

/** The state of an object at a moment: what stands in the store now, or an older revision; `revision` is undefined if there was none. */
export type PastState = "current" | { readonly revision: number | undefined };

/** An object at a moment in the past; `revision` is undefined if it did not exist. */
export interface PastObject {
  readonly key: Key;
  readonly revision: number | undefined;
}

/** Resources that are written all the time and that no container reads. */
const ignored = ["events", "events.events.k8s.io", "leases.coordination.k8s.io", ""];

const columns = "revision, resource, namespace, name, previous, at_ms AS atMs";

/**
 * An index over the newest writes of the log, at most `limits.pastWrites`. It is read when a moment before the newest write is asked for.
 * What is older than its first write is taken to have been as it was then. Rows of older versions have no time and count as older.
 */
export class ObjectHistory {
  readonly #sql: Sql;
  /** The newest time at which something was written, as far as is known without a read. */
  #newestMs: number | undefined;
  /** In the order of revisions. */
  #writes: LoggedWrite[] | undefined;
  #byKey = new Map<string, LoggedWrite[]>();
  #byResource = new Map<string, Set<string>>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Adds a write that was just committed. */
  append({ revision, resource, namespace, name, previous }: Change, atMs: number): void {
    if (ignored.includes(resource)) return;
    this.#newestMs = atMs;
    if (!this.#writes) return;
    const before = previous ? Number(previous.metadata.resourceVersion) : null;
    this.#add({ revision, resource, namespace, name, previous: before, atMs });
    if (this.#writes.length > 2 * limits.pastWrites) this.forget();
  }

  /** Frees the memory of a large index; it is read again when it is needed. */
  rest(): void {
    if ((this.#writes?.length ?? 0) > limits.restingPastWrites) this.forget();
  }

  forget(): void {
    this.#writes = undefined;
    this.#byKey = new Map();
    this.#byResource = new Map();
  }

  /** Reports whether nothing was written after a moment. */
  isCurrent(atMs: number): boolean {
    return atMs >= this.#newest();
  }

  /** Returns the time of the first write after a moment; Infinity if there is none. */
  nextWriteMs(afterMs: number): number {
    if (afterMs >= this.#newest()) return Number.POSITIVE_INFINITY;
    const writes = this.#loaded();
    return writes[firstAfter(writes, afterMs)]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the times of the writes of one object after a moment, in order. */
  writesOf(key: Key, afterMs: number): readonly number[] {
    if (afterMs >= this.#newest()) return [];
    this.#loaded();
    const writes = this.#byKey.get(keyText(key)) ?? [];
    return writes.slice(firstAfter(writes, afterMs)).map(({ atMs }) => atMs);
  }

  stateOf(key: Key, atMs: number): PastState {
    if (atMs >= this.#newest()) return "current";
    this.#loaded();
    const writes = this.#byKey.get(keyText(key)) ?? [];
    const next = writes[firstAfter(writes, atMs)];
    return next ? { revision: next.previous ?? undefined } : "current";
  }

  /** Returns the objects of a resource that were written after a moment, with the revision that was current then. */
  writtenSince(resource: string, atMs: number): readonly PastObject[] {
    if (atMs >= this.#newest()) return [];
    this.#loaded();
    return [...(this.#byResource.get(resource) ?? [])].flatMap((text) => {
      const writes = this.#byKey.get(text) ?? [];
      const next = writes[firstAfter(writes, atMs)];
      return next ? [{ key: next, revision: next.previous ?? undefined }] : [];
    });
  }

  #newest(): number {
    if (this.#newestMs !== undefined) return this.#newestMs;
    const query = `SELECT at_ms AS atMs FROM changes WHERE resource NOT IN (${ignored.map(() => "?").join()}) ORDER BY revision DESC LIMIT 1`;
    return (this.#newestMs = first<{ atMs: number | null }>(this.#sql, query, ...ignored)?.atMs ?? 0);
  }

  #loaded(): readonly LoggedWrite[] {
    if (this.#writes) return this.#writes;
    const query = `SELECT ${columns} FROM changes WHERE resource NOT IN (${ignored.map(() => "?").join()}) ORDER BY revision DESC LIMIT ?`;
    const rows = this.#sql.all<Omit<LoggedWrite, "atMs"> & { atMs: number | null }>(
      query,
      ...ignored,
      limits.pastWrites,
    );
    this.#writes = [];
    for (const row of rows.toReversed()) this.#add({ ...row, atMs: row.atMs ?? 0 });
    return this.#writes;
  }

  #add(write: LoggedWrite): void {
    this.#writes?.push(write);
    const text = keyText(write);
    const writes = this.#byKey.get(text);
    if (writes) {
      writes.push(write);
      return;
    }
    this.#byKey.set(text, [write]);
    const keys = this.#byResource.get(write.resource);
    if (keys) keys.add(text);
    else this.#byResource.set(write.resource, new Set([text]));
  }
}

/** Returns the index of the first write after a moment. Times do not fall with revisions. */
function firstAfter(writes: readonly LoggedWrite[], atMs: number): number {
  let [low, high] = [0, writes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((writes[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
