// etcd's promises over one SQLite: revisions, optimistic concurrency, lists at a revision, a change log with compaction.
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
import { Current, type HeldKey } from "./current.ts";
import { Effort } from "./effort.ts";
import { freeze } from "./freeze.ts";
import { type Key, keyText, OwnerIndex } from "./index-by-owner.ts";
import { NameTaken } from "./name-taken.ts";
import type { IndexRow, KeyRow, ListedKeys, Page, PageQuery } from "./queries.ts";
import { ObjectHistory } from "./object-history.ts";
import { Past } from "./past.ts";
import { RecentChanges } from "./recent-changes.ts";
import { type Bounds, Room } from "./room.ts";
import type { Sql } from "./sql.ts";
import { first } from "./sql.ts";

/** Small values of an object by which it is found without reading it. */
export interface IndexValues {
  /** uids of all owners, the controlling one marked with `!` before it. */
  readonly owners: readonly string[];
  readonly indexValue: string;
}

export interface Write {
  readonly key: Key;
  /** The next object (mutable: it gets its resourceVersion and is frozen), or null to delete. */
  readonly next: KubeObject | null;
  readonly index: IndexValues;
  /** Who did it and why, as JSON text. */
  readonly cause: string;
  /** Its writer knows of nothing under the key, and has not looked: where there is something, `NameTaken` is thrown, and nothing written. */
  readonly isNew?: boolean;
  /** Where room is short, it may take of what is kept back: if it changes what is there, or in any case. */
  readonly reserve?: "changes" | "all" | undefined;
}

/** No resource that is served has this name. */
const compactionKey: Key = { resource: "", namespace: "", name: "compact_rev_key" };
/** Work, in microseconds, of a row of the log that is looked at without its value. */
export const scannedRowWork = 0.3;
/** Keys remembered as absent. */
const absentKeys = 1000;

export class Store {
  readonly #sql: Sql;
  readonly #base: Base;
  readonly #current: Current;
  readonly #cache = new ObjectCache(limits.objectCacheBytes);
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #recent = new RecentChanges();
  /** The keys of a resource in a namespace (or in all), undefined where they are many; forgotten when one comes or goes. */
  readonly #lists = new Map<string, Map<string | undefined, readonly KeyRow[] | undefined>>();
  readonly #sizes = new Map<string, number>();
  /** Keys that were looked for in vain: a creation asks for its own several times. */
  readonly #absent = new Set<string>();
  #index: OwnerIndex | undefined;
  #revision: number;
  readonly #clock: Clock;
  readonly #realClock: Clock;
  readonly #log: ChangeLog;
  readonly #room: Room;
  /** What was current at a moment of the past. */
  readonly objectHistory: ObjectHistory;
  /** The meter of the cluster. */
  readonly meter: WorkMeter;
  readonly effort: Effort;
  #advancedMs = Number.NEGATIVE_INFINITY;

  /**
   * Opens the store of existing tables. The clock tells when a write was made. The log ages by the real clock, since its readers do; without
   * one it has no age. The base is the one that the cluster was made with. What reads and writes cost is accounted to the meter.
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
    this.#room = new Room(() => this.#current.size(), bounds);
    const newest = first<{ revision: number | null }>(sql, "SELECT MAX(revision) AS revision FROM changes");
    this.#revision = newest?.revision ?? base.revision;
  }

  /** The revision of the newest write; that of the base before the first. */
  get revision(): number {
    return this.#revision;
  }

  /** Reports whether this is the store as it was at a revision. */
  get isPast(): boolean {
    return false;
  }

  /** The revision of its base, with which the log begins; 0 where there is none. */
  get began(): number {
    return this.#base.revision;
  }

  /** Changes at or before this revision are gone from the log, as far as the API may read it. */
  get compacted(): number {
    return this.#log.compacted;
  }

  /** Changes at or before this revision, which is no later, are gone from what tells history. */
  get forgotten(): number {
    return this.#log.forgotten;
  }

  /** Called within each commit, in order. Listeners must not write. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  get(key: Key): KubeObject | undefined {
    const text = keyText(key);
    const known = this.#cache.get(text);
    this.effort.looked();
    if (known) return known;
    const entry = this.#current.inBase(text);
    if (entry) return this.#ofBase(entry);
    if (this.#absent.has(text)) return undefined;
    const own = this.#current.own(key);
    if (own !== undefined) return this.#remember(key, own);
    if (this.#absent.size >= absentKeys) this.#absent.clear();
    this.#absent.add(text);
    return undefined;
  }

  /** The JSON of what was read or written under a key, while it is kept; undefined where it would have to be made. */
  textOf(key: Key, object: KubeObject): string | undefined {
    const text = keyText(key);
    if (this.#cache.holds(text, object)) return this.#cache.textOf(text);
    const entry = this.#current.inBase(text);
    return entry && this.#base.atHand(entry.revision) === object ? this.#base.text(entry.revision) : undefined;
  }

  /**
   * Objects in key order, all of them: for controllers and strategies (lists for clients are paged as text). A long list is read
   * page by page and not kept, lest it drive out what is in use.
   */
  *list({ resource, namespace, after }: ListedKeys): Generator<KubeObject> {
    const few = after ? undefined : this.#fewKeys(resource, namespace);
    for (const { namespace: of, name } of few ?? []) {
      const object = this.get({ resource, namespace: of, name });
      if (object) yield object;
    }
    if (few) return;
    for (let last = after; ; ) {
      const { items, more } = this.page({ resource, namespace, after: last, limit: limits.listPageObjects });
      for (const { namespace: of, name, text } of items) {
        const known = this.#known(keyText({ resource, namespace: of, name }));
        if (known) this.effort.looked();
        else this.effort.read(text.length);
        yield known ?? parsed(text);
      }
      if (!more) return;
      last = items.at(-1);
    }
  }

  /** The keys of a short list, remembered: controllers list the same few objects at every change of others. */
  #fewKeys(resource: string, namespace: string | undefined): readonly KeyRow[] | undefined {
    const lists = this.#lists.get(resource) ?? new Map<string | undefined, readonly KeyRow[] | undefined>();
    this.#lists.set(resource, lists);
    if (lists.has(namespace)) return lists.get(namespace);
    const keys = this.#current.keys({ resource, namespace, limit: limits.listPageObjects });
    const few = keys.length < limits.listPageObjects ? keys : undefined;
    lists.set(namespace, few);
    return few;
  }

  /** How many objects of a resource there are; counted once, then kept. */
  size(resource: string): number {
    const known = this.#sizes.get(resource) ?? this.count({ resource });
    this.#sizes.set(resource, known);
    return known;
  }

  /** Number of objects, optionally after a key: for `remainingItemCount`. */
  count(query: ListedKeys): number {
    return this.#current.count(query);
  }

  /** A page of stored texts in key order, at one revision: at least one if there are any, and no more than fit a bound of bytes. */
  page(query: PageQuery): Page {
    const { revision } = query;
    if (revision === undefined || revision >= this.#revision) return this.#current.page(query);
    if (revision < this.#log.compacted) throw expiredAt(revision, this.#log.compacted);
    return this.#current.pageAt({ ...query, revision });
  }

  /** The same at a revision that history reaches back to, though the API may not list it. */
  pageOfHistory(query: PageQuery & { revision: number }): Page {
    if (query.revision < this.#log.forgotten) throw expiredAt(query.revision, this.#log.forgotten);
    this.meter.account((this.#revision - query.revision) * scannedRowWork);
    return this.#current.pageAt(query);
  }

  /** All there was at a revision that history reaches back to, in the order of the keys. Throws `Expired` for one before that. */
  at(revision: number): readonly HeldKey[] {
    if (revision < this.#log.forgotten) throw expiredAt(revision, this.#log.forgotten);
    return this.#current.at(revision);
  }

  /** The text of what was current at a revision that is still held. */
  textAt(revision: number): string {
    return this.#current.textAt(revision);
  }

  /** Returns an object as a revision that is still held has it. */
  objectAt(revision: number): KubeObject {
    const text = this.#current.textAt(revision);
    this.effort.read(text.length);
    return parsed(text);
  }

  /** What is known of changes without their values. */
  get past(): Past {
    return new Past(this.#sql);
  }

  /** Keys of the objects that name this uid among their owners (`controller`: as the controlling one). */
  ownedBy(uid: string, controller: boolean): readonly Key[] {
    return this.#ownerIndex().ownedBy(uid, controller);
  }

  /** Keys in a namespace of what no owner controls, in order; undefined where they are more than a page of a list. */
  uncontrolled(resource: string, namespace: string): readonly Key[] | undefined {
    const keys = this.#current.uncontrolled(resource, namespace, limits.listPageObjects);
    return keys.length < limits.listPageObjects ? keys : undefined;
  }

  /** Keys of the names that begin with a text, in order. */
  beginningWith(resource: string, namespace: string, prefix: string): readonly Key[] {
    return this.#current.beginningWith(resource, namespace, prefix);
  }

  /** Keys of that name in all namespaces. */
  named(resource: string, name: string): readonly Key[] {
    return this.#current.named(resource, name);
  }

  /** The index value of each object of a resource, without reading the objects. */
  indexValues(resource: string): readonly IndexRow[] {
    return this.#current.indexValues(resource);
  }

  byIndexValue(resource: string, indexValue: string): readonly Key[] {
    return this.#ownerIndex().byIndexValue(resource, indexValue);
  }

  /** Throws 429 where so many objects more would be too many: for writes of several, which are to be done whole or not at all. */
  requireRoom(objects: number): void {
    this.#room.require(objects, 0);
  }

  /**
   * Writes one change: the revision rises by exactly one, object and change are written together or not at all. Throws 429 where there
   * is no room for it; deletions, and whatever does not grow, always have room. See `Write.isNew` for `NameTaken`.
   */
  commit(write: Write): Change {
    const { key, next } = write;
    if (write.isNew && this.#isKnown(key)) throw new NameTaken();
    const previous = write.isNew ? undefined : this.get(key);
    assert(next !== null || previous, `delete of absent ${keyText(key)}`);
    const current = previous && Number(previous.metadata.resourceVersion);
    const revision = this.#revision + 1;
    if (next) next.metadata.resourceVersion = String(revision);
    const text = next ? JSON.stringify(next) : null;
    if (text) refuseTooLarge(text);
    if (text) refuseTooWide(next, text.length);
    const objects = (next ? 1 : 0) - (previous ? 1 : 0);
    // What was just read is at hand.
    const replaced = previous ? this.#bytesOf(key) : 0;
    const bytes = (text?.length ?? 0) - replaced;
    this.#room.require(
      objects,
      bytes,
      write.reserve === "all" || (write.reserve === "changes" && previous !== undefined),
    );
    const atMs = this.#clock.nowMs();
    const stored = { key, revision, previous: current, text, ...write.index, cause: write.cause, atMs };
    // What stands in the base takes no room in the log. Should the write fail, what was noted before it stays true.
    this.#log.writes(revision, this.#isOwn(current) ? replaced : 0, write.cause.length);
    this.#current.write(stored);
    this.#current.wrote(stored);
    this.#revision = revision;
    this.#room.take(objects, bytes);
    this.effort.wrote(text?.length ?? 0);
    const change = this.#changeOf(key, revision, next, previous, text);
    this.objectHistory.append(change, atMs);
    this.#apply(write, change, text);
    return change;
  }

  /**
   * Changes after a revision, oldest first: at least one if there are any, at most `limit`, and no more than fit a bound of bytes.
   * Throws `Expired` when they are compacted.
   */
  changesSince(revision: number, limit: number, resource?: string): Change[] {
    if (revision < this.#log.compacted) throw expiredAt(revision, this.#log.compacted);
    if (revision >= this.#revision) return [];
    const recent = this.#recent.since(revision);
    if (recent)
      return recent.filter((change) => resource === undefined || change.resource === resource).slice(0, limit);
    return this.#logged(revision, limit, resource).map((row) => changeFromRow(this.#withBase(row)));
  }

  /** Whoever follows the changes has read them all: few of them stay in memory. */
  rest(): void {
    this.#recent.rest();
    this.objectHistory.rest();
  }

  /** Changes after a revision with their causes, in portions as `changesSince` gives them: throws `Expired` for what history has forgotten. */
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

  /** Whether what stands there has a row in the log. */
  #isOwn(revision: number | undefined): boolean {
    return revision !== undefined && revision > this.#base.revision;
  }

  /** What a change replaced may stand in the base. */
  #withBase(row: ChangeRow): ChangeRow {
    if (row.previous === null || this.#isOwn(row.previous)) return row;
    return { ...row, previous_value: this.#base.text(row.previous) };
  }

  /**
   * A write of nothing, as that of upstream's compaction is: a list that starts anew has another revision than one that was begun before
   * it. No more than one in the time after which the log is cut.
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

  /** Forgets the log up to and including a revision, but for values that are current or that a kept change replaced. */
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

  /** Of what came or went. */
  #countChange({ resource, type }: Change): void {
    this.#lists.delete(resource);
    const size = this.#sizes.get(resource);
    if (size !== undefined) this.#sizes.set(resource, size + (type === "ADDED" ? 1 : -1));
  }

  #bytesOf(key: Key): number {
    return this.#cache.textOf(keyText(key))?.length ?? this.#current.bytesOf(key);
  }

  /** Whether it is known without a look at the rows that something is there. */
  #isKnown(key: Key): boolean {
    const text = keyText(key);
    this.effort.looked();
    return this.#cache.get(text) !== undefined || this.#current.inBase(text) !== undefined;
  }

  /** What is at hand under a `keyText`. */
  #known(key: string): KubeObject | undefined {
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const entry = this.#current.inBase(key);
    return entry && this.#base.atHand(entry.revision);
  }

  #ofBase({ revision, bytes }: BaseEntry): KubeObject {
    const known = this.#base.atHand(revision);
    if (known) return known;
    this.effort.read(bytes);
    return this.#base.object(revision);
  }

  #remember(key: Key, text: string): KubeObject {
    const object = parsed(text);
    this.effort.read(text.length);
    this.#cache.set(keyText(key), object, text);
    return object;
  }

  #ownerIndex(): OwnerIndex {
    this.#index ??= OwnerIndex.build(this.#current.indexed());
    return this.#index;
  }
}

function parsed(text: string): KubeObject {
  // The text was written by commit from a decoded object.
  return freeze(JSON.parse(text) as KubeObject);
}

/** Upstream's answer (410 `Expired`) to a revision that is compacted. */
export function expiredAt(requested: number, compacted: number): ApiError {
  return ApiError.expired(`too old resource version: ${requested} (${compacted})`);
}
