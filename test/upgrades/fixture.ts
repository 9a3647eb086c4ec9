// Fixtures unpacked for tests: the files of a data folder, or one object's tables on node:sqlite.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Sql } from "../../worker/store/sql.ts";
import { hasColumn } from "../../worker/store/versions.ts";
import { nodeSql } from "../sqlite.ts";
import { type FixtureRecord, unpack } from "./archive.ts";

const folder = join(import.meta.dirname, "fixtures");

export interface Fixture {
  readonly record: FixtureRecord;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** All fixtures, the oldest first. */
export function fixtures(): Fixture[] {
  const all = readdirSync(folder).filter((name) => name.endsWith(".br"));
  return all
    .map((name) => unpack(readFileSync(join(folder, name))))
    .sort((a, b) => orderOf(a.record.commit) - orderOf(b.record.commit));
}

/** The order in which the versions were made: see the list in README.md. */
function orderOf(commit: string): number {
  const text = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const at = text.indexOf(`\`${commit}\``);
  if (at < 0) throw new Error(`README.md does not list the fixture ${commit}`);
  return at;
}

/** Returns the tables of a file of the fixture, in a copy that is deleted after the test. */
export function openFile({ files }: Fixture, path: string) {
  const copy = mkdtempSync(join(tmpdir(), "sandbar-upgrade-"));
  const bytes = files.get(path);
  if (!bytes) throw new Error(`the fixture has no file ${path}`);
  const file = join(copy, "object.sqlite");
  writeFileSync(file, bytes);
  const sql = nodeSql(file);
  onTestFinished(() => {
    sql.close();
    rmSync(copy, { recursive: true, force: true });
  });
  return { sql, file };
}

export function clusterPath(objectId: string): string {
  return `state/do/sandbar-ClusterObject/${objectId}.sqlite`;
}

export function tenantPaths({ files }: Fixture): string[] {
  return [...files.keys()].filter((path) => /TenantObject\/[0-9a-f]{64}\.sqlite$/.test(path));
}

/** Writes the fixture's files into a data folder. Sandboxes and snapshots that were there when it was made expire at the given time. */
export function unpackInto({ files }: Fixture, data: string, expiresAtMs: number): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    writeFileSync(join(data, path), bytes, { mode: 0o600 });
    if (/D1DatabaseObject\/[0-9a-f]{64}\.sqlite$/.test(path)) expireAt(join(data, path), "expires_at_ms", expiresAtMs);
    if (/ClusterObject\/[0-9a-f]{64}\.sqlite$/.test(path)) expireSettingsAt(join(data, path), expiresAtMs);
    if (/TenantObject\/[0-9a-f]{64}\.sqlite$/.test(path)) expireAt(join(data, path), "expires_ms", expiresAtMs);
  }
}

function expireAt(file: string, column: string, expiresAtMs: number): void {
  edit(file, (sql) => {
    for (const table of ["sandboxes", "snapshots"]) {
      if (hasColumn(sql, table, column)) sql.run(`UPDATE ${table} SET ${column} = ?`, expiresAtMs);
    }
  });
}

/** Earlier versions stored the settings of a sandbox in a row each. */
function expireSettingsAt(file: string, expiresAtMs: number): void {
  edit(file, (sql) => {
    if (!hasColumn(sql, "meta", "value")) return;
    sql.run("UPDATE meta SET value = ? WHERE key = 'expiresAtMs'", String(expiresAtMs));
    sql.run("UPDATE meta SET value = json_set(value, '$.expiresAtMs', ?) WHERE key = 'settings'", expiresAtMs);
    sql.run("UPDATE tokens SET expires_ms = ? WHERE expires_ms IS NOT NULL", expiresAtMs);
  });
}

/** Changes an object's file while no service has it open. */
export function edit(file: string, change: (sql: Sql) => void): void {
  const sql = nodeSql(file);
  try {
    change(sql);
  } finally {
    sql.close();
  }
}
