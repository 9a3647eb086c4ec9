// The system tables that all database servers have. They are created anew for a statement that names them.
import type { Context } from "./dialect.ts";
import type { Cell } from "../wasm/sql.ts";
import { literal } from "./quoting.ts";

export interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Column {
  readonly table: string;
  readonly at: number;
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly usual: Cell;
  readonly isKey: boolean;
}

export interface Described {
  readonly tables: readonly { readonly name: string; readonly isView: boolean; readonly rows: number }[];
  readonly columns: readonly Column[];
  readonly indexes: readonly { readonly name: string; readonly table: string; readonly sql: string }[];
}

/** Returns SQLite's description of a database. */
export function describedBy({ read }: Pick<Context, "read">): Described {
  const rows = (sql: string) => {
    const result = read(sql);
    return "error" in result ? [] : (result[0]?.rows ?? []);
  };
  const isOwn = "name not like 'sqlite_%'";
  const tables = rows(
    `select name, type from sqlite_master where type in ('table', 'view') and ${isOwn} order by name`,
  ).map(([name, type]) => ({
    name: String(name),
    isView: type === "view",
    rows:
      type === "view" ? 0 : Number(rows(`select count(*) from "${String(name).replaceAll('"', '""')}"`)[0]?.[0] ?? 0),
  }));
  const columns = rows(
    `select m.name, c.cid, c.name, lower(c.type), c."notnull", c.dflt_value, c.pk from sqlite_master m, pragma_table_info(m.name) c where m.type in ('table', 'view') and m.${isOwn} order by 1, 2`,
  ).map(([table, at, name, type, needed, usual = null, key]) => ({
    table: String(table),
    at: Number(at) + 1,
    name: String(name),
    type: String(type),
    isNeeded: needed === 1 || key !== 0,
    usual,
    isKey: key !== 0,
  }));
  const indexes = rows(
    `select name, tbl_name, sql from sqlite_master where type = 'index' and sql is not null order by name`,
  ).map(([name, table, sql]) => ({ name: String(name), table: String(table), sql: String(sql) }));
  return { tables, columns, indexes };
}

/** Attaches the relations to the database, so that statements find their names. */
export function openCatalog(context: Context, relations: readonly Relation[]): void {
  const attachedSchemas = new Set<string>();
  for (const { schema, name, columns, rows } of relations) {
    if (!attachedSchemas.has(schema)) context.read(`attach ':memory:' as ${schema}`);
    attachedSchemas.add(schema);
    const values = rows.map((row) => `(${row.map(valueOf).join(", ")})`).join(", ");
    context.read(`create table ${schema}.${name} (${columns.map((column) => `"${column}"`).join(", ")})`);
    if (values !== "") context.read(`insert into ${schema}.${name} values ${values}`);
  }
}

function valueOf(cell: Cell): string {
  return cell === null ? "null" : typeof cell === "number" ? String(cell) : literal(cell);
}

export interface Standard {
  readonly catalog: string;
  readonly schema: string;
  /** The storage engine of tables, if the server has several. */
  readonly engine: string | null;
  /** Whether names of columns are in capitals. */
  readonly isUpper: boolean;
  /** Returns the server's name of a type of SQLite. */
  typeOf(type: string): string;
}

/** Returns the tables of the standard's information_schema. */
export function standard({ tables, columns }: Described, dialect: Standard): readonly Relation[] {
  const { catalog, schema, engine, isUpper, typeOf } = dialect;
  const cased = (names: string) => (isUpper ? names.toUpperCase() : names).split(" ");
  return [
    {
      schema: "information_schema",
      name: "tables",
      columns: cased("table_catalog table_schema table_name table_type engine table_rows data_length index_length"),
      rows: tables.map(({ name, isView, rows }) => [
        catalog,
        schema,
        name,
        isView ? "VIEW" : "BASE TABLE",
        engine,
        rows,
        16_384,
        0,
      ]),
    },
    {
      schema: "information_schema",
      name: "columns",
      columns: cased(
        "table_catalog table_schema table_name column_name ordinal_position column_default is_nullable data_type column_type column_key",
      ),
      rows: columns.map(({ table, at, name, type, isNeeded, usual, isKey }) => [
        catalog,
        schema,
        table,
        name,
        at,
        usual,
        isNeeded ? "NO" : "YES",
        typeOf(type).replace(/\(.*/, ""),
        typeOf(type),
        isKey ? "PRI" : "",
      ]),
    },
  ];
}
