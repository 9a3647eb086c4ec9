// mysql and mariadb at the command line: what they are told, what they print, how they end.
import { isTyped, takeAll, takeLine } from "../shell/input.ts";
import type { Call, Programs } from "../shell/program.ts";
import type { Opened } from "../shell/programs/connection.ts";
import { askDatabase } from "./ask.ts";
import type { Reply } from "./dialect.ts";
import { boxed, tabbed } from "./tables.ts";
import { statementsOf } from "./words.ts";

export const mysqlPrograms: Programs = {
  mysql: client,
  mariadb: client,
  mysqladmin: administrator,
  "mariadb-admin": administrator,
};

interface Options {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly execute: string | undefined;
  readonly isBoxed: boolean;
  readonly hasHead: boolean;
  readonly isForced: boolean;
  readonly rest: readonly string[];
}

const long: Readonly<Record<string, string>> = {
  host: "h",
  port: "P",
  user: "u",
  password: "p",
  database: "D",
  execute: "e",
  table: "t",
  "skip-column-names": "N",
  batch: "B",
  silent: "s",
  force: "f",
};

function optionsOf({ args, shell }: Call): Options {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name = "", given] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const letter = name === "" ? (/^-(\w)/.exec(arg)?.[1] ?? "") : (long[name] ?? name);
    if (letter === "") {
      rest.push(arg);
      continue;
    }
    const own = name === "" ? arg.slice(2) : given;
    const takes = "hPuDe".includes(letter) && letter.length === 1;
    // A password stands right behind its letter, or is asked for.
    values.set(letter, own || (takes ? (args[++at] ?? "") : ""));
  }
  const password = values.has("p") ? values.get("p") : shell.variables.get("MYSQL_PWD");
  const database = values.get("D") ?? rest[0] ?? "";
  return {
    host: values.get("h") ?? shell.variables.get("MYSQL_HOST") ?? "localhost",
    port: Number(values.get("P") ?? 3306),
    user: values.get("u") ?? "root",
    password,
    database,
    execute: values.get("e"),
    isBoxed: values.has("t"),
    hasHead: !values.has("N") && !values.has("s"),
    isForced: values.has("f"),
    rest,
  };
}

function client(call: Call): number {
  const { args, out, input, process, name } = call;
  if (args.includes("--version") || args.includes("-V")) {
    out(
      name === "mysql"
        ? "mysql  Ver 9.5.0 for Linux on x86_64 (MySQL Community Server - GPL)\n"
        : "mariadb from 12.1.2-MariaDB, client 15.2 for debian-linux-gnu (x86_64)\n",
    );
    return 0;
  }
  const options = withPassword(call, optionsOf(call));
  if (!options) return 1;
  const isShown = args.some((arg) => /^(-p|--password=)./.test(arg));
  if (name === "mysql" && isShown) call.err(`mysql: [Warning] ${insecure}\n`);
  const session = new Session(call, options);
  const isTerminal = isTyped(input) && input.isTerminal;
  if (options.execute === undefined && isTerminal) return session.typed();
  const text = options.execute ?? takeAll(process, input);
  return text === undefined ? 0 : session.batch(text);
}

const insecure = "Using a password on the command line interface can be insecure.";

/** One that is asked for is typed, and not shown. */
function withPassword(call: Call, options: Options): Options | undefined {
  const { input, err, out, process } = call;
  if (options.password !== "") return options;
  const isTerminal = isTyped(input) && input.isTerminal;
  (isTerminal ? out : err)("Enter password: ");
  const line = input ? takeLine(process, input) : "";
  if (isTerminal) out("\n");
  if (process.paused) return undefined;
  return { ...options, password: line?.replace(/\n$/, "") || undefined };
}

class Session {
  readonly #call: Call;
  readonly #options: Options;
  #database: string;

  constructor(call: Call, options: Options) {
    this.#call = call;
    this.#options = options;
    this.#database = options.database;
  }

  batch(text: string): number {
    const { process } = this.#call;
    if (!this.#connected()) return 1;
    const { statements, rest } = statementsOf(text);
    let code = 0;
    for (const sql of [...statements, rest.trim()].filter((one) => one !== "")) {
      if (process.paused) return 0;
      if (this.#run(sql, false)) continue;
      code = 1;
      if (!this.#options.isForced) return 1;
    }
    return code;
  }

  typed(): number {
    const { out, input, process, name } = this.#call;
    if (!input || !this.#connected()) return 1;
    const isMaria = name === "mariadb";
    out(
      `Welcome to the ${isMaria ? "MariaDB" : "MySQL"} monitor.  Commands end with ; or \\g.\nYour ${isMaria ? "MariaDB" : "MySQL"} connection id is 8\n\nType 'help;' or '\\h' for help. Type '\\c' to clear the current input statement.\n\n`,
    );
    let text = "";
    while (!process.paused) {
      const prompt = isMaria ? `MariaDB [${this.#database || "(none)"}]> ` : "mysql> ";
      out(text === "" ? prompt : "    -> ");
      const line = takeLine(process, input);
      if (line === undefined) break;
      if (text === "" && /^(exit|quit|\\q);?$/i.test(line.trim())) {
        out("Bye\n");
        return 0;
      }
      const bareUse = text === "" && /^\s*use\s+\S+\s*$/i.test(line);
      text += bareUse ? `${line.trim()};` : line.replace(/\\[gG]\s*$/, ";");
      const { statements, rest } = statementsOf(text);
      for (const sql of statements) this.#run(sql, true);
      text = rest.trim() === "" ? "" : rest;
    }
    return 0;
  }

  #connected(): boolean {
    const reply = this.#ask("");
    if (this.#call.process.paused) return false;
    if (reply.kind === "done") return true;
    if (reply.kind === "refused") this.#call.err(`ERROR ${reply.code}: ${reply.message}\n`);
    return false;
  }

  #run(sql: string, isTyped: boolean): boolean {
    const { out, err, process } = this.#call;
    const before = process.clockMs;
    const reply = this.#ask(sql);
    if (process.paused || reply.kind === "lost") return false;
    const took = `(${((process.clockMs - before) / 1000).toFixed(2)} sec)`;
    if (reply.kind === "error" || reply.kind === "refused") {
      err(`ERROR ${reply.code}${isTyped ? "" : " at line 1"}: ${reply.message}\n`);
      return false;
    }
    if (reply.kind === "done") {
      const used = reply.tag.startsWith("use ") ? reply.tag.slice(4) : undefined;
      if (used !== undefined) this.#database = used;
      if (isTyped)
        out(
          used === undefined
            ? `Query OK, ${reply.changes} row${reply.changes === 1 ? "" : "s"} affected ${took}\n\n`
            : "Database changed\n",
        );
      return true;
    }
    const { rows } = reply;
    if (isTyped)
      out(
        rows.length === 0
          ? `Empty set ${took}\n\n`
          : `${boxed(reply)}${rows.length} row${rows.length === 1 ? "" : "s"} in set ${took}\n\n`,
      );
    else if (rows.length > 0) out(this.#options.isBoxed ? boxed(reply) : tabbed(reply, this.#options.hasHead));
    return true;
  }

  #ask(sql: string): Reply | { readonly kind: "lost" } {
    const { user, password } = this.#options;
    const { host, port } = this.#options;
    const place = { host: host === "localhost" ? "127.0.0.1" : host, port };
    const { reply: said } = askDatabase(this.#call.process, place, { user, password, database: this.#database, sql });
    if (!("reached" in said)) return said;
    if (!this.#call.process.paused) this.#call.err(lost(said, host, port));
    return { kind: "lost" };
  }
}

function lost({ reached }: Opened, host: string, port: number): string {
  if (reached.kind === "unresolved") return `ERROR 2005 (HY000): Unknown MySQL server host '${host}' (-2)\n`;
  if (host === "localhost")
    return "ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)\n";
  const number = { refused: 111, unreachable: 113 }[reached.kind as string] ?? 110;
  return `ERROR 2003 (HY000): Can't connect to MySQL server on '${host}:${port}' (${number})\n`;
}

function administrator(call: Call): number {
  const { process, out, err, name } = call;
  const options = optionsOf(call);
  const place = { host: options.host === "localhost" ? "127.0.0.1" : options.host, port: options.port };
  const { reply: said } = askDatabase(process, place, {
    user: options.user,
    password: options.password,
    database: "",
    sql: "",
  });
  if (process.paused) return 0;
  const what = options.rest[0] ?? "";
  if ("reached" in said) {
    const why = lost(said, options.host, options.port).replace(/^ERROR \d+ \(\w+\): /, "");
    err(`${name}: connect to server at '${options.host}' failed\nerror: '${why.trimEnd()}'\n`);
    return 1;
  }
  if (what === "ping") {
    // A server that lets nobody in is alive.
    out("mysqld is alive\n");
    return 0;
  }
  if (said.kind === "refused") {
    err(`${name}: connect to server at '${options.host}' failed\nerror: '${said.message}'\n`);
    return 1;
  }
  if (what === "status")
    out(
      "Uptime: 60  Threads: 2  Questions: 8  Slow queries: 0  Opens: 119  Open tables: 80  Queries per second avg: 0.133\n",
    );
  return 0;
}
