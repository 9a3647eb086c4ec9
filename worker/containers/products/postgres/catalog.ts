// PostgreSQL's system tables: information_schema and pg_catalog.
import { type Column, type Described, describedBy, type Relation, standard } from "../../databases/catalog.ts";
import type { Context } from "../../databases/dialect.ts";
import type { Cell } from "../../wasm/sql.ts";

/** Reports whether a statement reads the system tables. */
export function asksCatalog(sql: string): boolean {
  return /\binformation_schema\b|\bpg_(catalog|tables|database|roles|user|authid|stat_activity|stat_user_tables|namespace|class|indexes|settings|views|extension|tablespace)\b/i.test(
    sql,
  );
}

export function postgresCatalog(context: Context): readonly Relation[] {
  const { data, database, user, version, from } = context;
  const { tables, columns, indexes } = describedBy(context);
  const owner = data.databases.get(database)?.owner ?? user;
  const roles = [...data.users].map(([name, { isAdmin, may }], at): readonly Cell[] => {
    const yes = (power: boolean | undefined) => (isAdmin || power ? "t" : "f");
    const isAble = may.logIn === false ? "f" : "t";
    return [name, yes(false), yes(may.createRoles), yes(may.createDatabases), isAble, "********", 10 + at];
  });
  const databaseRows = [...data.databases].map(([name, database], at): readonly Cell[] => [
    name,
    database.owner,
    "f",
    "UTF8",
    16384 + at,
  ]);
  const templates = ["template0", "template1"].map((name, at): readonly Cell[] => [name, owner, "t", "UTF8", 4 + at]);
  return [
    ...standard(
      { tables, columns, indexes },
      { catalog: database, schema: "public", engine: null, isUpper: false, typeOf: typeName },
    ),
    ...relationsOf({ tables, columns, indexes }, owner),
    catalog("pg_database", "datname datowner datistemplate encoding oid", [...databaseRows, ...templates]),
    catalog("pg_roles", "rolname rolsuper rolcreaterole rolcreatedb rolcanlogin rolpassword oid", roles),
    catalog(
      "pg_user",
      "usename usecreatedb usesuper usesysid",
      roles.map((row) => [row[0] ?? "", row[3] ?? "", row[1] ?? "", row[6] ?? 0]),
    ),
    catalog("pg_namespace", "nspname oid", [
      ["pg_catalog", 11],
      ["public", 2200],
      ["information_schema", 13_000],
    ]),
    catalog("pg_stat_activity", "datname pid usename application_name client_addr state query backend_type", [
      [database, 68, user, "psql", from, "active", context.sql, "client backend"],
    ]),
    catalog("pg_settings", "name setting", [
      ["max_connections", "100"],
      ["shared_buffers", "16384"],
      ["server_version", version],
    ]),
    catalog("pg_extension", "extname extversion", [["plpgsql", "1.0"]]),
    catalog("pg_tablespace", "spcname oid", [
      ["pg_default", 1663],
      ["pg_global", 1664],
    ]),
  ];
}

function catalog(name: string, names: string, rows: readonly (readonly Cell[])[]): Relation {
  return { schema: "pg_catalog", name, columns: names.split(" "), rows };
}

/** Returns the rows for tables, views and indexes. */
function relationsOf({ tables, columns, indexes }: Described, owner: string): readonly Relation[] {
  const ownTables = tables.filter((table) => !table.isView);
  const keyed = [...new Set(columns.filter((column) => column.isKey).map(({ table }) => table))];
  return [
    catalog(
      "pg_tables",
      "schemaname tablename tableowner tablespace hasindexes",
      ownTables.map(({ name }) => ["public", name, owner, null, "t"]),
    ),
    catalog(
      "pg_views",
      "schemaname viewname viewowner definition",
      tables.filter((table) => table.isView).map(({ name }) => ["public", name, owner, ""]),
    ),
    catalog(
      "pg_class",
      "oid relname relnamespace relkind reltuples relpages",
      tables.map(({ name, isView, rows }, at) => [16_400 + at, name, 2200, isView ? "v" : "r", rows, 1]),
    ),
    catalog("pg_indexes", "schemaname tablename indexname indexdef", [
      ...keyed.map((table) => [
        "public",
        table,
        `${table}_pkey`,
        `CREATE UNIQUE INDEX ${table}_pkey ON public.${table} USING btree (${keysOf(columns, table)})`,
      ]),
      ...indexes.map(({ name, table, sql }) => ["public", table, name, sql]),
    ]),
    catalog(
      "pg_stat_user_tables",
      "schemaname relname n_live_tup n_dead_tup seq_scan",
      ownTables.map(({ name, rows }) => ["public", name, rows, 0, 1]),
    ),
  ];
}

function keysOf(columns: readonly Column[], table: string): string {
  return columns
    .filter((column) => column.table === table && column.isKey)
    .map(({ name }) => name)
    .join(", ");
}

/** Returns PostgreSQL's name of a type of SQLite. */
export function typeName(type: string): string {
  const typeNames: Readonly<Record<string, string>> = {
    int: "integer",
    varchar: "character varying",
    char: "character",
    timestamp: "timestamp without time zone",
    bool: "boolean",
    decimal: "numeric",
    float: "double precision",
  };
  const [, name = type, size = ""] = /^(\w+)(\(.*\))$/.exec(type) ?? [];
  return (Object.hasOwn(typeNames, name) ? (typeNames[name] ?? name) : name) + size;
}
