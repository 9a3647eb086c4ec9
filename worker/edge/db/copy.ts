// Copies rows of a database for backups and exports, and restores them, whatever its tables are.
import { base64Of, bytesOfBase64 } from "../../../shared/base/base64.ts";
import { copyLimits } from "../../../shared/base/share-limits.ts";
import type { CopiedRows, Cell } from "../../../shared/contract/hosted/copy.ts";

/** The methods of a D1 database that copies need. */
export interface RawDatabase {
  prepare(sql: string): RawStatement;
  batch(statements: RawStatement[]): Promise<{ results: unknown[]; meta: { readonly size_after: number } }[]>;
}

export interface RawStatement {
  bind(...values: unknown[]): RawStatement;
}

/** A position in a table. */
export interface RowsAfter {
  readonly table: string;
  /** The row id after which the page begins. */
  readonly after: number;
}

export interface DatabaseCopy {
  /** Counts the rows of each table; a table comes after those that it refers to. `tenantId`: only the rows of a tenant. */
  counts(tenantId?: string): Promise<{ readonly table: string; readonly rows: number }[]>;
  /** Reads a page of one table, or the first pages of all tables at one moment. */
  read(from?: RowsAfter, tenantId?: string): Promise<CopiedRows[]>;
  /** Returns the size of the database. */
  bytes(): Promise<number>;
  /** Inserts rows. Returns false if a row with the same key exists; then none is inserted. Throws `UnknownTable`. */
  write(rows: Omit<CopiedRows, "after">): Promise<boolean>;
}

/** Thrown for rows of a table or column that the database lacks. */
export class UnknownTable extends Error {}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly references: readonly Reference[];
}

/** A foreign key: a column, and the table and column that it refers to. */
interface Reference {
  readonly parent: string;
  readonly child_column: string;
  readonly parent_column: string;
}

interface ReadTable {
  readonly table: Table;
  /** The condition of the rows, with the tenant as parameter if there is one. */
  readonly condition: string;
}

const columnQuery = "SELECT name FROM pragma_table_info(?) ORDER BY cid";
const referenceQuery = `SELECT "table" AS parent, "from" AS child_column, "to" AS parent_column FROM pragma_foreign_key_list(?)`;

/** wrangler's and the local service's record of migrations, which is not copied. */
const ownTables = `type = 'table' AND name <> 'd1_migrations' AND substr(name, 1, 1) <> '_' AND substr(name, 1, 7) <> 'sqlite_'`;
const rowIdColumn = "copied_row_id";

export function databaseCopy(database: RawDatabase): DatabaseCopy {
  const all = async <Row>(queries: readonly { readonly sql: string; readonly values?: readonly unknown[] }[]) => {
    if (queries.length === 0) return [];
    const statements = queries.map(({ sql, values = [] }) => database.prepare(sql).bind(...values));
    // The rows have the columns that the query names.
    return (await database.batch(statements)).map(({ results }) => results as Row[]);
  };
  const tables = async (): Promise<Table[]> => {
    const nameQuery = `SELECT name FROM sqlite_master WHERE ${ownTables} ORDER BY name`;
    const [names = []] = await all<{ name: string }>([{ sql: nameQuery }]);
    const columns = await all<{ name: string }>(names.map(({ name }) => ({ sql: columnQuery, values: [name] })));
    const references = await all<Reference>(names.map(({ name }) => ({ sql: referenceQuery, values: [name] })));
    return inOrder(
      names.map(({ name }, at) => ({
        name,
        columns: (columns[at] ?? []).map((column) => column.name),
        references: references[at] ?? [],
      })),
    );
  };
  const tablesOf = async (tenantId: string | undefined): Promise<readonly ReadTable[]> => {
    const every = await tables();
    if (tenantId === undefined) return every.map((table) => ({ table, condition: "1" }));
    return every.flatMap((table) => {
      const condition = conditionOf(table, every);
      return condition === undefined ? [] : [{ table, condition }];
    });
  };
  const valuesOf = (tenantId: string | undefined) => (tenantId === undefined ? [] : [tenantId]);
  return {
    counts: async (tenantId) => {
      const counted = await tablesOf(tenantId);
      const queries = counted.map(({ table, condition }) => ({
        sql: `SELECT count(*) AS rows FROM ${quoted(table.name)} WHERE ${condition}`,
        values: valuesOf(tenantId),
      }));
      const counts = await all<{ rows: number }>(queries);
      return counted.map(({ table }, at) => ({ table: table.name, rows: counts[at]?.[0]?.rows ?? 0 }));
    },
    read: async (from, tenantId) => {
      const read = (await tablesOf(tenantId)).filter(({ table }) => !from || table.name === from.table);
      const queries = read.map(({ table, condition }) => ({
        sql: `SELECT rowid AS ${rowIdColumn}, * FROM ${quoted(table.name)} WHERE ${condition} AND rowid > ? ORDER BY rowid LIMIT ?`,
        values: [...valuesOf(tenantId), from?.after ?? -1, copyLimits.databaseRows + 1],
      }));
      const pages = await all<Record<string, unknown>>(queries);
      return read.map(({ table }, at) => pageOf(table, pages[at] ?? []));
    },
    bytes: async () => (await database.batch([database.prepare("SELECT 1").bind()]))[0]?.meta.size_after ?? 0,
    write: async ({ table, columns, rows }) => {
      const stored = (await tables()).find(({ name }) => name === table);
      const isKnown = stored && columns.every((column) => stored.columns.includes(column));
      if (!isKnown) throw new UnknownTable(`this version has no table ${table} with these columns`);
      const sql = `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      try {
        await all(rows.map((row) => ({ sql, values: row.map(decodeCell) })));
        return true;
      } catch (error) {
        if (String(error).includes("UNIQUE constraint failed")) return false;
        throw error;
      }
    },
  };
}

function pageOf({ name, columns }: Table, rows: readonly Record<string, unknown>[]): CopiedRows {
  const page = rows.slice(0, copyLimits.databaseRows);
  const last = rows.length > page.length ? page.at(-1)?.[rowIdColumn] : undefined;
  return {
    table: name,
    columns: [...columns],
    rows: page.map((row) => columns.map((column) => encodeCell(row[column]))),
    ...(typeof last === "number" ? { after: last } : {}),
  };
}

/** Orders tables so that each comes after those that it refers to. */
function inOrder(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  const visit = (table: Table, trail: readonly string[]): void => {
    if (ordered.includes(table) || trail.includes(table.name)) return;
    for (const parent of tables)
      if (table.references.some((reference) => reference.parent === parent.name)) visit(parent, [...trail, table.name]);
    ordered.push(table);
  };
  for (const table of tables) visit(table, []);
  return ordered;
}

const tenantColumn = "tenant_id";

/** Returns the condition of a tenant's rows; undefined if the table has none. Some tables refer to one that has the tenant. */
function conditionOf({ name, columns, references }: Table, tables: readonly Table[]): string | undefined {
  if (name === "tenants") return "id = ?";
  if (columns.includes(tenantColumn)) return `${tenantColumn} = ?`;
  const reference = references.find(({ parent }) =>
    tables.some((table) => table.name === parent && table.columns.includes(tenantColumn)),
  );
  if (!reference) return undefined;
  const { parent, child_column: child, parent_column: column } = reference;
  return `${quoted(child)} IN (SELECT ${quoted(column)} FROM ${quoted(parent)} WHERE ${tenantColumn} = ?)`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Encodes a value of D1, which returns bytes as a list of numbers. */
function encodeCell(value: unknown): Cell {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : Uint8Array.from(value as ArrayLike<number>);
  return { bytes: base64Of(bytes) };
}

function decodeCell(cell: Cell): unknown {
  return typeof cell === "object" && cell !== null ? bytesOfBase64(cell.bytes) : cell;
}
