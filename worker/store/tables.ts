// The tables of one cluster. Only the call that creates the cluster creates them.
//
// `objects` has the current revision of each key; `changes` has the value of each revision once, as etcd does. A write inserts one row in
// each. `objects` is small and in the order of API lists, so the indexes in memory (by owner and by index value) are filled quickly when the
// cluster is opened. Its `bytes` column, the length of the value in UTF-16 code units, lets a page be measured before values are read.
// Unchanged objects of the base have no rows.
import { type Sql, first } from "./sql.ts";
import { hasColumn, hasStoredTable, type Migration, migrate, writeVersion } from "./versions.ts";

const audit = `CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, value TEXT NOT NULL)`;
/** The revisions of base objects that have been changed or deleted. */
const replaced = `CREATE TABLE IF NOT EXISTS replaced (revision INTEGER PRIMARY KEY)`;

/**
 * A view whose triggers write all rows of a change in one statement. With an explicit transaction instead, a fifth of the time of a small
 * write went into the transaction. `value` is null for a deletion. `previous` is null for a creation, which fails if the row exists. `of_base` is set if the replaced object
 * is part of the base.
 */
const writing = [
  `CREATE VIEW IF NOT EXISTS writes AS
    SELECT revision, resource, namespace, name, previous, value, cause, at_ms, '' AS owners, '' AS index_value, 0 AS bytes, 0 AS of_base FROM changes`,
  ...(
    [
      ["creation", "NEW.value IS NOT NULL AND NEW.previous IS NULL", insertion("")],
      ["replacement", "NEW.value IS NOT NULL AND NEW.previous IS NOT NULL", insertion(onConflictReplace())],
      ["deletion", "NEW.value IS NULL", deletion()],
      ["of_base", "NEW.of_base", "INSERT INTO replaced (revision) VALUES (NEW.previous)"],
      ["logged", "1", changeInsertion()],
    ] as const
  ).map(
    ([name, when, statement]) =>
      `CREATE TRIGGER IF NOT EXISTS ${name} INSTEAD OF INSERT ON writes WHEN ${when} BEGIN ${statement}; END`,
  ),
];

function insertion(onConflict: string): string {
  return `INSERT INTO objects (resource, namespace, name, revision, owners, index_value, bytes)
    VALUES (NEW.resource, NEW.namespace, NEW.name, NEW.revision, NEW.owners, NEW.index_value, NEW.bytes) ${onConflict}`;
}

function onConflictReplace(): string {
  return `ON CONFLICT (resource, namespace, name) DO UPDATE SET
    revision = excluded.revision, owners = excluded.owners, index_value = excluded.index_value, bytes = excluded.bytes`;
}

function deletion(): string {
  return "DELETE FROM objects WHERE resource = NEW.resource AND namespace = NEW.namespace AND name = NEW.name";
}

function changeInsertion(): string {
  return `INSERT INTO changes (revision, resource, namespace, name, previous, value, cause, at_ms)
    VALUES (NEW.revision, NEW.resource, NEW.namespace, NEW.name, NEW.previous, NEW.value, NEW.cause, NEW.at_ms)`;
}

const statements = [
  `CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
  // `owners` has the uids of the owners, separated by blanks, with `!` before that of the controlling one. `index_value` is computed by the
  // kind.
  `CREATE TABLE IF NOT EXISTS objects (
    resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    revision INTEGER NOT NULL, owners TEXT NOT NULL, index_value TEXT NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (resource, namespace, name)) WITHOUT ROWID`,
  // `value` is null for a deletion. `previous` is the revision that this one replaced, null for a creation. `at_ms` is null if an older
  // version wrote the row.
  `CREATE TABLE IF NOT EXISTS changes (
    revision INTEGER PRIMARY KEY, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    previous INTEGER, value TEXT, cause TEXT NOT NULL, at_ms INTEGER)`,
  replaced,
  // The work queues. `saved_state` is the state that the last reconcile returned. `reacts_to` is the revision of the newest change that led to
  // the request, null if none did. `sequence` orders the requests that are due at the same time.
  `CREATE TABLE IF NOT EXISTS queue (
    controller TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    due_ms INTEGER NOT NULL, attempts INTEGER NOT NULL, saved_state TEXT NOT NULL, reacts_to INTEGER,
    sequence INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (controller, namespace, name)) WITHOUT ROWID`,
  // The sandbox's own tokens. `frame_origins` has the origins of the pages that may embed the sandbox with the token, as JSON.
  `CREATE TABLE IF NOT EXISTS tokens (
    hash TEXT PRIMARY KEY, user TEXT NOT NULL, groups TEXT NOT NULL, expires_ms INTEGER,
    read_only INTEGER NOT NULL, frame_origins TEXT NOT NULL) WITHOUT ROWID`,
  audit,
  ...writing,
];

/** The prefix of the saved memory of controllers in `meta`. */
export const savedMemoryPrefix = "memory:";

/** The keys of the change log in `meta`. */
export const logKeys = { marks: "logMarks", compacted: "compacted" } as const;

/**
 * All changes of tables, and of stored values that older versions cannot read, since versions are numbered. To change a table, add a
 * migration at the end; never edit one. Objects from before the numbering may have any of the first migrations, so each of those checks the
 * tables first.
 */
export const migrations: readonly Migration[] = [
  // SQLite renames no column while a trigger names a table or a column that is missing. The triggers go with their view.
  { name: "remove the view of writes", run: (sql) => sql.run("DROP VIEW IF EXISTS writes") },
  { name: "add the audit log", run: (sql) => sql.run(audit) },
  { name: "add the replaced revisions of the base", run: (sql) => sql.run(replaced) },
  {
    name: "name the index value",
    run: (sql) => {
      if (hasColumn(sql, "objects", "facet")) sql.run("ALTER TABLE objects RENAME COLUMN facet TO index_value");
    },
  },
  {
    name: "add the saved state of requests",
    run: (sql) => {
      if (hasColumn(sql, "queue", "note")) sql.run("ALTER TABLE queue RENAME COLUMN note TO saved_state");
      if (!hasColumn(sql, "queue", "saved_state"))
        sql.run("ALTER TABLE queue ADD COLUMN saved_state TEXT NOT NULL DEFAULT ''");
    },
  },
  {
    name: "add the change that a request reacts to",
    run: (sql) => {
      if (!hasColumn(sql, "queue", "reacts_to")) sql.run("ALTER TABLE queue ADD COLUMN reacts_to INTEGER");
    },
  },
  {
    name: "add the time of a change",
    run: (sql) => {
      if (!hasColumn(sql, "changes", "at_ms")) sql.run("ALTER TABLE changes ADD COLUMN at_ms INTEGER");
    },
  },
  {
    name: "create the view of writes",
    run: (sql) => {
      for (const statement of writing) sql.run(statement);
    },
  },
  // This migration changes no table. It stops an older version of the service, which lacks the new base, from opening the cluster.
  { name: "admit the third version of the base", run: () => undefined },
  {
    name: "add the position of a request",
    run: (sql) => {
      if (!hasColumn(sql, "queue", "sequence"))
        sql.run("ALTER TABLE queue ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0");
    },
  },
];

/** Creates the tables of a new cluster. Existing tables are migrated. */
export function createTables(sql: Sql): void {
  if (hasTables(sql)) return upgradeTables(sql);
  for (const statement of statements) sql.run(statement);
  writeVersion(sql, migrations.length);
}

/** Migrates the tables of an existing cluster to the newest version. Throws `UnusableObjectError` if they are of a newer one. */
export function upgradeTables(sql: Sql): void {
  migrate(sql, migrations);
}

/** Reports whether there is a cluster. An expired or deleted cluster has no tables. */
export function hasTables(sql: Sql): boolean {
  return hasStoredTable(sql, "changes");
}

export function readMeta(sql: Sql, key: string): string | undefined {
  return first<{ value: string }>(sql, "SELECT value FROM meta WHERE key = ?", key)?.value;
}

export function writeMeta(sql: Sql, key: string, value: string): void {
  sql.run(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    key,
    value,
  );
}

/** Returns the total length of the values whose keys start with a prefix. */
export function metaCharacters(sql: Sql, prefix: string): number {
  const query = "SELECT IFNULL(SUM(LENGTH(value)), 0) AS characters FROM meta WHERE substr(key, 1, ?) = ?";
  return first<{ characters: number }>(sql, query, prefix.length, prefix)?.characters ?? 0;
}

/** Returns the rows whose keys start with a prefix, in the order of the keys. */
export function metaRows(sql: Sql, prefix: string): readonly { readonly key: string; readonly value: string }[] {
  return sql.all("SELECT key, value FROM meta WHERE substr(key, 1, ?) = ? ORDER BY key", prefix.length, prefix);
}

export function deleteMetaRows(sql: Sql, prefix: string): void {
  sql.run("DELETE FROM meta WHERE substr(key, 1, ?) = ?", prefix.length, prefix);
}

/** Deletes all objects, the log, the queue and the memory of controllers. The caller deletes its own rows of `meta`. */
export function deleteObjects(sql: Sql): void {
  for (const table of ["objects", "changes", "replaced", "queue"]) sql.run(`DELETE FROM ${table}`);
  for (const key of Object.values(logKeys)) deleteMeta(sql, key);
  deleteMetaRows(sql, savedMemoryPrefix);
}

export function deleteMeta(sql: Sql, key: string): void {
  sql.run("DELETE FROM meta WHERE key = ?", key);
}
