// etcd's promises over one SQLite: revisions, optimistic concurrency, lists at a revision, a change log with compaction.
import { assert, must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import { utf8Length } from "../../shared/base/utf8.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { ObjectCache } from "./cache.ts";
import { type Change, changeFromRow, type ChangeRow, deletedForm } from "./change.ts";
import { freeze } from "./freeze.ts";
import { type Key, keyText, OwnerIndex } from "./index-by-owner.ts";
import { RecentChanges } from "./recent-changes.ts";
import type { Sql } from "./sql.ts";
import { first } from "./sql.ts";
import { readMeta, writeMeta } from "./tables.ts";

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
}

/** One value of a list page, as stored text. */
export interface Item {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly text: string;
}

export interface Page {
  readonly items: Item[];
  /** There are further ones. */
  readonly more: boolean;
}

interface KeyRow {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
}

export interface IndexRow {
  readonly name: string;
  readonly indexValue: string;
  readonly revision: number;
}

export interface ListedKeys {
  readonly resource: string;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  /** Only keys after this one. */
  readonly after?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface PageQuery extends ListedKeys {
  readonly limit: number;
  /** The revision to read at; absent: now. */
  readonly revision?: number | undefined;
}

/** Keys remembered as absent. */
const absentKeys = 1000;

export class Store {
  readonly #sql: Sql;
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
  #compacted: number;
  /** Revisions at which a long list is being read. */
  readonly #held = new Map<symbol, number>();

  /** Opens the store of existing tables. */
  constructor(sql: Sql) {
    this.#sql = sql;
    this.#revision = first<{ revision: number }>(sql, "SELECT MAX(revision) AS revision FROM changes")?.revision ?? 0;
    this.#compacted = Number(readMeta(sql, "compacted") ?? "0");
  }

  /** The revision of the newest write; 0 before the first. */
  get revision(): number {
    return this.#revision;
  }

  /** Changes at or before this revision are gone from the log. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Called within each commit, in order. Listeners must not write. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  get(key: Key): KubeObject | undefined {
    const text = keyText(key);
    const cached = this.#cache.get(text);
    if (cached) return cached;
    if (this.#absent.has(text)) return undefined;
    const row = first<{ value: string }>(
      this.#sql,
      `SELECT c.value AS value FROM objects o JOIN changes c ON c.revision = o.revision
       WHERE o.resource = ? AND o.namespace = ? AND o.name = ?`,
      key.resource,
      key.namespace,
      key.name,
    );
    if (row) return this.#remember(key, row.value);
    if (this.#absent.size >= absentKeys) this.#absent.clear();
    this.#absent.add(text);
    return undefined;
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
        yield this.#cache.get(keyText({ resource, namespace: of, name })) ?? parsed(text);
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
    const keys = this.#keys({ resource, namespace, limit: limits.listPageObjects });
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
  count({ resource, namespace, after }: ListedKeys): number {
    const { where, params } = range(resource, namespace, after);
    return first<{ n: number }>(this.#sql, `SELECT COUNT(*) AS n FROM objects WHERE ${where}`, ...params)?.n ?? 0;
  }

  /** A page of stored texts in key order, at one revision: at least one if there are any, and no more than fit a bound of bytes. */
  page(query: PageQuery): Page {
    const { revision } = query;
    if (revision === undefined || revision >= this.#revision) return this.#pageNow(query);
    if (revision < this.#compacted) throw expiredAt(revision, this.#compacted);
    return this.#pageAt({ ...query, revision });
  }

  /** Keys of the objects that name this uid among their owners (`controller`: as the controlling one). */
  ownedBy(uid: string, controller: boolean): readonly Key[] {
    return this.#ownerIndex().ownedBy(uid, controller);
  }

  /** Keys of the names that begin with a text, in order. */
  beginningWith(resource: string, namespace: string, prefix: string): readonly Key[] {
    // No name has a character that high.
    return this.#sql.all<Key>(
      "SELECT resource, namespace, name FROM objects WHERE resource = ? AND namespace = ? AND name >= ? AND name < ?",
      resource,
      namespace,
      prefix,
      `${prefix}~`,
    );
  }

  /** The index value of each object of a resource, without reading the objects. */
  indexValues(resource: string): readonly IndexRow[] {
    return this.#sql.all("SELECT name, facet AS indexValue, revision FROM objects WHERE resource = ?", resource);
  }

  byIndexValue(resource: string, indexValue: string): readonly Key[] {
    return this.#ownerIndex().byIndexValue(resource, indexValue);
  }

  /** Writes one change: the revision rises by exactly one, object and change are written together or not at all. */
  commit(write: Write): Change {
    const { key, next } = write;
    const previous = this.get(key);
    assert(next !== null || previous, `delete of absent ${keyText(key)}`);
    const current = previous && Number(previous.metadata.resourceVersion);
    const revision = this.#revision + 1;
    if (next) next.metadata.resourceVersion = String(revision);
    const text = next ? JSON.stringify(next) : null;
    if (text) refuseTooLarge(text);
    this.#sql.transaction(() => this.#writeRows(write, revision, current, text));
    this.#revision = revision;
    const change = this.#changeOf(key, revision, next, previous, text);
    this.#apply(write, change, text);
    return change;
  }

  /**
   * Changes after a revision, oldest first: at least one if there are any, at most `limit`, and no more than fit a bound of bytes.
   * Throws `Expired` when they are compacted.
   */
  changesSince(revision: number, limit: number, resource?: string): Change[] {
    if (revision < this.#compacted) throw expiredAt(revision, this.#compacted);
    if (revision >= this.#revision) return [];
    const recent = this.#recent.since(revision);
    if (recent)
      return recent.filter((change) => resource === undefined || change.resource === resource).slice(0, limit);
    const where = resource === undefined ? "" : "AND resource = ?";
    return this.#sql
      .all<ChangeRow>(
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
      )
      .map(changeFromRow);
  }

  /** Keeps a revision readable until the returned function is called. */
  hold(revision: number): () => void {
    const key = Symbol();
    this.#held.set(key, revision);
    return () => this.#held.delete(key);
  }

  /** Forgets the log up to and including a revision, but for values that are current or that a kept change replaced. */
  compact(upTo: number): void {
    // A reader that never gets on does not keep the log for ever: it is told `Expired`.
    const held = [...this.#held.values()].filter((revision) => this.#revision - revision <= limits.heldRevisions);
    const target = Math.min(upTo, this.#revision, ...held);
    if (target <= this.#compacted) return;
    this.#sql.transaction(() => {
      const replaced = "SELECT previous FROM changes WHERE revision > ? AND revision <= ? AND previous IS NOT NULL";
      this.#sql.run(`DELETE FROM changes WHERE revision IN (${replaced})`, this.#compacted, target);
      // The newest row stays whatever it is: it carries the revision over a restart.
      this.#sql.run(
        "DELETE FROM changes WHERE revision > ? AND revision <= ? AND value IS NULL AND revision < ?",
        Math.max(0, this.#compacted - 1),
        target,
        this.#revision,
      );
      writeMeta(this.#sql, "compacted", String(target));
    });
    this.#compacted = target;
    this.#recent.forget(target);
  }

  #pageNow({ resource, namespace, after, limit }: PageQuery): Page {
    const { where, params } = range(resource, namespace, after, "o.");
    const ordered = `WHERE ${where} ORDER BY o.namespace, o.name LIMIT ?`;
    const sizes = this.#sql.all<{ bytes: number }>(`SELECT o.bytes FROM objects o ${ordered}`, ...params, limit + 1);
    const count = countFitting(sizes, limit);
    const items = this.#sql.all<Item>(
      `SELECT o.namespace, o.name, o.revision, c.value AS text
       FROM objects o JOIN changes c ON c.revision = o.revision ${ordered}`,
      ...params,
      count,
    );
    return { items, more: count < sizes.length };
  }

  /** What was written after the revision is taken back: each key's first later change says what it replaced. */
  #pageAt({ resource, namespace, after, limit, revision }: PageQuery & { revision: number }): Page {
    const later = new Map<string, { namespace: string; name: string; revision: number | null }>();
    const { where, params } = range(resource, namespace, after);
    for (const row of this.#sql.all<{ namespace: string; name: string; previous: number | null }>(
      `SELECT namespace, name, previous FROM changes WHERE revision > ? AND ${where} ORDER BY revision`,
      revision,
      ...params,
    )) {
      const text = `${row.namespace}/${row.name}`;
      if (!later.has(text)) later.set(text, { namespace: row.namespace, name: row.name, revision: row.previous });
    }
    const unchanged = this.#keys({ resource, namespace, after, limit: limit + 1 + later.size }).filter(
      (row) => !later.has(`${row.namespace}/${row.name}`),
    );
    const replaced = [...later.values()].filter((row) => row.revision !== null);
    const found = [...unchanged, ...replaced].sort(
      (a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
    );
    const items: Item[] = [];
    let bytes = 0;
    for (const row of found) {
      if (items.length === limit || bytes >= limits.listPageBytes) return { items, more: true };
      const value = first<{ value: string }>(this.#sql, "SELECT value FROM changes WHERE revision = ?", row.revision);
      const text = must(value, "value of a kept revision").value;
      items.push({ ...row, revision: must(row.revision, "revision"), text });
      bytes += text.length;
    }
    return { items, more: false };
  }

  #keys({ resource, namespace, after, limit }: PageQuery): KeyRow[] {
    const { where, params } = range(resource, namespace, after);
    return this.#sql.all(
      `SELECT namespace, name, revision FROM objects WHERE ${where} ORDER BY namespace, name LIMIT ?`,
      ...params,
      limit,
    );
  }

  #writeRows(
    { key, next, index, cause }: Write,
    revision: number,
    current: number | undefined,
    text: string | null,
  ): void {
    const { resource, namespace, name } = key;
    this.#sql.run(
      "INSERT INTO changes (revision, resource, namespace, name, previous, value, cause) VALUES (?, ?, ?, ?, ?, ?, ?)",
      revision,
      resource,
      namespace,
      name,
      current ?? null,
      text,
      cause,
    );
    if (next === null) {
      this.#sql.run("DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?", resource, namespace, name);
      return;
    }
    this.#sql.run(
      `INSERT INTO objects (resource, namespace, name, revision, owners, facet, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (resource, namespace, name) DO UPDATE SET
       revision = excluded.revision, owners = excluded.owners, facet = excluded.facet, bytes = excluded.bytes`,
      resource,
      namespace,
      name,
      revision,
      index.owners.join(" "),
      index.indexValue,
      text?.length ?? 0,
    );
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
      this.#cache.set(keyText(key), change.object, text.length);
      this.#index?.put(key, index.owners, index.indexValue);
    }
    this.#recent.push(change);
    for (const listener of this.#listeners) listener(change);
    if (this.#revision - this.#compacted > limits.changeLogRevisions + limits.changeBatch) {
      this.compact(this.#revision - limits.changeLogRevisions);
    }
  }

  /** Of what came or went. */
  #countChange({ resource, type }: Change): void {
    this.#lists.delete(resource);
    const size = this.#sizes.get(resource);
    if (size !== undefined) this.#sizes.set(resource, size + (type === "ADDED" ? 1 : -1));
  }

  #remember(key: Key, text: string): KubeObject {
    const object = parsed(text);
    this.#cache.set(keyText(key), object, text.length);
    return object;
  }

  #ownerIndex(): OwnerIndex {
    this.#index ??= OwnerIndex.build(this.#sql);
    return this.#index;
  }
}

function parsed(text: string): KubeObject {
  // The text was written by commit from a decoded object.
  return freeze(JSON.parse(text) as KubeObject);
}

/** How many rows, of at most `limit`, a page takes until it is full. */
function countFitting(rows: readonly { readonly bytes: number }[], limit: number): number {
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, rows.length) && bytes < limits.listPageBytes; count++) {
    bytes += rows[count]?.bytes ?? 0;
  }
  return count;
}

/** No row can hold more. */
function refuseTooLarge(text: string): void {
  // Cheap for the many: only what has a chance to be too large is measured.
  if (text.length * 3 < limits.objectBytes) return;
  const bytes = utf8Length(text);
  if (bytes <= limits.objectBytes) return;
  const message = `limit is ${limits.objectBytes} bytes for one object, this one has ${bytes}`;
  throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

/** Upstream's answer (410 `Expired`) to a revision that is compacted. */
export function expiredAt(requested: number, compacted: number): ApiError {
  return ApiError.expired(`too old resource version: ${requested} (${compacted})`);
}

function range(resource: string, namespace: string | undefined, after: PageQuery["after"], prefix = "") {
  const params: (string | number)[] = [resource];
  let where = `${prefix}resource = ?`;
  if (namespace !== undefined) {
    where += ` AND ${prefix}namespace = ?`;
    params.push(namespace);
  }
  if (after && namespace !== undefined) {
    // Of two columns SQLite would look through the whole namespace again for each page.
    where += ` AND ${prefix}name > ?`;
    params.push(after.name);
  } else if (after) {
    where += ` AND (${prefix}namespace, ${prefix}name) > (?, ?)`;
    params.push(after.namespace, after.name);
  }
  return { where, params };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
