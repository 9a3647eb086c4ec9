// MySQL's dialect: authentication, its own statements, and the translation of other statements for SQLite.
import { openCatalog } from "../../databases/catalog.ts";
import { asksCatalog, mysqlCatalog, mysqlType } from "./catalog.ts";
import type { Context, Dialect, Failure, Meant, Reply } from "../../databases/dialect.ts";
import { createText } from "./create.ts";
import { grantAnswer } from "./grants.ts";
import { usesOf } from "../../databases/privileges.ts";
import { bare, literal, outsideQuotes, timeText } from "../../databases/quoting.ts";

const systemDatabases = ["information_schema", "mysql", "performance_schema", "sys"];

export const mysqlDialect: Dialect = {
  refusal({ user, password, database, data, from }) {
    const account = data.users.get(user);
    const place = `'${user}'@'${from === "127.0.0.1" ? "localhost" : from}'`;
    const isWrong = !account || (account.password !== null && account.password !== (password ?? ""));
    if (isWrong)
      return errorReply(
        "1045 (28000)",
        `Access denied for user ${place} (using password: ${password === undefined ? "NO" : "YES"})`,
      );
    if (database !== "" && !data.databases.has(database) && !systemDatabases.includes(database))
      return errorReply("1049 (42000)", `Unknown database '${database}'`);
    return undefined;
  },
  databaseOf({ sql, database, transaction }, data) {
    const named = new Set(usesOf(sql).map(({ schema }) => schema ?? database));
    const [only = ""] = named;
    const isOther = named.size === 1 && data.databases.has(only) && (transaction?.statements.length ?? 0) === 0;
    return isOther ? only : database;
  },
  transactions: {
    failsWhole: false,
    commitsFirst: (sql) => /^\s*(create|drop|alter|truncate|rename)\b/i.test(sql),
    missing: (name) => error("1305 (42000)", `SAVEPOINT ${name} does not exist`),
    full: error("1206 (HY000)", "The total number of locks exceeds the lock table size"),
  },
  meaning(context) {
    const sql = context.sql.trim();
    const words = sql.replace(/\s+/g, " ");
    const [first = ""] = words.toLowerCase().split(" ");
    if (planAsked.test(words)) return { reply: error("1235 (42000)", "EXPLAIN is not simulated in this sandbox") };
    if (first === "show" || first === "describe" || first === "desc" || first === "explain")
      return showAnswer(context, words);
    if (first === "use") return use(context, bare(words.slice(4).trim()));
    if (first === "set" || first === "flush" || first === "lock" || first === "unlock") return done();
    const administered = administration(context, words);
    if (administered) return administered;
    if (asksCatalog(sql) || systemDatabases.includes(context.database)) openCatalog(context, mysqlCatalog(context));
    else if (context.database === "" && !/^select\b(?!.*\bfrom\b)/i.test(words))
      return { reply: error("1046 (3D000)", "No database selected") };
    return { sql: translateSql(context, sql), tag: "", changes: !/^(select|with|values|table)\b/i.test(words) };
  },
  failure(text, { sql, database }) {
    const [, table] = /^no such table: (?:main\.)?(\S+)/.exec(text) ?? [];
    if (table !== undefined) return error("1146 (42S02)", `Table '${database}.${table}' doesn't exist`);
    const [, column] = /^no such column: (\S+)/.exec(text) ?? [];
    if (column !== undefined) return error("1054 (42S22)", `Unknown column '${column}' in 'field list'`);
    const [, missing] = /^table \S+ has no column named (\S+)/.exec(text) ?? [];
    if (missing !== undefined) return error("1054 (42S22)", `Unknown column '${missing}' in 'field list'`);
    const [, existingTable] = /^table [`"]?([^`" ]+)[`"]? already exists/.exec(text) ?? [];
    if (existingTable !== undefined) return error("1050 (42S01)", `Table '${existingTable}' already exists`);
    const [, of = "", key] = /^UNIQUE constraint failed: ([^.]+)\.(\w+)/.exec(text) ?? [];
    if (key !== undefined)
      return error(
        "1062 (23000)",
        `Duplicate entry '${firstValue(sql)}' for key '${of}.${key === "id" ? "PRIMARY" : key}'`,
      );
    const [, empty] = /^NOT NULL constraint failed: [^.]+\.(\w+)/.exec(text) ?? [];
    if (empty !== undefined) return error("1048 (23000)", `Column '${empty}' cannot be null`);
    if (/^CHECK constraint/.test(text))
      return error("3819 (HY000)", `Check constraint '${/: (\w+)/.exec(text)?.[1] ?? ""}' is violated.`);
    if (/^FOREIGN KEY/.test(text))
      return error("1452 (23000)", "Cannot add or update a child row: a foreign key constraint fails");
    if (/values for \d+ columns/.test(text))
      return error("1136 (21S01)", "Column count doesn't match value count at row 1");
    const [, near] = /^near "(.*)": syntax error/.exec(text) ?? [];
    if (near !== undefined || text === "incomplete input") {
      const at = near === undefined ? "" : sql.slice(Math.max(0, sql.toLowerCase().indexOf(near.toLowerCase())));
      return error(
        "1064 (42000)",
        `You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '${at}' at line 1`,
      );
    }
    if (text === "database or disk is full") return error("1114 (HY000)", "The table is full");
    if (text === "statement too long")
      return error("1153 (08S01)", "Got a packet bigger than 'max_allowed_packet' bytes");
    return error("1105 (HY000)", text);
  },
};

function errorReply(code: string, message: string): Reply {
  return { kind: "refused", code, message };
}

function error(code: string, message: string): Failure {
  return { kind: "error", code, message };
}

function done(changes = 0): Meant {
  return { reply: { kind: "done", tag: "", changes } };
}

function rows(columns: readonly string[], cells: readonly (readonly (string | number | null)[])[]): Meant {
  return { reply: { kind: "rows", columns, rows: cells } };
}

const planAsked = /^(?:explain|desc|describe) (?:format ?= ?\w+ |analyze )?(?=(?:select|insert|update|delete|with)\b)/i;

function use({ data }: Context, name: string): Meant {
  if (!data.databases.has(name) && !systemDatabases.includes(name))
    return { reply: error("1049 (42000)", `Unknown database '${name}'`) };
  return { reply: { kind: "done", tag: `use ${name}`, changes: 0 } };
}

function showAnswer(context: Context, words: string): Meant {
  const { data, database, version } = context;
  const [, like] = / like ['"]([^'"]*)['"]/i.exec(words) ?? [];
  const pick = (name: string) => like === undefined || matches(name, like);
  if (/^show (databases|schemas)\b/i.test(words)) {
    const all = [...systemDatabases, ...data.databases.keys()].sort();
    return rows(
      [like === undefined ? "Database" : `Database (${like})`],
      all.filter(pick).map((name) => [name]),
    );
  }
  if (/^show (global |session )?variables\b/i.test(words)) {
    const all = [
      ["hostname", context.from],
      ["max_connections", "151"],
      ["port", "3306"],
      ["version", version],
      ["character_set_server", "utf8mb4"],
    ];
    return rows(
      ["Variable_name", "Value"],
      all.filter(([name = ""]) => pick(name)),
    );
  }
  if (/^show (global |session )?status\b/i.test(words)) {
    return rows(
      ["Variable_name", "Value"],
      [
        ["Threads_connected", "1"],
        ["Uptime", "60"],
      ].filter(([name = ""]) => pick(name)),
    );
  }
  if (/^show (full )?processlist/i.test(words)) {
    return rows(
      ["Id", "User", "Host", "db", "Command", "Time", "State", "Info"],
      [[8, context.user, `${context.from}:40000`, database || null, "Query", 0, "init", words]],
    );
  }
  if (/^show grants/i.test(words)) {
    const [, named] = /^show grants for ['"`]?([\w-]+)/i.exec(words) ?? [];
    const whose = named ?? context.user;
    if (!data.users.has(whose))
      return { reply: error("1141 (42000)", `There is no such grant defined for user '${whose}' on host '%'`) };
    return rows([`Grants for ${whose}@%`], [[`GRANT ALL PRIVILEGES ON *.* TO \`${whose}\`@\`%\` WITH GRANT OPTION`]]);
  }
  if (/^show (master|slave|replica|binary|engine|warnings|errors|plugins)/i.test(words)) return rows([], []);
  if (database === "") return { reply: error("1046 (3D000)", "No database selected") };
  if (/^show (full )?tables\b/i.test(words)) {
    const result = context.read(
      "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name",
    );
    const names = "error" in result ? [] : (result[0]?.rows ?? []).map(([name]) => String(name));
    return rows(
      [`Tables_in_${database}${like === undefined ? "" : ` (${like})`}`],
      names.filter(pick).map((name) => [name]),
    );
  }
  const [, createdTable] = /^show create table (\S+)/i.exec(words) ?? [];
  if (createdTable !== undefined) return showCreate(context, bare(createdTable));
  const [, table] =
    /^(?:describe|desc|explain|show (?:full )?columns (?:from|in)|show fields from) (\S+)/i.exec(words) ?? [];
  if (table !== undefined) return describeTable(context, bare(table));
  return rows([], []);
}

function showCreate(context: Context, name: string): Meant {
  const text = createText(context, name);
  if (text === undefined) return { reply: mysqlDialect.failure(`no such table: ${name}`, context) };
  return rows(["Table", "Create Table"], [[name, text]]);
}

function describeTable(context: Context, name: string): Meant {
  const result = context.read(`select name, type, "notnull", dflt_value, pk from pragma_table_info(${literal(name)})`);
  const columns = "error" in result ? [] : (result[0]?.rows ?? []);
  if (columns.length === 0) return { reply: mysqlDialect.failure(`no such table: ${name}`, context) };
  const createResult = context.read(`select sql from sqlite_master where name = ${literal(name)}`);
  const isCounted = "error" in createResult ? false : /autoincrement/i.test(String(createResult[0]?.rows[0]?.[0]));
  return rows(
    ["Field", "Type", "Null", "Key", "Default", "Extra"],
    columns.map(([field, type, notNull, fallback, key]) => {
      const isKey = key !== 0;
      const typeName = mysqlType(String(type).toLowerCase());
      return [
        String(field),
        typeName,
        notNull === 1 || isKey ? "NO" : "YES",
        isKey ? "PRI" : "",
        fallback === null ? null : bare(String(fallback)),
        isKey && isCounted ? "auto_increment" : "",
      ];
    }),
  );
}

/** Handles statements about databases and users. */
function administration(context: Context, words: string): Meant | undefined {
  const { data, user } = context;
  const [, ifThere, name] = /^create (?:database|schema)( if not exists)? ([`"\w-]+)/i.exec(words) ?? [];
  if (name !== undefined) {
    const database = bare(name);
    if (data.databases.has(database))
      return ifThere
        ? done(1)
        : { reply: error("1007 (HY000)", `Can't create database '${database}'; database exists`) };
    return { ...done(1), lines: [{ database, owner: user }] };
  }
  const [, ifGone, gone] = /^drop (?:database|schema)( if exists)? ([`"\w-]+)/i.exec(words) ?? [];
  if (gone !== undefined) {
    const database = bare(gone);
    if (!data.databases.has(database))
      return ifGone
        ? done()
        : { reply: error("1008 (HY000)", `Can't drop database '${database}'; database doesn't exist`) };
    return { ...done(), lines: [{ dropDatabase: database }] };
  }
  const [, added, by] =
    /^(?:create|alter) user (?:if (?:not )?exists )?['"`]?([\w-]+)['"`]?(?:@['"`]?[^'"` ]+['"`]?)?(?: identified (?:with \S+ )?by ['"]([^'"]*)['"])?/i.exec(
      words,
    ) ?? [];
  if (added !== undefined) {
    const isCreated = /^create/i.test(words);
    const isThere = isCreated === data.users.has(added);
    if (isThere && / if (not )?exists /i.test(words)) return done();
    const what = isCreated ? "CREATE" : "ALTER";
    if (isThere) return { reply: error("1396 (HY000)", `Operation ${what} USER failed for '${added}'@'%'`) };
    return { ...done(), lines: [{ user: added, password: by ?? "" }] };
  }
  const [, ifKnown, dropped] = /^drop user (if exists )?['"`]?([\w-]+)/i.exec(words) ?? [];
  if (dropped !== undefined) {
    if (!data.users.has(dropped) && !ifKnown)
      return { reply: error("1396 (HY000)", `Operation DROP USER failed for '${dropped}'@'%'`) };
    return { ...done(), lines: [{ dropUser: dropped }] };
  }
  return grantAnswer(context) ?? (/^(analyze|optimize|check table|revoke)\b/i.test(words) ? done() : undefined);
}

function translateSql({ nowMs, version, user, database, from, transaction }: Context, sql: string): string {
  const values: Readonly<Record<string, string>> = {
    "now()": literal(timeText(nowMs)),
    "current_timestamp()": literal(timeText(nowMs)),
    "sysdate()": literal(timeText(nowMs)),
    "curdate()": literal(timeText(nowMs).slice(0, 10)),
    "curtime()": literal(timeText(nowMs).slice(11)),
    "version()": literal(version),
    "@@version": literal(version),
    "database()": database === "" ? "null" : literal(database),
    "schema()": database === "" ? "null" : literal(database),
    "user()": literal(`${user}@${from}`),
    "current_user()": literal(`${user}@%`),
    "@@hostname": literal(from),
    "@@autocommit": transaction?.isManual ? "0" : "1",
    "connection_id()": "8",
    "last_insert_id()": "last_insert_rowid()",
    "rand()": "(abs(random()) / 9223372036854775807.0)",
    "uuid()": "lower(hex(randomblob(16)))",
    "unix_timestamp()": String(Math.floor(nowMs / 1000)),
  };
  const plain = outsideQuotes(
    sql,
    (text) =>
      text
        .replace(/\s+/g, " ")
        .replace(/\bdefault (?:now|current_timestamp) ?\( ?\d? ?\)/gi, "DEFAULT CURRENT_TIMESTAMP")
        .replace(
          /\b(?:now|current_timestamp|sysdate|curdate|curtime|version|database|schema|user|current_user|connection_id|last_insert_id|rand|uuid|unix_timestamp) ?\( ?\)|@@(?:version|hostname|autocommit)\b/gi,
          (functionCall) => values[functionCall.toLowerCase().replaceAll(" ", "")] ?? functionCall,
        )
        .replace(
          /\b(?:big|small|medium|tiny)?int(?:eger)?(?: ?\( ?\d+ ?\))?(?: unsigned)?(?: zerofill)?( not null)? auto_increment( not null)?(?: primary key)?/gi,
          "INTEGER$1$2 PRIMARY KEY AUTOINCREMENT",
        )
        .replace(/\bserial primary key/gi, "INTEGER PRIMARY KEY AUTOINCREMENT")
        .replace(/\bunsigned\b|\bzerofill\b/gi, "")
        .replace(/\bon update current_timestamp(\(\d*\))?/gi, "")
        .replace(
          /\b(?:default )?character set \w+|\bdefault charset ?= ?\w+|\bcharset ?=? ?\w+|\bcollate ?=? ?\w+|\bengine ?= ?\w+|\bauto_increment ?= ?\d+|\brow_format ?= ?\w+/gi,
          "",
        )
        .replace(/\binsert ignore\b/gi, "INSERT OR IGNORE")
        .replace(/^ ?truncate (?:table )?/i, "DELETE FROM ")
        .replace(/\bif ?\((?! ?not\b)/gi, "iif(")
        // The names of the session's own database are removed.
        .replace(/\b(\w+)\.(?=[\w`])/g, (qualified, name: string) => (name === database ? "" : qualified)),
    (quoted) => (quoted.startsWith("`") ? quoted : quoted.replace(/\\'/g, "''").replace(/\\n/g, "\n")),
  )
    .replace(/, ?unique (?:key|index) (?:[`"]?\w+[`"]? ?)?(\([^)]*\))/gi, ", UNIQUE $1")
    .replace(/, ?(?:key|index) [`"]?\w+[`"]? ?\([^)]*\)/gi, "");
  // SQLite declares it with the column.
  return plain.includes(" AUTOINCREMENT") ? plain.replace(/, ?primary key ?\([^)]*\)/i, "") : plain;
}

function firstValue(sql: string): string {
  return /values\s*\(\s*'?([^',)]*)/i.exec(sql)?.[1]?.trim() ?? "";
}

function matches(name: string, like: string): boolean {
  const sections = like.toLowerCase().split("%");
  let at = 0;
  for (const [index, section] of sections.entries()) {
    const position = name.toLowerCase().indexOf(section, at);
    if (position < 0 || (index === 0 && position > 0)) return false;
    at = position + section.length;
  }
  return like.endsWith("%") || at === name.length;
}
