// The tables that a server keeps about itself: information_schema, pg_catalog and mysql, made anew for a statement that names them.
import type { Context } from "./dialect.ts";
import type { Cell } from "../wasm/sql.ts";
import { literal } from "./words.ts";

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

interface Column {
  readonly table: string;
  readonly at: number;
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly usual: Cell;
  readonly isKey: boolean;
}

interface Described {
  readonly tables: readonly { readonly name: string; readonly isView: boolean; readonly rows: number }[];
  readonly columns: readonly Column[];
  readonly indexes: readonly { readonly name: string; readonly table: string; readonly sql: string }[];
}

/** What SQLite knows of the database that is asked. */
export function describedBy({ read }: Pick<Context, "read">): Described {
  const rows = (sql: string) => {
    const found = read(sql);
    return "error" in found ? [] : (found[0]?.rows ?? []);
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

/** Whether a statement asks for what a server knows about itself. */
export function asksCatalog(sql: string): boolean {
  return /\binformation_schema\b|\bpg_(catalog|tables|database|roles|user|authid|stat_activity|stat_user_tables|namespace|class|indexes|settings|views|extension|tablespace)\b|\bmysql ?\. ?(user|db)\b/i.test(
    sql,
  );
}

/** Makes them, beside the database: its names are then found. */
export function openCatalog(context: Context, relations: readonly Relation[]): void {
  const made = new Set<string>();
  for (const { schema, name, columns, rows } of relations) {
    if (!made.has(schema)) context.read(`attach ':memory:' as ${schema}`);
    made.add(schema);
    const values = rows.map((row) => `(${row.map(valueOf).join(", ")})`).join(", ");
    context.read(`create table ${schema}.${name} (${columns.map((one) => `"${one}"`).join(", ")})`);
    if (values !== "") context.read(`insert into ${schema}.${name} values ${values}`);
  }
}

function valueOf(cell: Cell): string {
  return cell === null ? "null" : typeof cell === "number" ? String(cell) : literal(cell);
}

export function postgresCatalog(context: Context): readonly Relation[] {
  const { data, database, user, version, from } = context;
  const { tables, columns, indexes } = describedBy(context);
  const owner = data.databases.get(database)?.owner ?? user;
  const ownerOf = (table: string) => data.ownerOf(database, table) ?? owner;
  const roles = [...data.users].map(([name, { isAdmin, may }], at): readonly Cell[] => {
    const yes = (one: boolean | undefined) => (isAdmin || one ? "t" : "f");
    const isAble = may.logIn === false ? "f" : "t";
    return [name, yes(false), yes(may.createRoles), yes(may.createDatabases), isAble, "********", 10 + at];
  });
  const known = [...data.databases].map(([name, one], at): readonly Cell[] => [
    name,
    one.owner,
    "f",
    "UTF8",
    16384 + at,
  ]);
  const templates = ["template0", "template1"].map((name, at): readonly Cell[] => [name, owner, "t", "UTF8", 4 + at]);
  return [
    ...standard({ tables, columns, indexes }, "public", database),
    ...relationsOf({ tables, columns, indexes }, ownerOf),
    catalog("pg_database", "datname datowner datistemplate encoding oid", [...known, ...templates]),
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

/** Of tables, views and indexes. */
function relationsOf({ tables, columns, indexes }: Described, ownerOf: (table: string) => string): readonly Relation[] {
  const own = tables.filter((one) => !one.isView);
  const keyed = [...new Set(columns.filter((one) => one.isKey).map(({ table }) => table))];
  return [
    catalog(
      "pg_tables",
      "schemaname tablename tableowner tablespace hasindexes",
      own.map(({ name }) => ["public", name, ownerOf(name), null, "t"]),
    ),
    catalog(
      "pg_views",
      "schemaname viewname viewowner definition",
      tables.filter((one) => one.isView).map(({ name }) => ["public", name, ownerOf(name), ""]),
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
      own.map(({ name, rows }) => ["public", name, rows, 0, 1]),
    ),
  ];
}

export function mysqlCatalog(context: Context): readonly Relation[] {
  const { data, database } = context;
  const users = [...data.users].flatMap(([name, { isAdmin }]): (readonly Cell[])[] => {
    const row = (host: string): readonly Cell[] => [host, name, "caching_sha2_password", isAdmin ? "Y" : "N"];
    return name === "root" ? [row("%"), row("localhost")] : [row("%")];
  });
  return [
    ...standard(describedBy(context), database, "def"),
    {
      schema: "information_schema",
      name: "schemata",
      columns: ["CATALOG_NAME", "SCHEMA_NAME", "DEFAULT_CHARACTER_SET_NAME", "DEFAULT_COLLATION_NAME"],
      rows: ["information_schema", "mysql", "performance_schema", "sys", ...data.databases.keys()].map((one) => [
        "def",
        one,
        "utf8mb4",
        "utf8mb4_0900_ai_ci",
      ]),
    },
    { schema: "mysql", name: "user", columns: ["Host", "User", "plugin", "Super_priv"], rows: users },
  ];
}

/** What the standard has both have. */
function standard({ tables, columns }: Described, schema: string, catalog: string): readonly Relation[] {
  const isMysql = catalog === "def";
  const cased = (names: string) => (isMysql ? names.toUpperCase() : names).split(" ");
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
        isMysql ? "InnoDB" : null,
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
        isMysql ? mysqlType(type).replace(/\(.*/, "") : typeName(type).replace(/\(.*/, ""),
        isMysql ? mysqlType(type) : typeName(type),
        isKey ? "PRI" : "",
      ]),
    },
  ];
}

function keysOf(columns: readonly Column[], table: string): string {
  return columns
    .filter((one) => one.table === table && one.isKey)
    .map(({ name }) => name)
    .join(", ");
}

export function mysqlType(type: string): string {
  return type === "integer" ? "int" : type;
}

/** As PostgreSQL calls it. */
export function typeName(type: string): string {
  const known: Readonly<Record<string, string>> = {
    int: "integer",
    varchar: "character varying",
    char: "character",
    timestamp: "timestamp without time zone",
    bool: "boolean",
    decimal: "numeric",
    float: "double precision",
  };
  const [, name = type, size = ""] = /^(\w+)(\(.*\))$/.exec(type) ?? [];
  return (Object.hasOwn(known, name) ? (known[name] ?? name) : name) + size;
}
