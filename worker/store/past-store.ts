// A read-only store as of a revision that history still has. It overrides every method of `Store` that reads objects, so none reads the
// present: those that need an index throw, since past states have none.
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { PastChange } from "./cause.ts";
import type { Change } from "./change.ts";
import type { KeyAtRevision } from "./current.ts";
import { type Key, keyText } from "./index-by-owner.ts";
import type { IndexRow, ListedKeys, Page, PageQuery } from "./queries.ts";
import { first, type Sql } from "./sql.ts";
import { expiredAt, scannedRowWork, Store } from "./store.ts";

export class PastStore extends Store {
  readonly #sql: Sql;
  readonly #live: Store;
  readonly #at: number;
  /** By resource: the objects that were written later, each with the revision that was current at this store's revision. */
  readonly #later = new Map<string, ReadonlyMap<string, Key & { readonly previous: number | null }>>();

  /** Throws `Expired` if history does not reach back to the revision. */
  constructor(sql: Sql, live: Store, revision: number) {
    super(sql, undefined, undefined, undefined, live.meter);
    if (revision < live.forgotten) throw expiredAt(revision, live.forgotten);
    this.#sql = sql;
    this.#live = live;
    this.#at = revision;
  }

  override get revision(): number {
    return this.#at;
  }

  override get isPast(): boolean {
    return true;
  }

  /** The log is not compacted beyond what history forgot, so pages of the past can be read as far back. */
  override get compacted(): number {
    return this.#live.forgotten;
  }

  override get forgotten(): number {
    return this.#live.forgotten;
  }

  override get(key: Key): KubeObject | undefined {
    const later = this.#laterOf(key.resource).get(keyText(key));
    if (!later) return this.#live.get(key);
    return later.previous === null ? undefined : this.#live.objectAt(later.previous);
  }

  /** Returns no text, because texts of past objects are not cached. The caller encodes the object. */
  override textOf(): string | undefined {
    return undefined;
  }

  override *list(query: ListedKeys): Generator<KubeObject> {
    for (let { after } = query; ; ) {
      const { items, more } = this.page({ ...query, after, limit: limits.listPageObjects });
      for (const { revision } of items) yield this.#live.objectAt(revision);
      after = items.at(-1);
      if (!more || !after) return;
    }
  }

  override size(resource: string): number {
    return this.count({ resource });
  }

  override count(query: ListedKeys): number {
    let count = 0;
    for (const _ of this.list(query)) count += 1;
    return count;
  }

  override page(query: PageQuery): Page {
    return this.#live.pageOfHistory({ ...query, revision: Math.min(query.revision ?? this.#at, this.#at) });
  }

  override at(revision: number): readonly KeyAtRevision[] {
    return this.#live.at(Math.min(revision, this.#at));
  }

  override textAt(revision: number): string {
    return this.#live.textAt(revision);
  }

  override objectAt(revision: number): KubeObject {
    return this.#live.objectAt(revision);
  }

  override ownedBy(): readonly Key[] {
    throw noIndexOfPast();
  }

  override uncontrolled(): readonly Key[] {
    throw noIndexOfPast();
  }

  override beginningWith(): readonly Key[] {
    throw noIndexOfPast();
  }

  override named(): readonly Key[] {
    throw noIndexOfPast();
  }

  override indexValues(): readonly IndexRow[] {
    throw noIndexOfPast();
  }

  override byIndexValue(): readonly Key[] {
    throw noIndexOfPast();
  }

  override commit(): Change {
    throw readOnlyAt(this.#at);
  }

  override changesSince(): Change[] {
    throw readOnlyAt(this.#at);
  }

  override history(revision: number, limit: number, resource?: string): PastChange[] {
    return this.#live.history(revision, limit, resource).filter((change) => change.revision <= this.#at);
  }

  /** The past has no later revisions. */
  override advance(): void {}

  override hold(revision: number): () => void {
    return this.#live.hold(revision);
  }

  #laterOf(resource: string): ReadonlyMap<string, Key & { readonly previous: number | null }> {
    const cached = this.#later.get(resource);
    if (cached) return cached;
    const rows = this.#sql.all<Key & { previous: number | null }>(
      "SELECT resource, namespace, name, previous FROM changes WHERE revision > ? AND resource = ? ORDER BY revision",
      this.#at,
      resource,
    );
    // SQLite scans all later rows of the log, since it has no index by resource. The work is only counted, as a read cannot be refused here.
    this.meter.account((this.#live.revision - this.#at) * scannedRowWork);
    const later = new Map<string, Key & { readonly previous: number | null }>();
    for (const row of rows) if (!later.has(keyText(row))) later.set(keyText(row), row);
    this.#later.set(resource, later);
    return later;
  }
}

/** Returns the error of a write or a watch at a past revision. */
export function readOnlyAt(revision: number): ApiError {
  const message = `the cluster is shown as it was at revision ${revision}, and is read-only: ask without "at" to change it`;
  return new ApiError(405, "MethodNotAllowed", message);
}

/** Returns the error of an index lookup, since past states have no indexes. Reads of the API need none. */
function noIndexOfPast(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "indexes of past states are not stored");
}

/** A revision, with the cluster time at which it was written. */
export interface LoggedMoment {
  readonly revision: number;
  /** Undefined for a revision that an older version wrote, and for the start of a cluster. */
  readonly atMs: number | undefined;
}

interface Row {
  readonly revision: number;
  readonly atMs: number | null;
}

/**
 * Returns the newest revision that was written at or before a cluster time. Throws `Expired` if history does not reach back to it. Times
 * never decrease with revisions.
 */
export function revisionAt(sql: Sql, { forgotten, began, revision: newest }: Store, atMs: number): LoggedMoment {
  // The log has gaps where it was compacted, so the search reads the first row at or after the middle.
  const next = (from: number) =>
    first<Row>(sql, "SELECT revision, at_ms AS atMs FROM changes WHERE revision >= ? ORDER BY revision LIMIT 1", from);
  let moment: LoggedMoment = { revision: Math.max(forgotten, began), atMs: undefined };
  let [low, high] = [moment.revision + 1, newest];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = next(middle);
    if (row && row.revision <= newest && (row.atMs ?? 0) <= atMs) {
      moment = { revision: row.revision, atMs: row.atMs ?? undefined };
      low = row.revision + 1;
    } else high = middle - 1;
  }
  // If nothing was forgotten, a time before the first write is that of the cluster's start.
  if (moment.atMs !== undefined || forgotten <= began) return moment;
  const oldest = next(forgotten + 1);
  const since = oldest?.atMs ? new Date(oldest.atMs).toISOString() : `revision ${forgotten}`;
  throw ApiError.expired(`history goes back to ${since} only`);
}

/** Returns the time at which a revision was written; undefined if the log does not have it. */
export function timeOfRevision(sql: Sql, revision: number): number | undefined {
  return first<Row>(sql, "SELECT revision, at_ms AS atMs FROM changes WHERE revision = ?", revision)?.atMs ?? undefined;
}
