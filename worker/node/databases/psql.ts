// psql at the command line: what it is told, its own commands, what it prints and how it ends.
import { absolute } from "../shell/files.ts";
import { isTyped, takeAll, takeLine } from "../shell/input.ts";
import type { Call, Programs } from "../shell/program.ts";
import type { Opened } from "../shell/programs/connection.ts";
import { askDatabase } from "./ask.ts";
import type { Reply } from "./dialect.ts";
import { aligned, unaligned } from "./tables.ts";
import { literal, statementsOf } from "./words.ts";

export const postgresPrograms: Programs = { psql };

interface Options {
  readonly host: string | undefined;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly commands: readonly string[];
  readonly files: readonly string[];
  readonly isBare: boolean;
  readonly isUnaligned: boolean;
  readonly isQuiet: boolean;
  readonly stopsOnError: boolean;
  readonly lists: boolean;
}

const long: Readonly<Record<string, string>> = {
  host: "h",
  port: "p",
  username: "U",
  dbname: "d",
  command: "c",
  file: "f",
  "tuples-only": "t",
  "no-align": "A",
  quiet: "q",
  list: "l",
  set: "v",
  password: "W",
  "no-password": "w",
};

function optionsOf({ args, shell }: Call): Options {
  const values = new Map<string, string>();
  const all = { c: [] as string[], f: [] as string[], v: [] as string[] };
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name = "", given] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const letters = name === "" ? (/^-(\w+)/.exec(arg)?.[1] ?? "") : (long[name] ?? name);
    if (letters === "") rest.push(arg);
    for (let index = 0; index < letters.length; index++) {
      const letter = letters.charAt(index);
      if (!"hpUdcfv".includes(letter)) {
        values.set(letter, "");
        continue;
      }
      const own = name === "" ? arg.slice(index + 2) : given;
      const value = own || (args[++at] ?? "");
      values.set(letter, value);
      if (letter === "c" || letter === "f" || letter === "v") all[letter].push(value);
      break;
    }
  }
  const url = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@]*))?@)?([^:/]*)(?::(\d+))?(?:\/([^?]*))?/.exec(
    values.get("d") ?? rest[0] ?? "",
  );
  const variable = (name: string) => shell.variables.get(name) || undefined;
  const user = url?.[1] || values.get("U") || rest[1] || variable("PGUSER") || userOf(shell);
  return {
    host: url?.[3] ?? values.get("h") ?? variable("PGHOST"),
    port: Number(url?.[4] ?? values.get("p") ?? variable("PGPORT") ?? 5432),
    user,
    password: url?.[2] ?? variable("PGPASSWORD"),
    database: (url ? url[5] : (values.get("d") ?? rest[0])) || variable("PGDATABASE") || user,
    commands: all.c,
    files: all.f,
    isBare: values.has("t"),
    isUnaligned: values.has("A"),
    isQuiet: values.has("q"),
    stopsOnError: all.v.some((one) => one.startsWith("ON_ERROR_STOP=1") || one === "ON_ERROR_STOP=on"),
    lists: values.has("l"),
  };
}

function userOf({ process }: Call["shell"]): string {
  return process.self.uid === 0 ? "root" : "postgres";
}

function psql(call: Call): number {
  const { args, out, input, process } = call;
  if (args.includes("--version") || args.includes("-V")) {
    out("psql (PostgreSQL) 18.1 (Debian 18.1-1.pgdg13+1)\n");
    return 0;
  }
  const options = optionsOf(call);
  const session = new Session(call, options);
  if (!session.connected()) return process.paused ? 0 : 2;
  if (options.lists) return session.batch("\\l\n");
  const parts = [...options.commands, ...options.files.map((file) => fileText(call, file))];
  if (parts.length > 0) {
    let code = 0;
    for (const one of parts) {
      if (one === undefined) return 1;
      code = session.batch(one, options.commands.length > 0);
    }
    return code;
  }
  if (isTyped(input) && input.isTerminal) return session.typed();
  const text = takeAll(process, input);
  return text === undefined ? 0 : session.batch(text);
}

function fileText({ process, shell, err, input }: Call, name: string): string | undefined {
  if (name === "-") return takeAll(process, input);
  const text = process.files.get(absolute(name, shell.folder))?.text;
  if (text === undefined) err(`psql: error: ${name}: No such file or directory\n`);
  return text;
}

class Session {
  readonly #call: Call;
  readonly #options: Options;
  #database: string;
  #version = "18.1";

  constructor(call: Call, options: Options) {
    this.#call = call;
    this.#options = options;
    this.#database = options.database;
  }

  connected(database = this.#database): boolean {
    const reply = this.#ask("show server_version", database);
    if (reply.kind === "refused") this.#call.err(`psql: error: ${this.#place()} failed: ${reason(reply)}\n`);
    if (reply.kind !== "rows") return false;
    this.#database = database;
    this.#version = String(reply.rows[0]?.[0]);
    return true;
  }

  /** `isCommand`: of `-c`, whose failure is the exit code. */
  batch(text: string, isCommand = false): number {
    const { process } = this.#call;
    let code = 0;
    for (const one of pieces(text)) {
      if (process.paused) return 0;
      const isDone = one.startsWith("\\") ? this.#command(one) : this.#run(one);
      if (isDone === "quit") return 0;
      if (isDone) continue;
      code = isCommand ? 1 : this.#options.stopsOnError ? 3 : 0;
      if (isCommand || this.#options.stopsOnError) return code;
    }
    return code;
  }

  typed(): number {
    const { out, input, process } = this.#call;
    if (!input) return 0;
    out(
      `psql (18.1 (Debian 18.1-1.pgdg13+1)${this.#version === "18.1" ? "" : `, server ${this.#version}`})\nType "help" for help.\n\n`,
    );
    let text = "";
    while (!process.paused) {
      const sign = this.#options.user === "postgres" ? "#" : ">";
      out(`${this.#database}${text === "" ? "=" : "-"}${sign} `);
      const line = takeLine(process, input);
      if (line === undefined) break;
      if (text === "" && /^(exit|quit);?$/.test(line.trim())) return 0;
      if (line.trim().startsWith("\\")) {
        if (this.#command(line.trim()) === "quit") return 0;
        continue;
      }
      text += line;
      const { statements, rest } = statementsOf(text);
      for (const sql of statements) this.#run(sql);
      text = rest.trim() === "" ? "" : rest;
    }
    return 0;
  }

  #run(sql: string): boolean {
    const reply = this.#ask(sql);
    const { out, err, process } = this.#call;
    if (process.paused || reply.kind === "lost") return false;
    if (reply.kind === "refused" || reply.kind === "error") {
      err(`ERROR:  ${reply.message}\n${reply.kind === "error" ? pointer(sql, reply) : ""}`);
      return false;
    }
    if (reply.kind === "rows") out(this.#table(reply));
    else if (!this.#options.isQuiet && reply.tag !== "")
      out(`${reply.tag}${/^(INSERT 0|UPDATE|DELETE)$/.test(reply.tag) ? ` ${reply.changes}` : ""}\n`);
    return true;
  }

  #table(found: Extract<Reply, { readonly kind: "rows" }>, title?: string): string {
    const { isBare, isUnaligned } = this.#options;
    if (isUnaligned) return unaligned(found, !isBare);
    if (!isBare) return aligned(found, title);
    return `${aligned(found).split("\n").slice(2, -3).join("\n")}${found.rows.length > 0 ? "\n" : ""}\n`;
  }

  #command(text: string): boolean | "quit" {
    const { out, err } = this.#call;
    const [name = "", argument = ""] = text.replace(/;$/, "").split(/\s+/);
    const bareName = name.replace(/\+$/, "");
    if (bareName === "\\q") return "quit";
    if (bareName === "\\c" || bareName === "\\connect") {
      if (argument !== "" && !this.connected(argument)) {
        if (!this.#call.process.paused) err("Previous connection kept\n");
        return false;
      }
      out(`You are now connected to database "${this.#database}" as user "${this.#options.user}".\n`);
      return true;
    }
    if (bareName === "\\conninfo") {
      out(
        `You are connected to database "${this.#database}" as user "${this.#options.user}" ${this.#place().replace("connection to server ", "")}.\n`,
      );
      return true;
    }
    if (bareName === "\\d" && argument !== "") return this.#described(argument);
    const listed = this.#listed(bareName);
    if (listed) return listed();
    if (["\\x", "\\timing", "\\pset", "\\set", "\\echo", "\\?", "\\h", "\\encoding"].includes(bareName)) return true;
    err(`invalid command ${name}\nTry \\? for help.\n`);
    return false;
  }

  #listed(name: string): (() => boolean) | undefined {
    const { out, err } = this.#call;
    const { user } = this.#options;
    const show =
      (
        sql: string,
        title: string,
        columns: readonly string[],
        row: (name: string) => readonly string[],
        nothing: string,
      ) =>
      () => {
        const found = this.#ask(sql);
        if (found.kind !== "rows") return false;
        const rows = found.rows.map(([one]) => row(String(one)));
        if (rows.length === 0) err(`${nothing}\n`);
        else out(this.#table({ kind: "rows", columns, rows }, title));
        return true;
      };
    const tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name";
    const relations = ["Schema", "Name", "Type", "Owner"];
    switch (name) {
      case "\\l":
        return show(
          "select datname from pg_database",
          "List of databases",
          [
            "Name",
            "Owner",
            "Encoding",
            "Locale Provider",
            "Collate",
            "Ctype",
            "Locale",
            "ICU Rules",
            "Access privileges",
          ],
          (one) => [one, user, "UTF8", "libc", "en_US.utf8", "en_US.utf8", "", "", ""],
          "",
        );
      case "\\dt":
        return show(
          tables,
          "List of tables",
          relations,
          (one) => ["public", one, "table", user],
          "Did not find any tables.",
        );
      case "\\d":
        return show(
          tables,
          "List of relations",
          relations,
          (one) => ["public", one, "table", user],
          "Did not find any relations.",
        );
      case "\\du":
        return show(
          `select ${literal(user)}`,
          "List of roles",
          ["Role name", "Attributes"],
          (one) => [one, "Superuser, Create role, Create DB, Replication, Bypass RLS"],
          "",
        );
      case "\\dn":
        return show("select 'public'", "List of schemas", ["Name", "Owner"], (one) => [one, "pg_database_owner"], "");
      default:
        return undefined;
    }
  }

  #described(table: string): boolean {
    const { out, err } = this.#call;
    const found = this.#ask(
      `select name, lower(type), "notnull", dflt_value, pk from pragma_table_info(${literal(table)})`,
    );
    if (found.kind !== "rows") return false;
    if (found.rows.length === 0) {
      err(`Did not find any relation named "${table}".\n`);
      return true;
    }
    const rows = found.rows.map(([name, type, notNull, fallback, key]) => {
      const isKey = key !== 0;
      const usual =
        isKey && type === "integer" ? `nextval('${table}_${String(name)}_seq'::regclass)` : (fallback ?? "");
      return [String(name), typeName(String(type)), "", notNull === 1 || isKey ? "not null" : "", String(usual)];
    });
    const whole = this.#table(
      { kind: "rows", columns: ["Column", "Type", "Collation", "Nullable", "Default"], rows },
      `Table "public.${table}"`,
    );
    const key = found.rows.find((row) => row[4] !== 0)?.[0];
    const foot = key === undefined ? "\n" : `Indexes:\n    "${table}_pkey" PRIMARY KEY, btree (${String(key)})\n\n`;
    out(whole.replace(/\(\d+ rows?\)\n\n$/, foot));
    return true;
  }

  #place(): string {
    const { host, port } = this.#options;
    if (host === undefined || host.startsWith("/"))
      return `connection to server on socket "/var/run/postgresql/.s.PGSQL.${port}"`;
    return `connection to server at "${host}" (${this.#address}), port ${port}`;
  }

  #address = "";

  #ask(sql: string, database = this.#database): Reply | { readonly kind: "lost" } {
    const { host, port, user, password } = this.#options;
    const { process, err } = this.#call;
    const isLocal = host === undefined || host.startsWith("/");
    const place = { host: isLocal ? "127.0.0.1" : host, port };
    const { reply, address } = askDatabase(process, place, { user, password, database, sql });
    this.#address = address;
    if (!("reached" in reply)) return reply;
    if (!process.paused) err(`psql: error: ${this.#lost(reply)}\n`);
    return { kind: "lost" };
  }

  #lost({ reached }: Opened): string {
    const { host = "" } = this.#options;
    if (reached.kind === "unresolved")
      return `could not translate host name "${host}" to address: Name or service not known`;
    const isLocal = this.#place().includes("socket");
    if (isLocal)
      return `${this.#place()} failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?`;
    const why =
      reached.kind === "refused"
        ? "Connection refused"
        : reached.kind === "unreachable"
          ? "No route to host"
          : "Connection timed out";
    return `${this.#place()} failed: ${why}\n\tIs the server running on that host and accepting TCP/IP connections?`;
  }
}

function reason({ code, message }: Extract<Reply, { readonly kind: "refused" }>): string {
  return code === "fe_sendauth" ? `fe_sendauth: ${message}` : `FATAL:  ${message}`;
}

/** Where in the statement it is, as a line below it points there. */
function pointer(sql: string, { place, detail }: Extract<Reply, { readonly kind: "error" }>): string {
  const more = detail === undefined ? "" : `DETAIL:  ${detail}\n`;
  if (place === undefined) return more;
  const before = sql.slice(0, place).split("\n");
  const line = sql.split("\n")[before.length - 1] ?? "";
  const head = `LINE ${before.length}: `;
  return `${head}${line}\n${" ".repeat(head.length + (before.at(-1)?.length ?? 0))}^\n${more}`;
}

/** Statements, and psql's own commands, which a line's end ends. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let own = "";
  for (const line of text.split("\n")) {
    if (own.trim() === "" && line.trim().startsWith("\\")) {
      found.push(line.trim());
      continue;
    }
    own += `${line}\n`;
    const { statements, rest } = statementsOf(own);
    found.push(...statements);
    own = rest;
  }
  return own.trim() === "" ? found : [...found, own.trim()];
}

function typeName(type: string): string {
  const known: Readonly<Record<string, string>> = {
    int: "integer",
    varchar: "character varying",
    timestamp: "timestamp without time zone",
    bool: "boolean",
  };
  const [, name = type, size = ""] = /^(\w+)(\(.*\))$/.exec(type) ?? [];
  return (Object.hasOwn(known, name) ? (known[name] ?? name) : name) + size;
}
