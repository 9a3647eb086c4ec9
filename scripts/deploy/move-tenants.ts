// Moves the tenants that one database more assigns to it, while the service runs: see `worker/edge/db/placement.ts` for what the Worker makes
// of `tenant_moves` meanwhile. Wherever it is cut off, the same command goes on.
import { shardOf } from "../../worker/edge/db/placement.ts";

/** One D1, or a fake of it. Throws where it refuses. */
export interface Sql {
  query(sql: string, params?: readonly unknown[]): Promise<Row[]>;
}

type Row = Readonly<Record<string, unknown>>;

export interface Move {
  /** All of them; the last is the new one, with its migrations. */
  readonly databases: readonly Sql[];
  wait(ms: number): Promise<void>;
  say(line: string): void;
}

/** What stands in a tenant's own database. */
const tables = ["sandboxes", "snapshots", "templates", "idempotency_keys"];
/** Longer than a Worker takes from asking whether it may write to having written. */
const settleMs = 10_000;
/** Tenants that are frozen at once, and that are read at once. */
const frozenAtOnce = 20;
const tenantsPage = 500;
/** D1 takes two megabytes as one parameter, and each of a row's at most as much. */
const pageRows = 100;
const pageCharacters = 1_000_000;
/** Whoever sweeps may take a row away while others are copied. */
const copyTries = 3;

/** What would be moved: tenants, and their rows. */
export async function planOfMove({ databases }: Pick<Move, "databases">): Promise<{ tenants: number; rows: number }> {
  const found = { tenants: 0, rows: 0 };
  for await (const tenant of movers(databases)) {
    found.tenants += 1;
    const counts = await countsOf(databaseBefore(databases, tenant), tenant);
    found.rows += counts.reduce((sum, one) => sum + one, 0);
  }
  return found;
}

/** Whether tenants stand in the new one already, and no move is under way: then moving would empty it. */
export async function hasGrown({ databases }: Pick<Move, "databases">): Promise<boolean> {
  const hasTable = async (one: Sql | undefined, table: string) =>
    ((await one?.query("SELECT name FROM sqlite_master WHERE name = ?", [table])) ?? []).length > 0;
  if (await hasTable(databases[0], "tenant_moves")) return false;
  const last = newest(databases);
  return (await hasTable(last, "tenants")) && (await last.query("SELECT id FROM tenants LIMIT 1")).length > 0;
}

/** Before the Worker asks for it. */
export async function prepareMove({ databases: [home] }: Pick<Move, "databases">): Promise<void> {
  await home?.query(
    "CREATE TABLE IF NOT EXISTS tenant_moves (tenant_id TEXT PRIMARY KEY NOT NULL, state TEXT NOT NULL)",
  );
}

/** To be called while the Worker of this growth serves everywhere. Returns when all are where one database more has them. */
export async function moveTenants(move: Move): Promise<void> {
  await moveAll(move);
  // Who comes from now on waits until the Worker knows the new number.
  await homeOf(move).query("INSERT OR REPLACE INTO tenant_moves (tenant_id, state) VALUES ('*', 'closed')");
  await move.wait(settleMs);
  await moveAll(move);
}

/** Once the Worker that knows the new number alone serves everywhere. */
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
  const unmoved = tenants.filter((one) => states.get(one) !== "moved");
  for (const tenant of unmoved) await set(tenant, "frozen");
  if (unmoved.length > 0) await move.wait(settleMs);
  for (const tenant of unmoved) {
    const rows = await copy(move, tenant);
    await set(tenant, "moved");
    move.say(`tenant ${tenant}: moved with ${rows} rows`);
  }
  // Who read where they are before they had moved has read it by then.
  await move.wait(settleMs);
  for (const tenant of tenants) {
    await removeOld(move.databases, tenant);
    await homeOf(move).query("UPDATE tenant_moves SET state = 'done' WHERE tenant_id = ?", [tenant]);
  }
}

/** Returns how many rows. Begins anew each time: nobody reads the new ones yet. */
async function copy({ databases }: Move, tenant: string): Promise<number> {
  const [from, to] = [databaseBefore(databases, tenant), newest(databases)];
  await to.query("INSERT OR IGNORE INTO tenants (id, name, created_at_ms) VALUES (?, ?, 0)", [tenant, tenant]);
  for (let attempt = 1; ; attempt++) {
    for (const table of tables) {
      await to.query(`DELETE FROM ${table} WHERE tenant_id = ?`, [tenant]);
      await copyTable(from, to, table, tenant);
    }
    const [before, after] = [await countsOf(from, tenant), await countsOf(to, tenant)];
    if (before.join() === after.join()) return after.reduce((sum, one) => sum + one, 0);
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
    for (const part of parts(page)) await insert(to, table, part);
    after = Number(last["row_id"]);
  }
}

async function insert(to: Sql, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== "row_id");
  const values = columns.map((_, at) => `json_extract(value, '$[${at}]')`);
  // All as one parameter: of those there may be a hundred.
  const given = JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
  await to.query(
    `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?) WHERE true`,
    [given],
  );
}

function parts(rows: readonly Row[]): Row[][] {
  const all: Row[][] = [];
  let characters = Infinity;
  for (const row of rows) {
    const own = JSON.stringify(row).length;
    if (characters + own > pageCharacters) {
      all.push([]);
      characters = 0;
    }
    all.at(-1)?.push(row);
    characters += own;
  }
  return all;
}

async function removeOld(databases: readonly Sql[], tenant: string): Promise<void> {
  const old = databaseBefore(databases, tenant);
  for (const table of tables) await old.query(`DELETE FROM ${table} WHERE tenant_id = ?`, [tenant]);
  // In the first stands who it is.
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
