// The current objects: the cluster's own rows, and the objects of its base that are unchanged.
//
// When an object of the base is changed or deleted, its revision is inserted into `replaced`. From then on it is read only as a past state.
import { must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Base, BaseEntry } from "./base.ts";
import { type IndexedRow, type Key, keyText } from "./index-by-owner.ts";
import type { IndexRow, Item, KeyRow, ListedKeys, Page, PageQuery } from "./queries.ts";
import { NameTaken } from "./name-taken.ts";
import { compareText, countFitting, range } from "./range.ts";
import { first, type Sql } from "./sql.ts";

/** The error message of SQLite, on all platforms, when a second row with the key of an object is inserted. */
const uniqueViolation = "UNIQUE constraint failed: objects.resource";

/** The mark before the uid of the controlling owner in the column `owners`. */
const controllerMark = "!";

/** The columns of a write. */
export interface Stored {
  readonly key: Key;
  readonly revision: number;
  /** The revision that this write replaces. */
  readonly previous: number | undefined;
  /** Null for a deletion. */
  readonly text: string | null;
  readonly owners: readonly string[];
  readonly indexValue: string;
  readonly cause: string;
  readonly atMs: number;
}

/**
 * A key with the revision that was current at a point in the past. `index` is undefined if the object was replaced later, since only
 * current index values are stored.
 */
export interface KeyAtRevision extends Key {
  readonly revision: number;
  readonly index: { readonly owners: readonly string[]; readonly indexValue: string } | undefined;
}

/**
 * The number of sizes that a page reads first. A page of pods is full before that; if the page is not full, all sizes up to its limit are
 * read.
 */
const fewSizes = 200;
/** The number of log rows that one query reads. */
const rowsAtOnce = 10_000;

export class Current {
  readonly #sql: Sql;
  readonly #base: Base;
  /** The revisions of base objects that have been changed or deleted. Read on first use. */
  #replaced: Set<number> | undefined;

  constructor(sql: Sql, base: Base) {
    this.#sql = sql;
    this.#base = base;
  }

  /** Finds an unchanged object of the base by a key as `keyText` returns it. */
  inBase(key: string): BaseEntry | undefined {
    const entry = this.#base.find(key);
    return entry && !this.#replacedRevisions().has(entry.revision) ? entry : undefined;
  }

  /** Returns the JSON text of an object that has a row. */
  storedText({ resource, namespace, name }: Key): string | undefined {
    return first<{ value: string }>(
      this.#sql,
      `SELECT c.value AS value FROM objects o JOIN changes c ON c.revision = o.revision
       WHERE o.resource = ? AND o.namespace = ? AND o.name = ?`,
      resource,
      namespace,
      name,
    )?.value;
  }

  /** Returns the length of the stored text in UTF-16 code units, as everywhere in the store; 0 if there is no such object. */
  bytesOf(key: Key): number {
    const entry = this.inBase(keyText(key));
    if (entry) return entry.characters;
    const stored = "SELECT bytes FROM objects WHERE resource = ? AND namespace = ? AND name = ?";
    return first<{ bytes: number }>(this.#sql, stored, key.resource, key.namespace, key.name)?.bytes ?? 0;
  }

  keys(query: PageQuery): readonly KeyRow[] {
    const { where, params } = range(query.resource, query.namespace, query.after);
    const storedRows = this.#sql.all<KeyRow>(
      `SELECT namespace, name, revision FROM objects WHERE ${where} ORDER BY namespace, name LIMIT ?`,
      ...params,
      query.limit,
    );
    return mergeSorted(storedRows, this.#unchangedInBase(query, query.limit)).slice(0, query.limit);
  }

  /** Lists the keys, in order, of the objects in a namespace that have no controlling owner. */
  uncontrolled(resource: string, namespace: string, limit: number): readonly Key[] {
    const storedKeys = this.#sql.all<Key>(
      `SELECT resource, namespace, name FROM objects
       WHERE resource = ? AND namespace = ? AND instr(owners, '${controllerMark}') = 0 ORDER BY name LIMIT ?`,
      resource,
      namespace,
      limit,
    );
    const unchangedBase = this.#unchangedInBase({ resource, namespace });
    if (unchangedBase.length === 0) return storedKeys;
    const controlled = new Set(this.#base.indexed().filter(isControlled).map(keyText));
    const uncontrolledBaseKeys = unchangedBase.filter((entry) => !controlled.has(keyText(entry))).map(keyOf);
    return mergeSorted(storedKeys, uncontrolledBaseKeys).slice(0, limit);
  }

  count(query: ListedKeys): number {
    const { where, params } = range(query.resource, query.namespace, query.after);
    const storedRow = first<{ n: number }>(this.#sql, `SELECT COUNT(*) AS n FROM objects WHERE ${where}`, ...params);
    return (storedRow?.n ?? 0) + this.#unchangedInBase(query).length;
  }

  /** Lists the keys, in order, whose names start with a prefix. */
  beginningWith(resource: string, namespace: string, prefix: string): readonly Key[] {
    // No character of a name sorts after `~`.
    const storedKeys = this.#sql.all<Key>(
      "SELECT resource, namespace, name FROM objects WHERE resource = ? AND namespace = ? AND name >= ? AND name < ?",
      resource,
      namespace,
      prefix,
      `${prefix}~`,
    );
    const unchangedBase = this.#unchangedInBase({ resource, namespace }).filter(({ name }) => name.startsWith(prefix));
    return mergeSorted(storedKeys, unchangedBase.map(keyOf));
  }

  /** Lists the keys with a name in all namespaces. */
  named(resource: string, name: string): readonly Key[] {
    const query = "SELECT resource, namespace, name FROM objects WHERE resource = ? AND name = ?";
    const unchangedBase = this.#unchangedInBase({ resource }).filter((entry) => entry.name === name);
    return mergeSorted(this.#sql.all<Key>(query, resource, name), unchangedBase.map(keyOf));
  }

  /** Returns the index value of each object of a resource, without reading the objects. */
  indexValues(resource: string): readonly IndexRow[] {
    const query = "SELECT namespace, name, index_value AS indexValue, revision FROM objects WHERE resource = ?";
    return mergeSorted(this.#sql.all<IndexRow & KeyRow>(query, resource), this.#unchangedInBase({ resource }));
  }

  /** Returns the objects that have owners or an index value. */
  indexed(): readonly IndexedRow[] {
    const storedRows = this.#sql.all<Key & { owners: string; indexValue: string }>(
      "SELECT resource, namespace, name, owners, index_value AS indexValue FROM objects WHERE owners <> '' OR index_value <> ''",
    );
    const rows = storedRows.map((row) => ({ ...row, owners: row.owners === "" ? [] : row.owners.split(" ") }));
    const unchangedBase = this.#base.indexed().filter(({ revision }) => !this.#replacedRevisions().has(revision));
    return unchangedBase.length === 0 ? rows : [...rows, ...unchangedBase].sort(compareKeys);
  }

  /** Counts the objects and the bytes, those of the base included. */
  size(): { objects: number; bytes: number } {
    const sums = "SELECT COUNT(*) AS objects, IFNULL(SUM(bytes), 0) AS bytes FROM objects";
    const size = first<{ objects: number; bytes: number }>(this.#sql, sums) ?? { objects: 0, bytes: 0 };
    for (const { revision, characters } of this.#base.entries()) {
      if (this.#replacedRevisions().has(revision)) continue;
      size.objects += 1;
      size.bytes += characters;
    }
    return size;
  }

  /** Returns the text of a revision that the log still has. */
  textAt(revision: number): string {
    if (revision <= this.#base.revision) return this.#base.text(revision);
    const row = first<{ value: string }>(this.#sql, "SELECT value FROM changes WHERE revision = ?", revision);
    return must(row, "value of a kept revision").value;
  }

  /** Lists a page. The sizes of its values are measured first, so that no value is read that does not fit. */
  page(query: PageQuery): Page {
    const { items: storedItems, more: hasMoreStored } = this.#storedPage(query);
    const unchangedBase = this.#unchangedInBase(query, query.limit + 1);
    // If rows are left unread, base entries after the last row belong to a later page.
    const last = hasMoreStored ? storedItems.at(-1) : undefined;
    const baseOfPage = last ? unchangedBase.filter((entry) => compareNames(entry, last) < 0) : unchangedBase;
    if (baseOfPage.length === 0) return { items: storedItems, more: hasMoreStored || unchangedBase.length > 0 };
    const fittingEntries = baseOfPage.slice(0, countFitting(baseOfPage, query.limit));
    const items = mergeSorted(
      storedItems,
      fittingEntries.map((entry) => this.#item(entry)),
    );
    const fitting = countFitting(
      items.map(({ text }) => ({ characters: text.length })),
      query.limit,
    );
    return {
      items: items.slice(0, fitting),
      more: hasMoreStored || fitting < storedItems.length + unchangedBase.length,
    };
  }

  /** Reads the rows of a page that fit. Rows that follow are left for later pages. */
  #storedPage(query: PageQuery): Page {
    const { where, params } = range(query.resource, query.namespace, query.after, "o.");
    const ordered = `WHERE ${where} ORDER BY o.namespace, o.name LIMIT ?`;
    const sizesOf = (max: number) =>
      this.#sql.all<{ characters: number }>(`SELECT o.bytes AS characters FROM objects o ${ordered}`, ...params, max);
    const firstSizes = sizesOf(Math.min(query.limit, fewSizes) + 1);
    const isWholeList = firstSizes.length <= fewSizes || query.limit <= fewSizes;
    const isPageFull = countFitting(firstSizes, firstSizes.length) < firstSizes.length;
    const sizes = isWholeList || isPageFull ? firstSizes : sizesOf(query.limit + 1);
    const items = this.#sql.all<Item>(
      `SELECT o.namespace, o.name, o.revision, c.value AS text
       FROM objects o JOIN changes c ON c.revision = o.revision ${ordered}`,
      ...params,
      countFitting(sizes, query.limit),
    );
    return { items, more: items.length < sizes.length };
  }

  /** Lists a page at a past revision. The first later change of each key has the revision that it replaced. */
  pageAt(query: PageQuery & { revision: number }): Page {
    const { resource, namespace, after, limit, revision } = query;
    const firstLaterChanges = new Map<string, { namespace: string; name: string; revision: number | null }>();
    const { where, params } = range(resource, namespace, after);
    for (const row of this.#sql.all<{ namespace: string; name: string; previous: number | null }>(
      `SELECT namespace, name, previous FROM changes WHERE revision > ? AND ${where} ORDER BY revision`,
      revision,
      ...params,
    )) {
      const text = `${row.namespace}/${row.name}`;
      if (!firstLaterChanges.has(text))
        firstLaterChanges.set(text, { namespace: row.namespace, name: row.name, revision: row.previous });
    }
    const unchanged = this.keys({ ...query, limit: limit + 1 + firstLaterChanges.size }).filter(
      (row) => !firstLaterChanges.has(`${row.namespace}/${row.name}`),
    );
    const replaced = [...firstLaterChanges.values()].filter((row) => row.revision !== null);
    const rows = [...unchanged, ...replaced].sort(compareNames);
    const items: Item[] = [];
    let bytes = 0;
    for (const row of rows) {
      if (items.length === limit || bytes >= limits.listPageBytes) return { items, more: true };
      const item = this.#item({ ...row, revision: must(row.revision, "revision") });
      items.push(item);
      bytes += item.text.length;
    }
    return { items, more: false };
  }

  /** Returns the key and the revision of each object at a past revision, in the order of the keys. The log must reach back to it. */
  at(revision: number): readonly KeyAtRevision[] {
    const firstLaterChanges = new Map<string, Key & { readonly previous: number | null }>();
    for (let from = revision; ; ) {
      const rows = this.#sql.all<Key & { revision: number; previous: number | null }>(
        "SELECT revision, resource, namespace, name, previous FROM changes WHERE revision > ? ORDER BY revision LIMIT ?",
        from,
        rowsAtOnce,
      );
      for (const row of rows) if (!firstLaterChanges.has(keyText(row))) firstLaterChanges.set(keyText(row), row);
      const last = rows.at(-1);
      if (!last) break;
      from = last.revision;
    }
    const owners = new Map(this.#base.indexed().map((entry) => [entry.revision, entry.owners]));
    const unchangedBase = this.#base
      .entries()
      .filter((entry) => !this.#replacedRevisions().has(entry.revision))
      .map((entry) => ({ ...entry, owners: owners.get(entry.revision) ?? [] }));
    const storedRows = this.#sql
      .all<Key & { revision: number; owners: string; indexValue: string }>(
        "SELECT resource, namespace, name, revision, owners, index_value AS indexValue FROM objects",
      )
      .map((row) => ({ ...row, owners: row.owners === "" ? [] : row.owners.split(" ") }));
    const unchanged = [...unchangedBase, ...storedRows]
      .filter((row) => !firstLaterChanges.has(keyText(row)))
      .map(({ owners, indexValue, revision, ...key }) => ({ ...keyOf(key), revision, index: { owners, indexValue } }));
    const replaced = [...firstLaterChanges.values()].flatMap((row) =>
      row.previous === null ? [] : [{ ...keyOf(row), revision: row.previous, index: undefined }],
    );
    // The key of the compaction, which has no resource, is no object.
    return [...unchanged, ...replaced].filter(({ resource }) => resource !== "").sort(compareKeys);
  }

  /** Inserts all rows of a write or none. Throws `NameTaken` if a creation finds a row with its key. */
  write({ key, revision, previous, text, owners, indexValue, cause, atMs }: Stored): void {
    try {
      this.#sql.run(
        `INSERT INTO writes (revision, resource, namespace, name, previous, value, cause, at_ms, owners, index_value, bytes, of_base)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        revision,
        key.resource,
        key.namespace,
        key.name,
        previous ?? null,
        text,
        cause,
        atMs,
        owners.join(" "),
        indexValue,
        text?.length ?? 0,
        this.#isBase(previous) ? 1 : 0,
      );
    } catch (error) {
      throw isUniqueViolation(error) ? new NameTaken() : error;
    }
  }

  /** Records in memory that an object of the base was replaced. A separate call, because a write that fails must not record it. */
  recordReplaced({ previous }: Stored): void {
    if (this.#isBase(previous)) this.#replacedRevisions().add(previous);
  }

  #isBase(revision: number | undefined): revision is number {
    return revision !== undefined && revision <= this.#base.revision;
  }

  #item({ namespace, name, revision }: KeyRow): Item {
    return { namespace, name, revision, text: this.textAt(revision) };
  }

  /** Returns at most `most` entries of a list that are unchanged in the base. */
  #unchangedInBase({ resource, namespace, after }: ListedKeys, most = Number.POSITIVE_INFINITY): readonly BaseEntry[] {
    const entries = this.#base.list(resource);
    const bound = namespace === undefined ? after : { namespace, name: after?.name ?? "" };
    const unchanged: BaseEntry[] = [];
    for (let at = bound ? countUpTo(entries, bound) : 0; at < entries.length && unchanged.length < most; at++) {
      const entry = must(entries[at], "an entry of the base");
      if (namespace !== undefined && entry.namespace !== namespace) break;
      if (!this.#replacedRevisions().has(entry.revision)) unchanged.push(entry);
    }
    return unchanged;
  }

  #replacedRevisions(): Set<number> {
    if (this.#replaced) return this.#replaced;
    const rows = this.#base.revision === 0 ? [] : this.#sql.all<{ revision: number }>("SELECT revision FROM replaced");
    return (this.#replaced = new Set(rows.map(({ revision }) => revision)));
  }
}

function isControlled({ owners }: { readonly owners: readonly string[] }): boolean {
  return owners.some((owner) => owner.startsWith(controllerMark));
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && error.message.includes(uniqueViolation);
}

/** Merges two lists that are sorted by name. */
function mergeSorted<Row extends { readonly namespace: string; readonly name: string }>(
  storedRows: readonly Row[],
  baseRows: readonly Row[],
): readonly Row[] {
  const [last, next] = [storedRows.at(-1), baseRows[0]];
  if (!next) return storedRows;
  const all = [...storedRows, ...baseRows];
  return last && compareNames(last, next) > 0 ? all.sort(compareNames) : all;
}

function keyOf({ resource, namespace, name }: Key): Key {
  return { resource, namespace, name };
}

type Name = Pick<Key, "namespace" | "name">;

function compareNames(a: Name, b: Name): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

/** Counts the entries of a sorted list up to and including a name. */
function countUpTo(entries: readonly BaseEntry[], name: Name): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareNames(must(entries[middle], "an entry of the base"), name) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareKeys(a: Key, b: Key): number {
  return compareText(a.resource, b.resource) || compareNames(a, b);
}
