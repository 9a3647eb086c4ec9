// What is current: the cluster's own rows, and beneath them what is left of its base.
//
// An object of the base has a row in `replaced` from the moment it is changed or deleted, and is never looked at again but for what was
// there before.
import { must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Base, BaseEntry } from "./base.ts";
import { type IndexedRow, type Key, keyText } from "./index-by-owner.ts";
import type { IndexRow, Item, KeyRow, ListedKeys, Page, PageQuery } from "./queries.ts";
import { NameTaken } from "./name-taken.ts";
import { compareText, countFitting, range } from "./range.ts";
import { first, type Sql } from "./sql.ts";

/** What SQLite says, in all places that it runs in, of a second row with the key of an object. */
const taken = "UNIQUE constraint failed: objects.resource";

/** What a write stores. */
export interface Stored {
  readonly key: Key;
  readonly revision: number;
  /** The revision that it replaces. */
  readonly previous: number | undefined;
  /** Null for a deletion. */
  readonly text: string | null;
  readonly owners: readonly string[];
  readonly indexValue: string;
  readonly cause: string;
  /** When it was written. */
  readonly atMs: number;
}

/** What stood under a key; where it has been replaced since, its index values are to be worked out. */
export interface HeldKey extends Key {
  readonly revision: number;
  readonly index: { readonly owners: readonly string[]; readonly indexValue: string } | undefined;
}

/** Of pods a page takes no more: the sizes of as many as there may be are read where these do not fill it. */
const fewSizes = 200;
/** Rows of the log that are read at once. */
const rowsAtOnce = 10_000;

export class Current {
  readonly #sql: Sql;
  readonly #base: Base;
  /** Revisions of the base's objects that have been changed or deleted; read on first use. */
  #replaced: Set<number> | undefined;

  constructor(sql: Sql, base: Base) {
    this.#sql = sql;
    this.#base = base;
  }

  /** What stands under a `keyText` since the cluster began. */
  inBase(key: string): BaseEntry | undefined {
    const entry = this.#base.find(key);
    return entry && !this.#gone().has(entry.revision) ? entry : undefined;
  }

  /** The text of an object that has a row of its own. */
  own({ resource, namespace, name }: Key): string | undefined {
    return first<{ value: string }>(
      this.#sql,
      `SELECT c.value AS value FROM objects o JOIN changes c ON c.revision = o.revision
       WHERE o.resource = ? AND o.namespace = ? AND o.name = ?`,
      resource,
      namespace,
      name,
    )?.value;
  }

  /** Characters of the text under a key; 0 where nothing is. */
  bytesOf(key: Key): number {
    const entry = this.inBase(keyText(key));
    if (entry) return entry.bytes;
    const stored = "SELECT bytes FROM objects WHERE resource = ? AND namespace = ? AND name = ?";
    return first<{ bytes: number }>(this.#sql, stored, key.resource, key.namespace, key.name)?.bytes ?? 0;
  }

  keys(query: PageQuery): readonly KeyRow[] {
    const { where, params } = range(query.resource, query.namespace, query.after);
    const own = this.#sql.all<KeyRow>(
      `SELECT namespace, name, revision FROM objects WHERE ${where} ORDER BY namespace, name LIMIT ?`,
      ...params,
      query.limit,
    );
    return merged(own, this.#left(query, query.limit)).slice(0, query.limit);
  }

  /** Keys in a namespace of what no owner controls, in order. */
  uncontrolled(resource: string, namespace: string, limit: number): readonly Key[] {
    const own = this.#sql.all<Key>(
      `SELECT resource, namespace, name FROM objects
       WHERE resource = ? AND namespace = ? AND instr(owners, '!') = 0 ORDER BY name LIMIT ?`,
      resource,
      namespace,
      limit,
    );
    const left = this.#left({ resource, namespace });
    if (left.length === 0) return own;
    const controlled = new Set(this.#base.indexed().filter(isControlled).map(keyText));
    const others = left.filter((entry) => !controlled.has(keyText(entry))).map(keyOf);
    return merged(own, others).slice(0, limit);
  }

  count(query: ListedKeys): number {
    const { where, params } = range(query.resource, query.namespace, query.after);
    const own = first<{ n: number }>(this.#sql, `SELECT COUNT(*) AS n FROM objects WHERE ${where}`, ...params);
    return (own?.n ?? 0) + this.#left(query).length;
  }

  /** Keys of the names that begin with a text, in order. */
  beginningWith(resource: string, namespace: string, prefix: string): readonly Key[] {
    // No name has a character that high.
    const own = this.#sql.all<Key>(
      "SELECT resource, namespace, name FROM objects WHERE resource = ? AND namespace = ? AND name >= ? AND name < ?",
      resource,
      namespace,
      prefix,
      `${prefix}~`,
    );
    const left = this.#left({ resource, namespace }).filter(({ name }) => name.startsWith(prefix));
    return merged(own, left.map(keyOf));
  }

  /** Keys of that name in all namespaces. */
  named(resource: string, name: string): readonly Key[] {
    const query = "SELECT resource, namespace, name FROM objects WHERE resource = ? AND name = ?";
    const left = this.#left({ resource }).filter((entry) => entry.name === name);
    return merged(this.#sql.all<Key>(query, resource, name), left.map(keyOf));
  }

  /** The index value of each object of a resource, without reading the objects. */
  indexValues(resource: string): readonly IndexRow[] {
    const query = "SELECT namespace, name, index_value AS indexValue, revision FROM objects WHERE resource = ?";
    return merged(this.#sql.all<IndexRow & KeyRow>(query, resource), this.#left({ resource }));
  }

  /** Those that have owners or an index value. */
  indexed(): readonly IndexedRow[] {
    const own = this.#sql.all<Key & { owners: string; indexValue: string }>(
      "SELECT resource, namespace, name, owners, index_value AS indexValue FROM objects WHERE owners <> '' OR index_value <> ''",
    );
    const rows = own.map((row) => ({ ...row, owners: row.owners === "" ? [] : row.owners.split(" ") }));
    const left = this.#base.indexed().filter(({ revision }) => !this.#gone().has(revision));
    return left.length === 0 ? rows : [...rows, ...left].sort(compareKeys);
  }

  /** How much is stored, or would be if all were. */
  size(): { objects: number; bytes: number } {
    const sums = "SELECT COUNT(*) AS objects, IFNULL(SUM(bytes), 0) AS bytes FROM objects";
    const size = first<{ objects: number; bytes: number }>(this.#sql, sums) ?? { objects: 0, bytes: 0 };
    for (const { revision, bytes } of this.#base.entries()) {
      if (this.#gone().has(revision)) continue;
      size.objects += 1;
      size.bytes += bytes;
    }
    return size;
  }

  /** The text of a revision that the log still holds. */
  textAt(revision: number): string {
    if (revision <= this.#base.revision) return this.#base.text(revision);
    const row = first<{ value: string }>(this.#sql, "SELECT value FROM changes WHERE revision = ?", revision);
    return must(row, "value of a kept revision").value;
  }

  page(query: PageQuery): Page {
    const { where, params } = range(query.resource, query.namespace, query.after, "o.");
    const ordered = `WHERE ${where} ORDER BY o.namespace, o.name LIMIT ?`;
    const sizesOf = (most: number) =>
      this.#sql.all<{ bytes: number }>(`SELECT o.bytes FROM objects o ${ordered}`, ...params, most);
    const few = sizesOf(Math.min(query.limit, fewSizes) + 1);
    const isEnough = few.length <= fewSizes || query.limit <= fewSizes || countFitting(few, few.length) < few.length;
    const sizes = isEnough ? few : sizesOf(query.limit + 1);
    const own = this.#sql.all<Item>(
      `SELECT o.namespace, o.name, o.revision, c.value AS text
       FROM objects o JOIN changes c ON c.revision = o.revision ${ordered}`,
      ...params,
      countFitting(sizes, query.limit),
    );
    const left = this.#left(query, query.limit + 1);
    const more = own.length < sizes.length;
    // What comes after the last row that was read may come after one that was not.
    const last = more ? own.at(-1) : undefined;
    const near = last ? left.filter((entry) => compareNames(entry, last) < 0) : left;
    if (near.length === 0) return { items: own, more: more || left.length > 0 };
    const taken = near.slice(0, countFitting(near, query.limit));
    const found = merged(
      own,
      taken.map((entry) => this.#item(entry)),
    );
    const fitting = countFitting(
      found.map(({ text }) => ({ bytes: text.length })),
      query.limit,
    );
    return { items: found.slice(0, fitting), more: more || fitting < own.length + left.length };
  }

  /** What was written after the revision is taken back: each key's first later change says what it replaced. */
  pageAt(query: PageQuery & { revision: number }): Page {
    const { resource, namespace, after, limit, revision } = query;
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
    const unchanged = this.keys({ ...query, limit: limit + 1 + later.size }).filter(
      (row) => !later.has(`${row.namespace}/${row.name}`),
    );
    const replaced = [...later.values()].filter((row) => row.revision !== null);
    const found = [...unchanged, ...replaced].sort(compareNames);
    const items: Item[] = [];
    let bytes = 0;
    for (const row of found) {
      if (items.length === limit || bytes >= limits.listPageBytes) return { items, more: true };
      const item = this.#item({ ...row, revision: must(row.revision, "revision") });
      items.push(item);
      bytes += item.text.length;
    }
    return { items, more: false };
  }

  /** What was there at a revision, all of it in the order of the keys: the log goes back to it. */
  at(revision: number): readonly HeldKey[] {
    const later = new Map<string, Key & { readonly previous: number | null }>();
    for (let from = revision; ; ) {
      const rows = this.#sql.all<Key & { revision: number; previous: number | null }>(
        "SELECT revision, resource, namespace, name, previous FROM changes WHERE revision > ? ORDER BY revision LIMIT ?",
        from,
        rowsAtOnce,
      );
      for (const row of rows) if (!later.has(keyText(row))) later.set(keyText(row), row);
      const last = rows.at(-1);
      if (!last) break;
      from = last.revision;
    }
    const owners = new Map(this.#base.indexed().map((entry) => [entry.revision, entry.owners]));
    const left = this.#base
      .entries()
      .filter((entry) => !this.#gone().has(entry.revision))
      .map((entry) => ({ ...entry, owners: owners.get(entry.revision) ?? [] }));
    const own = this.#sql
      .all<Key & { revision: number; owners: string; indexValue: string }>(
        "SELECT resource, namespace, name, revision, owners, index_value AS indexValue FROM objects",
      )
      .map((row) => ({ ...row, owners: row.owners === "" ? [] : row.owners.split(" ") }));
    const unchanged = [...left, ...own]
      .filter((row) => !later.has(keyText(row)))
      .map(({ owners, indexValue, revision, ...key }) => ({ ...keyOf(key), revision, index: { owners, indexValue } }));
    const replaced = [...later.values()].flatMap((row) =>
      row.previous === null ? [] : [{ ...keyOf(row), revision: row.previous, index: undefined }],
    );
    return [...unchanged, ...replaced].filter(({ resource }) => resource !== "").sort(compareKeys);
  }

  /** The rows of a write, all or none; throws `NameTaken` where a creation finds a row in its place. */
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
      throw isTaken(error) ? new NameTaken() : error;
    }
  }

  /** Told after the rows of a write are there. */
  wrote({ previous }: Stored): void {
    if (this.#isBase(previous)) this.#gone().add(previous);
  }

  #isBase(revision: number | undefined): revision is number {
    return revision !== undefined && revision <= this.#base.revision;
  }

  #item({ namespace, name, revision }: KeyRow): Item {
    return { namespace, name, revision, text: this.textAt(revision) };
  }

  /** The base's part of a list, or the first of it. */
  #left({ resource, namespace, after }: ListedKeys, most = Number.POSITIVE_INFINITY): readonly BaseEntry[] {
    const entries = this.#base.list(resource);
    const bound = namespace === undefined ? after : { namespace, name: after?.name ?? "" };
    const left: BaseEntry[] = [];
    for (let at = bound ? countUpTo(entries, bound) : 0; at < entries.length && left.length < most; at++) {
      const entry = must(entries[at], "an entry of the base");
      if (namespace !== undefined && entry.namespace !== namespace) break;
      if (!this.#gone().has(entry.revision)) left.push(entry);
    }
    return left;
  }

  #gone(): Set<number> {
    if (this.#replaced) return this.#replaced;
    const rows = this.#base.revision === 0 ? [] : this.#sql.all<{ revision: number }>("SELECT revision FROM replaced");
    return (this.#replaced = new Set(rows.map(({ revision }) => revision)));
  }
}

/** See `IndexValues`. */
function isControlled({ owners }: { readonly owners: readonly string[] }): boolean {
  return owners.some((owner) => owner.startsWith("!"));
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes(taken);
}

/** Both are in order. */
function merged<Row extends { readonly namespace: string; readonly name: string }>(
  own: readonly Row[],
  left: readonly Row[],
): readonly Row[] {
  const [last, next] = [own.at(-1), left[0]];
  if (!next) return own;
  const all = [...own, ...left];
  return last && compareNames(last, next) > 0 ? all.sort(compareNames) : all;
}

function keyOf({ resource, namespace, name }: Key): Key {
  return { resource, namespace, name };
}

type Name = Pick<Key, "namespace" | "name">;

function compareNames(a: Name, b: Name): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

/** How many of them, which are in order, come before a name or have it. */
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
