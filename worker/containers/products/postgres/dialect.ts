// PostgreSQL's dialect: authentication, its own statements, and the translation of other statements for SQLite.
import { openCatalog } from "../../databases/catalog.ts";
import { asksCatalog, postgresCatalog } from "./catalog.ts";
import type { Context, Dialect, Failure, Meant, Reply } from "../../databases/dialect.ts";
import { grantAnswer, powersOf } from "./roles.ts";
import { usesOf } from "../../databases/privileges.ts";
import { bare, literal, outsideQuotes, timeText } from "../../databases/quoting.ts";

export const postgresDialect: Dialect = {
  refusal({ user, password, database, data, from }) {
    const role = data.users.get(user);
    const isLocal = from === "127.0.0.1";
    if (!role && isLocal) return errorReply("28000", `role "${user}" does not exist`);
    const needs = !isLocal && role?.password !== null;
    if (needs && password === undefined) return errorReply("fe_sendauth", "no password supplied");
    if (needs && role?.password !== password)
      return errorReply("28P01", `password authentication failed for user "${user}"`);
    if (role?.may.logIn === false) return errorReply("28000", `role "${user}" is not permitted to log in`);
    if (!data.databases.has(database)) return errorReply("3D000", `database "${database}" does not exist`);
    return undefined;
  },
  databaseOf: ({ database }) => database,
  transactions: {
    failsWhole: true,
    commitsFirst: () => false,
    missing: (name, isInside) =>
      isInside
        ? error("3B001", `savepoint "${name}" does not exist`)
        : error("25P01", `${name} can only be used in transaction blocks`),
    full: error("53200", "out of shared memory"),
  },
  meaning(context) {
    const { nowMs } = context;
    const sql = context.sql.trim();
    const words = sql.replace(/\s+/g, " ");
    const first = words.split(" ")[0]?.toUpperCase() ?? "";
    if (["SET", "VACUUM", "ANALYZE", "COMMENT", "CHECKPOINT", "RESET", "DISCARD"].includes(first)) return done(first);
    if (/^select (pg_catalog\.)?(set_config|setval|pg_reload_conf)\b/i.test(words))
      return { reply: { kind: "rows", columns: ["set_config"], rows: [[""]] } };
    if (first === "EXPLAIN") return { reply: error("0A000", "EXPLAIN is not simulated in this sandbox") };
    const granted = grantAnswer(context);
    if (granted) return granted;
    if (first === "SHOW") return setting(context, words.slice(5).toLowerCase());
    const administered = administration(context, words);
    if (administered) return administered;
    if (asksCatalog(sql)) openCatalog(context, postgresCatalog(context));
    const changes =
      !/^(select|with|values|table)\b/i.test(words) || /\b(insert\s+into|update|delete\s+from)\b/i.test(words);
    return { sql: translateSql(context, sql, nowMs), tag: tagOf(words), changes };
  },
  failure(text, context) {
    const { sql } = context;
    const [, table] = /^no such table: (?:main\.)?(\S+)/.exec(text) ?? [];
    if (table !== undefined) return error("42P01", `relation "${table}" does not exist`, table, sql);
    const [, column] = /^no such column: "?([^"]+?)"?(?: - .*)?$/.exec(text) ?? [];
    if (column !== undefined) return error("42703", `column "${column}" does not exist`, column, sql);
    const [, of = "", missing] = /^table (\S+) has no column named (\S+)/.exec(text) ?? [];
    if (missing !== undefined)
      return error("42703", `column "${missing}" of relation "${of}" does not exist`, missing, sql);
    const [, existingTable] = /^table "?([^" ]+)"? already exists/.exec(text) ?? [];
    if (existingTable !== undefined) return error("42P07", `relation "${existingTable}" already exists`);
    const [, unique = "", key] = /^UNIQUE constraint failed: ([^.]+)\.(\w+)/.exec(text) ?? [];
    if (key !== undefined) {
      const value = /values\s*\(\s*'?([^',)]*)/i.exec(sql)?.[1]?.trim() ?? "";
      const name = key === "id" ? `${unique}_pkey` : `${unique}_${key}_key`;
      return {
        ...error("23505", `duplicate key value violates unique constraint "${name}"`),
        detail: `Key (${key})=(${value}) already exists.`,
      };
    }
    const [, from = "", empty] = /^NOT NULL constraint failed: ([^.]+)\.(\w+)/.exec(text) ?? [];
    if (empty !== undefined)
      return error("23502", `null value in column "${empty}" of relation "${from}" violates not-null constraint`);
    if (text.startsWith("FOREIGN KEY")) return foreign(context);
    const [, checked] = /^CHECK constraint failed: (.*)$/.exec(text) ?? [];
    if (checked !== undefined) {
      const of = usesOf(sql)[0]?.table ?? "";
      const name = /^\w+$/.test(checked) ? checked : `${of}_${/\w+/.exec(checked)?.[0] ?? ""}_check`;
      return error("23514", `new row for relation "${of}" violates check constraint "${name}"`);
    }
    const [, near] = /^near "(.*)": syntax error/.exec(text) ?? [];
    if (near !== undefined) return error("42601", `syntax error at or near "${near}"`, near, sql);
    if (text === "incomplete input") return error("42601", "syntax error at end of input");
    const [, call] = /^no such function: (\S+)/.exec(text) ?? [];
    if (call !== undefined) return error("42883", `function ${call.toLowerCase()}() does not exist`, call, sql);
    return error("XX000", text);
  },
};

/** Returns which foreign key a statement violates, as far as its table shows. */
function foreign({ sql, read }: Context): Failure {
  const use = usesOf(sql)[0];
  const table = use?.table ?? "";
  const rows = (text: string) => {
    const result = read(text);
    return "error" in result ? [] : (result[0]?.rows ?? []);
  };
  if (use?.privilege === "DELETE" || use?.privilege === "DROP") {
    const [[child = "", column = ""] = []] = rows(
      `select m.name, f."from" from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table' and f."table" = ${literal(table)}`,
    );
    const name = `${child}_${column}_fkey`;
    return error(
      "23503",
      `update or delete on table "${table}" violates foreign key constraint "${name}" on table "${child}"`,
    );
  }
  const [[parent = "", column = ""] = []] = rows(
    `select "table", "from" from pragma_foreign_key_list(${literal(table)})`,
  );
  return {
    ...error("23503", `insert or update on table "${table}" violates foreign key constraint "${table}_${column}_fkey"`),
    detail: `Key (${column}) is not present in table "${parent}".`,
  };
}

function errorReply(code: string, message: string): Reply {
  return { kind: "refused", code, message };
}

function error(code: string, message: string, word = "", sql = ""): Failure {
  const place = word === "" ? -1 : sql.toLowerCase().indexOf(word.toLowerCase());
  return { kind: "error", code, message, ...(place < 0 ? {} : { place }) };
}

function done(tag: string): Meant {
  return { reply: { kind: "done", tag, changes: 0 } };
}

function setting({ version, database, user }: Context, name: string): Meant {
  const settings: Readonly<Record<string, string>> = {
    server_version: version,
    max_connections: "100",
    data_directory: "/var/lib/postgresql/data",
    port: "5432",
    search_path: '"$user", public',
    timezone: "Etc/UTC",
    shared_buffers: "128MB",
    server_encoding: "UTF8",
    wal_level: "replica",
    current_database: database,
    is_superuser: user === "postgres" ? "on" : "off",
  };
  const bareName = name.trim();
  const value = Object.hasOwn(settings, bareName) ? settings[bareName] : undefined;
  if (value === undefined) return { reply: error("42704", `unrecognized configuration parameter "${bareName}"`) };
  return { reply: { kind: "rows", columns: [bareName], rows: [[value]] } };
}

function administration(
  { data, user, transaction, database: sessionDatabase }: Context,
  words: string,
): Meant | undefined {
  const [, name, owner] = /^create database ("?[\w-]+"?)(?: with)?(?: owner (?:= )?("?[\w-]+"?))?/i.exec(words) ?? [];
  if (name !== undefined) {
    const database = bare(name);
    if (transaction) return { reply: error("25001", "CREATE DATABASE cannot run inside a transaction block") };
    if (data.databases.has(database)) return { reply: error("42P04", `database "${database}" already exists`) };
    return { ...done("CREATE DATABASE"), lines: [{ database, owner: owner === undefined ? user : bare(owner) }] };
  }
  const [, ifGone, gone] = /^drop database( if exists)? ("?[\w-]+"?)/i.exec(words) ?? [];
  if (gone !== undefined) {
    const database = bare(gone);
    if (!data.databases.has(database) && !ifGone)
      return { reply: error("3D000", `database "${database}" does not exist`) };
    if (database === sessionDatabase) return { reply: error("55006", "cannot drop the currently open database") };
    return { ...done("DROP DATABASE"), lines: [{ dropDatabase: database }] };
  }
  const [, verb = "", kind = "", role, more = ""] =
    /^(create|alter) (user|role|group) ("?[\w-]+"?)(.*)/i.exec(words) ?? [];
  if (role !== undefined) {
    const added = bare(role);
    const isCreated = verb.toLowerCase() === "create";
    if (isCreated && data.users.has(added)) return { reply: error("42710", `role "${added}" already exists`) };
    if (!isCreated && !data.users.has(added)) return { reply: error("42704", `role "${added}" does not exist`) };
    const password = /password '([^']*)'/i.exec(more)?.[1] ?? data.users.get(added)?.password ?? "";
    const isAdmin = /\bsuperuser\b/i.test(more) || (data.users.get(added)?.isAdmin ?? false);
    const may = { ...(isCreated ? { logIn: kind.toLowerCase() === "user" } : {}), ...powersOf(more) };
    return { ...done(`${verb.toUpperCase()} ROLE`), lines: [{ user: added, password, isAdmin, may }] };
  }
  const [, ifKnown, dropped] = /^drop (?:user|role) (if exists )?("?[\w-]+"?)/i.exec(words) ?? [];
  if (dropped !== undefined) {
    const isKnown = data.users.has(bare(dropped)) || ifKnown !== undefined;
    if (!isKnown) return { reply: error("42704", `role "${bare(dropped)}" does not exist`) };
    return { ...done("DROP ROLE"), lines: [{ dropUser: bare(dropped) }] };
  }
  if (/^alter table (?:only )?[\w."]+ owner to /i.test(words)) return done("ALTER TABLE");
  return /^(create|drop|alter) (extension|schema|sequence|database)\b/i.test(words)
    ? done(words.split(" ").slice(0, 2).join(" ").toUpperCase())
    : undefined;
}

function tagOf(words: string): string {
  const [first = "", second = ""] = words.toUpperCase().split(" ");
  if (first === "INSERT") return "INSERT 0";
  if (first === "UPDATE" || first === "DELETE") return first;
  if (first === "TRUNCATE") return "TRUNCATE TABLE";
  const kind =
    second === "UNIQUE" || second === "TEMP" || second === "TEMPORARY" || second === "OR"
      ? (words.toUpperCase().split(" ")[second === "OR" ? 3 : 2] ?? "")
      : second;
  return `${first} ${kind}`;
}

function translateSql({ version, user, database }: Context, sql: string, nowMs: number): string {
  const now = literal(`${new Date(nowMs).toISOString().replace("T", " ").replace("Z", "000")}+00`);
  return outsideQuotes(sql, (text) =>
    text
      .replace(/\s+/g, " ")
      .replace(/(^|[ (,=])E$/i, "$1")
      .replace(/\b(?:big|small)?serial primary key/gi, "INTEGER PRIMARY KEY AUTOINCREMENT")
      .replace(
        /\b(?:int|integer|bigint|smallint) generated (?:always|by default) as identity(?: primary key)?/gi,
        "INTEGER PRIMARY KEY AUTOINCREMENT",
      )
      .replace(/\b(?:big|small)?serial\b/gi, "INTEGER")
      .replace(/\bdefault (?:now ?\( ?\)|current_timestamp)/gi, "DEFAULT CURRENT_TIMESTAMP")
      .replace(/\b(?:now|clock_timestamp|transaction_timestamp) ?\( ?\)|(?<!default )\bcurrent_timestamp\b/gi, now)
      .replace(/\bcurrent_date\b/gi, literal(timeText(nowMs).slice(0, 10)))
      .replace(
        /\bversion ?\( ?\)/gi,
        literal(
          `PostgreSQL ${version} (Debian ${version}-1.pgdg13+1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 14.2.0-19) 14.2.0, 64-bit`,
        ),
      )
      .replace(/\bcurrent_database ?\( ?\)/gi, literal(database))
      .replace(/\b(?:current_user|session_user)\b/gi, literal(user))
      .replace(/\bpg_is_in_recovery ?\( ?\)/gi, "'f'")
      .replace(/\bgen_random_uuid ?\( ?\)/gi, "lower(hex(randomblob(16)))")
      .replace(/\bpg_size_pretty ?\(.*?\)\)/gi, "'7484 kB'")
      .replace(/\bpg_(?:database_size|total_relation_size|relation_size) ?\([^)]*\)/gi, "7663616")
      .replace(/\b(?:inet_server_port|pg_backend_pid) ?\( ?\)/gi, "68")
      .replace(/\bconcurrently\b/gi, "")
      .replace(/:: ?[a-z_]+(?: ?\( ?\d+(?: ?, ?\d+)? ?\))?(?:\[\])?/gi, "")
      .replace(/\bilike\b/gi, "LIKE")
      .replace(/\bpublic\./gi, "")
      .replace(/\btimestamp with(?:out)? time zone\b|\btimestamptz\b/gi, "TIMESTAMP")
      .replace(/^ ?truncate (?:table )?(\S+).*/i, "DELETE FROM $1")
      .replace(/ (?:cascade|restrict) ?$/i, "")
      .replace(
        /\bgenerate_series ?\( ?(\d+) ?, ?(\d+) ?\)(?: as)?(?: (\w+))?(?: ?\((\w+)\))?/gi,
        (_: string, from: string, to: string, alias = "generate_series", column?: string) =>
          `(with recursive s(n) as (select ${from} union all select n + 1 from s where n < ${to}) select n as ${column ?? alias} from s) as ${alias}`,
      ),
  );
}
