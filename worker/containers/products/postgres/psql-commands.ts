// psql's backslash commands: lists and settings.
import { finished, type Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { typeName } from "./catalog.ts";
import type { Reply } from "../../databases/dialect.ts";
import { literal } from "../../databases/quoting.ts";

type Rows = Extract<Reply, { readonly kind: "rows" }>;

/** A session as the commands use it. */
export interface Psql {
  readonly call: ProgramCall;
  readonly user: string;
  database: string;
  isExpanded: boolean;
  isTimed: boolean;
  isBare: boolean;
  isUnaligned: boolean;
  ask(sql: string): Task<Reply | { readonly kind: "lost" }>;
  connected(database: string): Task<boolean>;
  print(result: Rows, title?: string): void;
  table(result: Rows, title?: string): string;
  /** Runs the statements and commands of a file. Returns its exit code. */
  include(file: string): Task<number>;
  copy(words: string): Task<boolean>;
  readonly variables: Map<string, string>;
  /** The connection as messages describe it. */
  readonly place: string;
}

interface CommandInput {
  /** The first argument; "" for none. */
  readonly argument: string;
  readonly words: readonly string[];
  /** The text behind the name. */
  readonly rest: string;
  readonly isWide: boolean;
}

type Command = (psql: Psql, input: CommandInput) => boolean | "quit" | Task<boolean>;

const unquote = (word: string) => word.replace(/^'(.*)'$/, "$1");

/** Commands that change the settings of the session. */
const settings: Readonly<Record<string, Command>> = {
  q: () => "quit",
  c: (psql, { argument }) => connect(psql, argument),
  connect: (psql, { argument }) => connect(psql, argument),
  conninfo: ({ call, database, user, place }) => {
    const where = place.replace("connection to server ", "");
    call.out(`You are connected to database "${database}" as user "${user}" ${where}.\n`);
    return true;
  },
  x: (psql, { argument }) => {
    psql.isExpanded = switchValue(psql.isExpanded, argument);
    psql.call.out(`Expanded display is ${psql.isExpanded ? "on" : "off"}.\n`);
    return true;
  },
  timing: (psql, { argument }) => {
    psql.isTimed = switchValue(psql.isTimed, argument);
    psql.call.out(`Timing is ${psql.isTimed ? "on" : "off"}.\n`);
    return true;
  },
  t: (psql, { argument }) => {
    psql.isBare = switchValue(psql.isBare, argument);
    psql.call.out(`Tuples only is ${psql.isBare ? "on" : "off"}.\n`);
    return true;
  },
  a: (psql) => {
    psql.isUnaligned = !psql.isUnaligned;
    psql.call.out(`Output format is ${psql.isUnaligned ? "unaligned" : "aligned"}.\n`);
    return true;
  },
  echo: ({ call }, { words }) => {
    call.out(`${words.map(unquote).join(" ")}\n`);
    return true;
  },
  set: ({ variables }, { argument, words }) => {
    variables.set(argument, unquote(words.slice(1).join("")));
    return true;
  },
  i: include,
  ir: include,
  copy: (psql, { rest }) => psql.copy(rest),
};

function* include(psql: Psql, { argument }: CommandInput): Task<boolean> {
  return (yield* psql.include(argument)) === 0;
}

/** Commands that list objects. */
const lists: Readonly<Record<string, Command>> = {
  d: (psql, { argument, isWide }): Task<boolean> =>
    argument === "" ? relations(psql, "tvs", "relations", isWide) : describeRelations(psql, argument),
  dt: (psql, { argument, isWide }) => relations(psql, "t", "tables", isWide, argument),
  dv: (psql, { argument, isWide }) => relations(psql, "v", "views", isWide, argument),
  ds: (psql, { argument, isWide }) => relations(psql, "s", "sequences", isWide, argument),
  di: indexes,
  l: databases,
  list: databases,
  du: roles,
  dg: roles,
  dn: (psql) => printTable(psql, "List of schemas", ["Name", "Owner"], [["public", "pg_database_owner"]]),
  dx: (psql) =>
    printTable(
      psql,
      "List of installed extensions",
      ["Name", "Version", "Default version", "Schema", "Description"],
      [["plpgsql", "1.0", "1.0", "pg_catalog", "PL/pgSQL procedural language"]],
    ),
};

/** Commands without a visible effect. */
const quiet = new Set(["pset", "?", "h", "encoding", "unset", "restrict", "unrestrict", "."]);

/** Runs a command. Returns whether it succeeded, or "quit". */
export function* command(psql: Psql, text: string): Task<boolean | "quit"> {
  const [name = "", ...words] = text.replace(/;$/, "").split(/\s+/);
  const bareName = /^\\([a-z?.]*)/.exec(name)?.[1] ?? "";
  const runCommand = Object.hasOwn(settings, bareName)
    ? settings[bareName]
    : Object.hasOwn(lists, bareName)
      ? lists[bareName]
      : undefined;
  if (runCommand)
    return yield* finished(
      runCommand(psql, {
        argument: words[0] ?? "",
        words,
        rest: text.slice(name.length).trim(),
        isWide: name.endsWith("+"),
      }),
    );
  if (quiet.has(bareName)) return true;
  psql.call.err(`invalid command ${name}\nTry \\? for help.\n`);
  return false;
}

function switchValue(before: boolean, word: string): boolean {
  return word === "" || word === "auto" ? !before : word === "on" || word === "1";
}

function* connect(psql: Psql, name: string): Task<boolean> {
  const { out, err, process } = psql.call;
  if (name !== "" && name !== "-" && !(yield* psql.connected(name))) {
    if (!process.paused) err("Previous connection kept\n");
    return false;
  }
  out(`You are now connected to database "${psql.database}" as user "${psql.user}".\n`);
  return true;
}

function* rowsOf(psql: Psql, sql: string): Task<Rows["rows"]> {
  const reply = yield* psql.ask(sql);
  return reply.kind === "rows" ? reply.rows : [];
}

function printTable(psql: Psql, title: string, columns: readonly string[], rows: Rows["rows"]): true {
  psql.print({ kind: "rows", columns, rows }, title);
  return true;
}

/** `kinds`: letters for tables, views and sequences. */
function* relations(psql: Psql, kinds: string, title: string, isWide: boolean, pattern = ""): Task<boolean> {
  const tables = yield* rowsOf(psql, "select tablename, tableowner from pg_tables order by 1");
  const views = yield* rowsOf(psql, "select viewname, viewowner from pg_views order by 1");
  const counted = new Set(
    (yield* rowsOf(
      psql,
      "select distinct tbl_name from sqlite_master where type = 'table' and sql like '%AUTOINCREMENT%'",
    )).map(([tableName]) => String(tableName)),
  );
  const all = [
    ...(kinds.includes("t") ? tables.map(([name, owner]) => [String(name), "table", String(owner)]) : []),
    ...(kinds.includes("v") ? views.map(([name, owner]) => [String(name), "view", String(owner)]) : []),
    ...(kinds.includes("s")
      ? tables
          .filter(([name]) => counted.has(String(name)))
          .map(([name, owner]) => [`${String(name)}_id_seq`, "sequence", String(owner)])
      : []),
  ].sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const namePattern = pattern.replace(/^(public|\*)\./, "");
  const isWanted = (name: string) =>
    namePattern === "" ||
    (namePattern.endsWith("*") ? name.startsWith(namePattern.slice(0, -1)) : name === namePattern);
  const matches = all.filter(([name = ""]) => isWanted(name));
  if (matches.length === 0) {
    const named = namePattern === "" || namePattern === "*" ? `any ${title}` : `any ${title} named "${pattern}"`;
    psql.call.err(`Did not find ${named}.\n`);
    return true;
  }
  const more = isWide ? ["Persistence", "Access method", "Size", "Description"] : [];
  const wide = (kind: string) =>
    isWide ? ["permanent", kind === "table" ? "heap" : "", kind === "table" ? "16 kB" : "8192 bytes", ""] : [];
  return printTable(
    psql,
    `List of ${title}`,
    ["Schema", "Name", "Type", "Owner", ...more],
    matches.map(([name = "", kind = "", owner = ""]) => ["public", name, kind, owner, ...wide(kind)]),
  );
}

function* indexes(psql: Psql): Task<boolean> {
  const indexRows = yield* rowsOf(
    psql,
    "select i.indexname, i.tablename, t.tableowner from pg_indexes i join pg_tables t on t.tablename = i.tablename order by 1",
  );
  if (indexRows.length === 0) {
    psql.call.err("Did not find any indexes.\n");
    return true;
  }
  return printTable(
    psql,
    "List of indexes",
    ["Schema", "Name", "Type", "Owner", "Table"],
    indexRows.map(([name, table, owner]) => ["public", name ?? "", "index", owner ?? "", table ?? ""]),
  );
}

function* databases(psql: Psql): Task<boolean> {
  const columns = ["Name", "Owner", "Encoding", "Locale Provider", "Collate", "Ctype", "Locale", "ICU Rules"];
  const databaseRows = yield* rowsOf(psql, "select datname, datowner, datistemplate from pg_database order by 1");
  return printTable(
    psql,
    "List of databases",
    [...columns, "Access privileges"],
    databaseRows.map(([name, owner]) => [
      name ?? "",
      owner ?? "",
      "UTF8",
      "libc",
      "en_US.utf8",
      "en_US.utf8",
      "",
      "",
      "",
    ]),
  );
}

function* roles(psql: Psql): Task<boolean> {
  const roleRows = yield* rowsOf(
    psql,
    "select rolname, rolsuper, rolcreaterole, rolcreatedb, rolcanlogin from pg_roles order by 1",
  );
  const isYes = (cell: unknown) => cell === "t";
  return printTable(
    psql,
    "List of roles",
    ["Role name", "Attributes"],
    roleRows.map(([name, isAdmin, makesRoles, makesDatabases, logsIn]) => [
      name ?? "",
      isYes(isAdmin)
        ? "Superuser, Create role, Create DB, Replication, Bypass RLS"
        : [
            ...(isYes(makesRoles) ? ["Create role"] : []),
            ...(isYes(makesDatabases) ? ["Create DB"] : []),
            ...(isYes(logsIn) ? [] : ["Cannot login"]),
          ].join(", "),
    ]),
  );
}

function* describeRelations(psql: Psql, pattern: string): Task<boolean> {
  const table = pattern.replace(/^public\./, "").replaceAll('"', "");
  const columnRows = yield* rowsOf(
    psql,
    `select name, lower(type), "notnull", dflt_value, pk from pragma_table_info(${literal(table)})`,
  );
  if (columnRows.length === 0) {
    psql.call.err(`Did not find any relation named "${table}".\n`);
    return true;
  }
  const rows = columnRows.map(([name, type, notNull, fallback, key]) => {
    const isKey = key !== 0;
    const usual = isKey && type === "integer" ? `nextval('${table}_${String(name)}_seq'::regclass)` : (fallback ?? "");
    return [String(name), typeName(String(type)), "", notNull === 1 || isKey ? "not null" : "", String(usual)];
  });
  const foot = yield* footOf(
    psql,
    table,
    columnRows.filter((row) => row[4] !== 0).map(([name]) => String(name)),
  );
  const columns = ["Column", "Type", "Collation", "Nullable", "Default"];
  const text = psql.table({ kind: "rows", columns, rows }, `Table "public.${table}"`);
  // The footer replaces the count of rows.
  psql.call.out(text.replace(/\(\d+ rows?\)\n\n$/, foot));
  return true;
}

function* footOf(psql: Psql, table: string, keys: readonly string[]): Task<string> {
  const indexRows = yield* rowsOf(
    psql,
    `select l.name, l."unique", l.origin, group_concat(i.name, ', ') from pragma_index_list(${literal(table)}) l, pragma_index_info(l.name) i where l.origin <> 'pk' group by 1, 2, 3 order by 1`,
  );
  const lines = keys.length > 0 ? [`    "${table}_pkey" PRIMARY KEY, btree (${keys.join(", ")})`] : [];
  for (const [name, isUnique, origin, columns] of indexRows) {
    const indexName = origin === "u" ? `${table}_${String(columns).replaceAll(", ", "_")}_key` : String(name);
    const kind = origin === "u" ? " UNIQUE CONSTRAINT," : isUnique === 1 ? " UNIQUE," : "";
    lines.push(`    "${indexName}"${kind} btree (${String(columns)})`);
  }
  const references = yield* rowsOf(
    psql,
    `select "from", "table", "to" from pragma_foreign_key_list(${literal(table)}) order by id`,
  );
  const outward = references.map(
    ([from, parent, to]) =>
      `    "${table}_${String(from)}_fkey" FOREIGN KEY (${String(from)}) REFERENCES ${String(parent)}(${String(to ?? "id")})`,
  );
  const footerLines = [...(lines.length > 0 ? ["Indexes:", ...lines] : [])];
  if (outward.length > 0) footerLines.push("Foreign-key constraints:", ...outward);
  return `${footerLines.map((line) => `${line}\n`).join("")}\n`;
}
