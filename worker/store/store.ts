// The guarantees of etcd over one SQLite: revisions, optimistic concurrency, lists at a revision, and a change log with compaction.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { assert, must } from "../../shared/base/assert.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { refuseTooLarge, refuseTooWide } from "../../shared/k8s/bounds/object-size.ts";
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { type Base, type BaseEntry, noBase } from "./base.ts";
import { ObjectCache } from "./cache.ts";
import { type PastChange, readCause } from "./cause.ts";
import { ChangeLog } from "./change-log.ts";
import { type Change, changeFromRow, type ChangeRow, deletedForm } from "./change.ts";
import { Current, type KeyAtRevision } from "./current.ts";
import { Effort } from "./effort.ts";
import { freeze } from "./freeze.ts";
import { type Key, keyText, OwnerIndex } from "./index-by-owner.ts";
import { NameTaken } from "./name-taken.ts";
import type { IndexRow, KeyRow, ListedKeys, Page, PageQuery } from "./queries.ts";
import { ObjectHistory } from "./object-history.ts";
import { Past } from "./past.ts";
import { RecentChanges } from "./recent-changes.ts";
import { type Bounds, StorageQuota } from "./storage-quota.ts";
import { type Sql, first } from "./sql.ts";

/** Small values that index an object, stored beside it. */
export interface IndexValues {
  /** The uids of all owners. The controlling one is prefixed with `!`. */
  readonly owners: readonly string[];
  readonly indexValue: string;
}

export interface Write {
  readonly key: Key;
  /** The next state, or null to delete the object. The state must be mutable: `commit` sets its resourceVersion and freezes it. */
  readonly next: KubeObject | null;
  readonly index: IndexValues;
  /** The user and the origin of the write, as JSON text. See `Cause`. */
  readonly cause: string;
  /** The caller expects no object under the key and has not checked. If there is one, `commit` throws `NameTaken` and writes nothing. */
  readonly isNew?: boolean;
  /** Whether the write may use reserved storage: never, only if it changes an existing object, or always. */
  readonly reserve?: "changes" | "all" | undefined;
}

/** The key of compaction writes. No served resource has this name. */
const compactionKey: Key = { resource: "", namespace: "", name: "compact_rev_key" };
/** The work, in microseconds, of reading a log row without its value. */
export const scannedRowWork = 0.3;
/** The maximum number of keys that are cached as absent. */
const absentKeys = 2000;

export class Store {
  readonly #sql: Sql;
  readonly #base: Base;
  readonly #current: Current;
  readonly #cache = new ObjectCache(limits.objectCacheBytes);
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #recent = new RecentChanges();
  /**
   * The keys of short lists by resource and namespace (undefined: all namespaces). The value is undefined for a long list. A creation or
   * deletion drops the lists of its resource.
   */
  readonly #lists = new Map<string, Map<string | undefined, readonly KeyRow[] | undefined>>();
  readonly #sizes = new Map<string, number>();
  /** Keys that were looked up and do not exist. A creation looks up its own key several times. */
  readonly #absent = new BoundedCache<string, true>(absentKeys);
  #index: OwnerIndex | undefined;
  #revision: number;
  readonly #clock: Clock;
  readonly #realClock: Clock;
  readonly #log: ChangeLog;
  readonly #quota: StorageQuota;
  readonly objectHistory: ObjectHistory;
  /** The work meter of the cluster. */
  readonly meter: WorkMeter;
  readonly effort: Effort;
  #advancedMs = Number.NEGATIVE_INFINITY;

  /**
   * Opens the store of existing tables. `clock` sets the time of writes. The log ages by `realClock`, as its readers do. `base` is the base
   * that the cluster was created with. The work of reads and writes is accounted to `meter`.
   */
  constructor(
    sql: Sql,
    clock: Clock = { nowMs: () => 0 },
    bounds: Bounds = limits.sandbox,
    base: Base = noBase,
    meter: WorkMeter = new WorkMeter(),
    realClock: Clock = clock,
  ) {
    this.meter = meter;
    this.effort = new Effort(meter);
    this.#sql = sql;
    this.#clock = clock;
    this.#base = base;
    this.#current = new Current(sql, base);
    this.#realClock = realClock;
    this.#log = new ChangeLog(sql, realClock, base.revision);
    this.objectHistory = new ObjectHistory(sql, (key) => this.#current.inBase(keyText(key)) !== undefined);
    this.#quota = new StorageQuota(() => this.#current.size(), bounds);
    const newest = first<{ revision: number | null }>(sql, "SELECT MAX(revision) AS revision FROM changes");
    this.#revision = newest?.revision ?? base.revision;
  }

  /** The revision of the newest write. Before the first write it is the revision of the base. */
  get revision(): number {
    return this.#revision;
  }

  /** Reports whether this store reads a past revision. */
  get isPast(): boolean {
    return false;
  }

  /** The revision of the base, after which the log starts. 0 if there is no base. */
  get began(): number {
    return this.#base.revision;
  }

  /** The API can no longer read changes at or before this revision. */
  get compacted(): number {
    return this.#log.compacted;
  }

  /** Changes at or before this revision, which is not after `compacted`, are deleted. */
  get forgotten(): number {
    return this.#log.forgotten;
  }

  /** Registers a listener that is called within each commit, in order. Listeners must not write. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  get(key: Key): KubeObject | undefined {
    const text = keyText(key);
    const cached = this.#cache.get(text);
    this.effort.accountLookup();
    if (cached) return cached;
    const entry = this.#current.inBase(text);
    if (entry) return this.#readBase(entry);
    if (this.#absent.get(text)) return undefined;
    const storedText = this.#current.storedText(key);
    if (storedText !== undefined) return this.#parseAndCache(key, storedText);
    this.#absent.set(text, true);
    return undefined;
  }

  /** Returns the cached JSON text of an object. Undefined if the text would have to be encoded. */
  textOf(key: Key, object: KubeObject): string | undefined {
    const text = keyText(key);
    if (this.#cache.holds(text, object)) return this.#cache.textOf(text);
    const entry = this.#current.inBase(text);
    return entry && this.#base.atHand(entry.revision) === object ? this.#base.text(entry.revision) : undefined;
  }

  /** Returns the cached object of a key if it has this revision. It does not count as used, because lists read all objects once. */
  cachedAt(key: Key, revision: number): KubeObject | undefined {
    const object = this.#cache.peek(keyText(key));
    return object?.metadata.resourceVersion === String(revision) ? object : undefined;
  }

  /**
   * Lists all objects in key order, for controllers and strategies. (Lists for clients are paged as text.) A long list is read page by page
   * and not cached, since it would evict objects in use.
   */
  *list({ resource, namespace, after }: ListedKeys): Generator<KubeObject> {
    const few = after ? undefined : this.#shortListKeys(resource, namespace);
    for (const { namespace: of, name } of few ?? []) {
      const object = this.get({ resource, namespace: of, name });
      if (object) yield object;
    }
    if (few) return;
    for (let last = after; ; ) {
      const { items, more } = this.page({ resource, namespace, after: last, limit: limits.listPageObjects });
      for (const { namespace: of, name, text } of items) {
        const cached = this.#cachedObject(keyText({ resource, namespace: of, name }));
        if (cached) this.effort.accountLookup();
        else this.effort.accountRead(text.length);
        yield cached ?? parseObject(text);
      }
      if (!more) return;
      last = items.at(-1);
    }
  }

  /** Returns the cached keys of a short list. Controllers list the same few objects at every change of others. */
  #shortListKeys(resource: string, namespace: string | undefined): readonly KeyRow[] | undefined {
    const lists = this.#lists.get(resource) ?? new Map<string | undefined, readonly KeyRow[] | undefined>();
    this.#lists.set(resource, lists);
    if (lists.has(namespace)) return lists.get(namespace);
    const keys = this.#current.keys({ resource, namespace, limit: limits.listPageObjects });
    const few = keys.length < limits.listPageObjects ? keys : undefined;
    lists.set(namespace, few);
    return few;
  }

  /** Returns the number of objects of a resource. Counted once, then updated by commits. */
  size(resource: string): number {
    const size = this.#sizes.get(resource) ?? this.count({ resource });
    this.#sizes.set(resource, size);
    return size;
  }

  /** Counts objects, optionally after a key. Used for `remainingItemCount`. */
  count(query: ListedKeys): number {
    return this.#current.count(query);
  }

  /** Returns a page of stored texts in key order at one revision. It has at least one object if there is any, and is bounded in bytes. */
  page(query: PageQuery): Page {
    const { revision } = query;
    if (revision === undefined || revision >= this.#revision) return this.#current.page(query);
    if (revision < this.#log.compacted) throw expiredAt(revision, this.#log.compacted);
    return this.#current.pageAt({ ...query, revision });
  }

  /** Returns a page at a revision that history still has, though the API may no longer list it. */
  pageOfHistory(query: PageQuery & { revision: number }): Page {
    if (query.revision < this.#log.forgotten) throw expiredAt(query.revision, this.#log.forgotten);
    this.meter.account((this.#revision - query.revision) * scannedRowWork);
    return this.#current.pageAt(query);
  }

  /** Returns all keys and revisions at a past revision, in key order. Throws `Expired` if history does not reach back to it. */
  at(revision: number): readonly KeyAtRevision[] {
    if (revision < this.#log.forgotten) throw expiredAt(revision, this.#log.forgotten);
    return this.#current.at(revision);
  }

  /** Returns the text of a revision that the log still has. */
  textAt(revision: number): string {
    return this.#current.textAt(revision);
  }

  /** Returns the object of a revision that the log still has. */
  objectAt(revision: number): KubeObject {
    const text = this.#current.textAt(revision);
    this.effort.accountRead(text.length);
    return parseObject(text);
  }

  /** The change log without values. */
  get past(): Past {
    return new Past(this.#sql);
  }

  /** Returns the keys of objects that have this uid as an owner; with `controller`, as their controlling owner. */
  ownedBy(uid: string, controller: boolean): readonly Key[] {
    return this.#ownerIndex().ownedBy(uid, controller);
  }

  /** Lists the keys, in order, of objects in a namespace without a controlling owner. Undefined if they exceed a page of a list. */
  uncontrolled(resource: string, namespace: string): readonly Key[] | undefined {
    const keys = this.#current.uncontrolled(resource, namespace, limits.listPageObjects);
    return keys.length < limits.listPageObjects ? keys : undefined;
  }

  /** Lists the keys, in order, whose names start with a prefix. */
  beginningWith(resource: string, namespace: string, prefix: string): readonly Key[] {
    return this.#current.beginningWith(resource, namespace, prefix);
  }

  /** Lists the keys with a name in all namespaces. */
  named(resource: string, name: string): readonly Key[] {
    return this.#current.named(resource, name);
  }

  /** Returns the index value of each object of a resource, without reading the objects. */
  indexValues(resource: string): readonly IndexRow[] {
    return this.#current.indexValues(resource);
  }

  byIndexValue(resource: string, indexValue: string): readonly Key[] {
    return this.#ownerIndex().byIndexValue(resource, indexValue);
  }

  /** Throws 429 if the quota has no space for this many more objects. Used before several writes that must all succeed. */
  requireQuota(objects: number): void {
    this.#quota.require(objects, 0);
  }

  /**
   * Writes one change. The revision increases by one; object and change are written together or not at all. Throws 429 if there is no
   * space. Deletions, and updates that do not grow, always have space. See `Write.isNew` for `NameTaken`.
   */
  commit(write: Write): Change {
    const { key, next } = write;
    if (write.isNew && this.#isInMemory(key)) throw new NameTaken();
    const previous = write.isNew ? undefined : this.get(key);
    assert(next !== null || previous, `delete of absent ${keyText(key)}`);
    const current = previous && Number(previous.metadata.resourceVersion);
    const revision = this.#revision + 1;
    if (next) next.metadata.resourceVersion = String(revision);
    const text = next ? JSON.stringify(next) : null;
    if (text) refuseTooLarge(text);
    if (text) refuseTooWide(next, text.length);
    const objects = (next ? 1 : 0) - (previous ? 1 : 0);
    // The object was just read, so its length is cached.
    const replaced = previous ? this.#bytesOf(key) : 0;
    const bytes = (text?.length ?? 0) - replaced;
    this.#quota.require(
      objects,
      bytes,
      write.reserve === "all" || (write.reserve === "changes" && previous !== undefined),
    );
    const atMs = this.#clock.nowMs();
    const stored = { key, revision, previous: current, text, ...write.index, cause: write.cause, atMs };
    // A replaced base object takes no space in the log. If the write fails, the marks recorded here stay correct.
    this.#log.recordWrite(revision, this.#isOwn(current) ? replaced : 0, write.cause.length);
    this.#current.write(stored);
    this.#current.recordReplaced(stored);
    this.#revision = revision;
    this.#quota.take(objects, bytes);
    this.effort.accountWrite(text?.length ?? 0);
    const change = this.#changeOf(key, revision, next, previous, text);
    this.objectHistory.append(change, atMs);
    this.#apply(write, change, text);
    return change;
  }

  /**
   * Returns changes after a revision, oldest first: at least one if there is any, at most `limit`, bounded in bytes. Throws `Expired` if
   * they are compacted.
   */
  changesSince(revision: number, limit: number, resource?: string): Change[] {
    if (revision < this.#log.compacted) throw expiredAt(revision, this.#log.compacted);
    if (revision >= this.#revision) return [];
    const recent = this.#recent.since(revision);
    if (recent)
      return recent.filter((change) => resource === undefined || change.resource === resource).slice(0, limit);
    return this.#logged(revision, limit, resource).map((row) => changeFromRow(this.#withBase(row)));
  }

  /** Drops most changes from memory once all informers have read them. */
  rest(): void {
    this.#recent.rest();
    this.objectHistory.rest();
  }

  /** Returns changes after a revision with their causes, bounded as in `changesSince`. Throws `Expired` if history does not reach back. */
  history(revision: number, limit: number, resource?: string): PastChange[] {
    if (revision < this.#log.forgotten) throw expiredAt(revision, this.#log.forgotten);
    return this.#logged(revision, limit, resource).map((row) => ({
      ...changeFromRow(this.#withBase(row)),
      cause: readCause(row.cause),
    }));
  }

  #logged(revision: number, limit: number, resource: string | undefined): readonly ChangeRow[] {
    const where = resource === undefined ? "" : "AND resource = ?";
    return this.#sql.all<ChangeRow>(
      `SELECT c.revision, c.resource, c.namespace, c.name, c.value, c.cause, c.previous, p.value AS previous_value
         FROM (SELECT revision, SUM(bytes) OVER (ORDER BY revision) - bytes AS before FROM
                (SELECT revision, IFNULL(OCTET_LENGTH(value), 0) AS bytes FROM changes
                 WHERE revision > ? ${where} ORDER BY revision LIMIT ?)) r
         JOIN changes c ON c.revision = r.revision LEFT JOIN changes p ON p.revision = c.previous
         WHERE r.before < ? ORDER BY r.revision`,
      revision,
      ...(resource === undefined ? [] : [resource]),
      limit,
      limits.changeBatchBytes,
    );
  }

  /** Reports whether a revision has a row in the log. */
  #isOwn(revision: number | undefined): boolean {
    return revision !== undefined && revision > this.#base.revision;
  }

  /** Adds the replaced value if it is part of the base. */
  #withBase(row: ChangeRow): ChangeRow {
    if (row.previous === null || this.#isOwn(row.previous)) return row;
    return { ...row, previous_value: this.#base.text(row.previous) };
  }

  /**
   * Writes an empty change, as upstream's compaction does, so that a new list has a newer revision than one that was started before. At
   * most one is written in the time that the log keeps.
   */
  advance(): void {
    const nowMs = this.#realClock.nowMs();
    if (nowMs - this.#advancedMs < limits.changeLogMs) return;
    this.#advancedMs = nowMs;
    const next = { apiVersion: "", kind: "", metadata: {} };
    this.commit({ key: compactionKey, next, index: { owners: [], indexValue: "" }, cause: "[]" });
  }

  /** Keeps a revision readable until the returned function is called. */
  hold(revision: number): () => void {
    return this.#log.hold(revision);
  }

  /** Stops the compaction of the log until a time, while it is being copied. */
  pauseCompaction(untilMs: number): void {
    this.#log.pauseUntil(untilMs);
  }

  /** Deletes the log up to and including a revision. Current values, and values that a remaining change replaced, stay. */
  compact(upTo: number): void {
    this.#log.compact(upTo, this.#revision);
    while (this.#log.forget(upTo, this.#revision));
  }

  #changeOf(
    key: Key,
    revision: number,
    next: KubeObject | null,
    previous: KubeObject | undefined,
    text: string | null,
  ): Change {
    const { resource, namespace, name } = key;
    if (next === null) {
      const object = deletedForm(must(previous, "the deleted object"), revision);
      return { revision, type: "DELETED", resource, namespace, name, object, previous, text: JSON.stringify(object) };
    }
    const type = previous ? "MODIFIED" : "ADDED";
    return { revision, type, resource, namespace, name, object: freeze(next), previous, text: text ?? "" };
  }

  #apply({ key, index }: Write, change: Change, text: string | null): void {
    if (change.type !== "MODIFIED") this.#countChange(change);
    this.#absent.delete(keyText(key));
    if (text === null) {
      this.#cache.delete(keyText(key));
      this.#index?.remove(key);
    } else {
      this.#cache.set(keyText(key), change.object, text);
      this.#index?.put(key, index.owners, index.indexValue);
    }
    this.#recent.push(change);
    for (const listener of this.#listeners) listener(change);
    this.#log.cut(this.#revision);
  }

  /** Updates the cached lists and sizes after a creation or a deletion. */
  #countChange({ resource, type }: Change): void {
    this.#lists.delete(resource);
    const size = this.#sizes.get(resource);
    if (size !== undefined) this.#sizes.set(resource, size + (type === "ADDED" ? 1 : -1));
  }

  #bytesOf(key: Key): number {
    return this.#cache.textOf(keyText(key))?.length ?? this.#current.bytesOf(key);
  }

  /** Reports whether an object is known to exist without reading rows. */
  #isInMemory(key: Key): boolean {
    const text = keyText(key);
    this.effort.accountLookup();
    return this.#cache.get(text) !== undefined || this.#current.inBase(text) !== undefined;
  }

  /** Returns an object that is in memory, by a key as `keyText` returns it. */
  #cachedObject(key: string): KubeObject | undefined {
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const entry = this.#current.inBase(key);
    return entry && this.#base.atHand(entry.revision);
  }

  #readBase({ revision, characters }: BaseEntry): KubeObject {
    const cached = this.#base.atHand(revision);
    if (cached) return cached;
    this.effort.accountRead(characters);
    return this.#base.object(revision);
  }

  #parseAndCache(key: Key, text: string): KubeObject {
    const object = parseObject(text);
    this.effort.accountRead(text.length);
    this.#cache.set(keyText(key), object, text);
    return object;
  }

  #ownerIndex(): OwnerIndex {
    this.#index ??= OwnerIndex.build(this.#current.indexed());
    return this.#index;
  }
}

function parseObject(text: string): KubeObject {
  // Only `commit` writes this text, from a decoded object.
  return freeze(JSON.parse(text) as KubeObject);
}

/** Returns the error (410 `Expired`) for a revision that is compacted. */
export function expiredAt(requested: number, compacted: number): ApiError {
  return ApiError.expired(`too old resource version: ${requested} (${compacted})`);
}
