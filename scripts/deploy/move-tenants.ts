// Moves tenants to a new database while the service runs: those that the new number of databases assigns to it.
// `worker/edge/db/placement.ts` describes how the Worker uses `tenant_moves` meanwhile. After an interruption, the same command goes on.
import { shardOf } from "../../worker/edge/db/placement.ts";

/** A D1 database, or a fake of one. Throws the database's error. */
export interface Sql {
  query(sql: string, params?: readonly unknown[]): Promise<Row[]>;
}

type Row = Readonly<Record<string, unknown>>;

export interface Move {
  /** All databases. The last is the new one, with its migrations. */
  readonly databases: readonly Sql[];
  wait(ms: number): Promise<void>;
  say(line: string): void;
}

/** The tables of a tenant in its own database. */
const tables = ["sandboxes", "snapshots", "templates", "idempotency_keys"];
/** Longer than a Worker takes from checking whether it may write until the write is done. */
const settleMs = 10_000;
/** The number of tenants that are frozen and read at once. */
const frozenAtOnce = 20;
const tenantsPage = 500;
/** D1 accepts two megabytes as one parameter, and at most as much for a field of a row. */
const pageRows = 100;
const pageCharacters = 1_000_000;
/** The number of attempts: a sweep may delete a row while others are copied. */
const copyTries = 3;

/** Returns the number of tenants and rows that would be moved. */
export async function planOfMove({ databases }: Pick<Move, "databases">): Promise<{ tenants: number; rows: number }> {
  const plan = { tenants: 0, rows: 0 };
  for await (const tenant of movers(databases)) {
    plan.tenants += 1;
    const counts = await countsOf(databaseBefore(databases, tenant), tenant);
    plan.rows += counts.reduce((sum, count) => sum + count, 0);
  }
  return plan;
}

/** Reports whether the new database has tenants already and no move is in progress: moving again would empty it. */
export async function hasGrown({ databases }: Pick<Move, "databases">): Promise<boolean> {
  const hasTable = async (database: Sql | undefined, table: string) =>
    ((await database?.query("SELECT name FROM sqlite_master WHERE name = ?", [table])) ?? []).length > 0;
  if (await hasTable(databases[0], "tenant_moves")) return false;
  const last = newest(databases);
  return (await hasTable(last, "tenants")) && (await last.query("SELECT id FROM tenants LIMIT 1")).length > 0;
}

/** Creates the table of moves before the Worker reads it. */
export async function prepareMove({ databases: [home] }: Pick<Move, "databases">): Promise<void> {
  await home?.query(
    "CREATE TABLE IF NOT EXISTS tenant_moves (tenant_id TEXT PRIMARY KEY NOT NULL, state TEXT NOT NULL)",
  );
}

/** Moves all tenants. The Worker of this growth must serve everywhere. Returns when every tenant is in its new database. */
export async function moveTenants(move: Move): Promise<void> {
  await moveAll(move);
  // New tenants wait until the Worker knows the new number.
  await homeOf(move).query("INSERT OR REPLACE INTO tenant_moves (tenant_id, state) VALUES ('*', 'closed')");
  await move.wait(settleMs);
  await moveAll(move);
}

/** Deletes the table of moves once the Worker with the new number alone serves everywhere. */
export async function finishMove({ databases: [home] }: Pick<Move, "databases">): Promise<void> {
  await home?.query("DROP TABLE IF EXISTS tenant_moves");
}

async function moveAll(move: Move): Promise<void> {
  const states = await statesOf(move);
  let batch: string[] = [];
  for await (const tenant of movers(move.databases)) {
    if (states.get(tenant) === "done") continue;
    batch.push(tenant);
    if (batch.length < frozenAtOnce) continue;
    await moveSome(move, batch);
    batch = [];
  }
  if (batch.length > 0) await moveSome(move, batch);
}

async function moveSome(move: Move, tenants: readonly string[]): Promise<void> {
  const states = await statesOf(move);
  const set = (tenant: string, state: string) =>
    homeOf(move).query("INSERT OR REPLACE INTO tenant_moves (tenant_id, state) VALUES (?, ?)", [tenant, state]);
  const unmoved = tenants.filter((candidate) => states.get(candidate) !== "moved");
  for (const tenant of unmoved) await set(tenant, "frozen");
  if (unmoved.length > 0) await move.wait(settleMs);
  for (const tenant of unmoved) {
    const rows = await copy(move, tenant);
    await set(tenant, "moved");
    move.say(`tenant ${tenant}: moved with ${rows} rows`);
  }
  // Requests that read the old placement have ended by then.
  await move.wait(settleMs);
  for (const tenant of tenants) {
    await removeOld(move.databases, tenant);
    await homeOf(move).query("UPDATE tenant_moves SET state = 'done' WHERE tenant_id = ?", [tenant]);
  }
}

/** Copies the rows of a tenant from the start, since nothing reads the new ones yet. Returns their number. */
async function copy({ databases }: Move, tenant: string): Promise<number> {
  const [from, to] = [databaseBefore(databases, tenant), newest(databases)];
  await to.query("INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES (?, ?, 0)", [tenant, tenant]);
  for (let attempt = 1; ; attempt++) {
    for (const table of tables) {
      await to.query(`DELETE FROM ${table} WHERE tenant_id = ?`, [tenant]);
      await copyTable(from, to, table, tenant);
    }
    const [before, after] = [await countsOf(from, tenant), await countsOf(to, tenant)];
    if (before.join() === after.join()) return after.reduce((sum, count) => sum + count, 0);
    if (attempt === copyTries) {
      throw new Error(
        `tenant ${tenant} is frozen and not moved: ${before.join()} rows are ${after.join()} after the copy`,
      );
    }
  }
}

async function copyTable(from: Sql, to: Sql, table: string, tenant: string): Promise<void> {
  for (let after = -1; ; ) {
    const sql = `SELECT rowid AS row_id, * FROM ${table} WHERE tenant_id = ? AND rowid > ? ORDER BY rowid LIMIT ${pageRows}`;
    const page = await from.query(sql, [tenant, after]);
    const last = page.at(-1);
    if (!last) return;
    for (const batch of batchesOf(page)) await insert(to, table, batch);
    after = Number(last["row_id"]);
  }
}

async function insert(to: Sql, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== "row_id");
  const values = columns.map((_, at) => `json_extract(value, '$[${at}]')`);
  // All rows are one parameter, because a statement may have only a hundred.
  const encodedRows = JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
  await to.query(
    `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?) WHERE true`,
    [encodedRows],
  );
}

function batchesOf(rows: readonly Row[]): Row[][] {
  const all: Row[][] = [];
  let characters = Infinity;
  for (const row of rows) {
    const characterCount = JSON.stringify(row).length;
    if (characters + characterCount > pageCharacters) {
      all.push([]);
      characters = 0;
    }
    all.at(-1)?.push(row);
    characters += characterCount;
  }
  return all;
}

async function removeOld(databases: readonly Sql[], tenant: string): Promise<void> {
  const old = databaseBefore(databases, tenant);
  for (const table of tables) await old.query(`DELETE FROM ${table} WHERE tenant_id = ?`, [tenant]);
  // The first database has the tenant's own row.
  if (old !== databases[0]) await old.query("DELETE FROM tenants WHERE id = ?", [tenant]);
}

async function* movers(databases: readonly Sql[]): AsyncGenerator<string> {
  const count = databases.length;
  for (let after = ""; ; ) {
    const sql = `SELECT id FROM tenants WHERE id > ? ORDER BY id LIMIT ${tenantsPage}`;
    const page = ((await databases[0]?.query(sql, [after])) ?? []).map(({ id }) => String(id));
    yield* page.filter((id) => shardOf(id, count) !== shardOf(id, count - 1));
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function countsOf(database: Sql, tenant: string): Promise<number[]> {
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE tenant_id = ?1) AS ${table}`);
  const [row] = await database.query(`SELECT ${counts.join(", ")}`, [tenant]);
  return tables.map((table) => Number(row?.[table] ?? 0));
}

async function statesOf(move: Move): Promise<Map<string, string>> {
  const rows = await homeOf(move).query("SELECT tenant_id, state FROM tenant_moves");
  return new Map(rows.map(({ tenant_id: tenant, state }) => [String(tenant), String(state)]));
}

function homeOf({ databases: [home] }: Move): Sql {
  if (!home) throw new Error("there is no database");
  return home;
}

function databaseBefore(databases: readonly Sql[], tenant: string): Sql {
  return databases[shardOf(tenant, databases.length - 1)] ?? newest(databases);
}

function newest(databases: readonly Sql[]): Sql {
  const last = databases.at(-1);
  if (!last || databases.length < 2) throw new Error("there is no further database");
  return last;
}
