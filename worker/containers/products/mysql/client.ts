// The mysql and mariadb command lines: their options, output and exit codes.
import type { Task } from "../../../../shared/shell/task.ts";
import { absolute } from "../../shell/files.ts";
import { isTyped, takeAll, takeLine } from "../../shell/input.ts";
import type { ProgramCall, Programs } from "../../shell/program.ts";
import { insecure, lost, MysqlSession, optionsOf, withPassword } from "./connection.ts";
import { printBoxed, printTabbed, vertical } from "../../databases/tables.ts";
import { statementsOf } from "../../databases/quoting.ts";

export const mysqlPrograms: Programs = {
  mysql: client,
  mariadb: client,
  mysqladmin: administrator,
  "mariadb-admin": administrator,
};

function* client(call: ProgramCall): Task<number> {
  const { args, out, input, process, name } = call;
  if (args.includes("--version") || args.includes("-V")) {
    out(
      name === "mysql"
        ? "mysql  Ver 9.5.0 for Linux on x86_64 (MySQL Community Server - GPL)\n"
        : "mariadb from 12.1.2-MariaDB, client 15.2 for debian-linux-gnu (x86_64)\n",
    );
    return 0;
  }
  const options = yield* withPassword(call, optionsOf(call));
  if (!options) return 1;
  const isShown = args.some((arg) => /^(-p|--password=)./.test(arg));
  if (name === "mysql" && isShown) call.err(`mysql: [Warning] ${insecure}\n`);
  const session = new Session(call, options);
  const isTerminal = isTyped(input) && input.isTerminal;
  if (options.execute === undefined && isTerminal) return yield* session.typed();
  const text = options.execute ?? (yield* takeAll(process, input));
  return text === undefined ? 0 : yield* session.batch(text);
}

class Session extends MysqlSession {
  *batch(text: string): Task<number> {
    const { process } = this.call;
    if (!(yield* this.#connect())) return 1;
    const { statements, rest } = statementsOf(text.replace(/\\G/g, "\\G;"));
    let code = 0;
    let at = 0;
    for (const sql of [...statements, rest.trim()].filter((statement) => statement !== "")) {
      if (process.paused) return 0;
      at = Math.max(at, text.indexOf(sql.slice(0, 40), at));
      const line = text.slice(0, at).split("\n").length;
      if (yield* this.#run(sql, line)) continue;
      code = 1;
      if (!this.options.isForced) return 1;
    }
    return code;
  }

  *typed(): Task<number> {
    const { out, input, process, name } = this.call;
    if (!input || !(yield* this.#connect())) return 1;
    const isMaria = name === "mariadb";
    out(
      `Welcome to the ${isMaria ? "MariaDB" : "MySQL"} monitor.  Commands end with ; or \\g.\nYour ${isMaria ? "MariaDB" : "MySQL"} connection id is 8\n\nType 'help;' or '\\h' for help. Type '\\c' to clear the current input statement.\n\n`,
    );
    let text = "";
    while (!process.paused) {
      const prompt = isMaria ? `MariaDB [${this.database || "(none)"}]> ` : "mysql> ";
      out(text === "" ? prompt : "    -> ");
      const line = yield* takeLine(process, input);
      if (line === undefined) break;
      if (text === "" && /^(exit|quit|\\q);?$/i.test(line.trim())) {
        out("Bye\n");
        return 0;
      }
      const bareUse = text === "" && /^\s*use\s+\S+\s*$/i.test(line);
      text += bareUse ? `${line.trim()};` : line.replace(/\\g\s*$/, ";").replace(/\\G\s*$/, "\\G;");
      const { statements, rest } = statementsOf(text);
      for (const sql of statements) yield* this.#run(sql, undefined);
      text = rest.trim() === "" ? "" : rest;
    }
    return 0;
  }

  *#connect(): Task<boolean> {
    const reply = yield* this.ask("");
    if (this.call.process.paused) return false;
    if ("reached" in reply) this.call.err(lost(reply, this.options.host, this.options.port));
    else if (reply.kind === "refused") this.call.err(`ERROR ${reply.code}: ${reply.message}\n`);
    return !("reached" in reply) && reply.kind === "done";
  }

  /** Runs a statement. `line`: its line in a text; undefined if it was typed. */
  *#run(statement: string, line: number | undefined): Task<boolean> {
    const { out, err, process } = this.call;
    const [, file] = /^(?:source|\\\.)\s+(\S+)$/i.exec(statement.trim()) ?? [];
    if (file !== undefined) return yield* this.#source(file);
    const isVertical = statement.endsWith("\\G") || this.options.isVertical;
    const sql = statement.replace(/\\G$/, "");
    const before = process.clockMs;
    const reply = yield* this.ask(sql);
    if (process.paused) return false;
    if ("reached" in reply) {
      err(lost(reply, this.options.host, this.options.port));
      return false;
    }
    const took = `(${((process.clockMs - before) / 1000).toFixed(2)} sec)`;
    if (reply.kind === "error" || reply.kind === "refused") {
      err(`ERROR ${reply.code}${line === undefined ? "" : ` at line ${line}`}: ${reply.message}\n`);
      return false;
    }
    if (reply.kind === "done") {
      const isUse = reply.tag.startsWith("use ");
      const count = `${reply.changes} row${reply.changes === 1 ? "" : "s"}`;
      if (line === undefined) out(isUse ? "Database changed\n" : `Query OK, ${count} affected ${took}\n\n`);
      return true;
    }
    const { rows } = reply;
    const text = isVertical ? vertical(reply) : printBoxed(reply);
    if (line === undefined)
      out(
        rows.length === 0
          ? `Empty set ${took}\n\n`
          : `${text}${rows.length} row${rows.length === 1 ? "" : "s"} in set ${took}\n\n`,
      );
    else if (rows.length > 0) out(this.options.isBoxed || isVertical ? text : printTabbed(reply, this.options.hasHead));
    return true;
  }

  *#source(file: string): Task<boolean> {
    const text = this.call.process.files.get(absolute(file, this.call.shell.folder))?.text;
    if (text === undefined) {
      this.call.err(`ERROR: \nFailed to open file '${file}', error: 2\n`);
      return false;
    }
    return (yield* this.batch(text)) === 0;
  }
}

function* administrator(call: ProgramCall): Task<number> {
  const { process, out, err, name } = call;
  const options = yield* withPassword(call, optionsOf(call));
  if (!options) return 1;
  const reply = yield* new MysqlSession(call, { ...options, database: "" }).ask("");
  if (process.paused) return 0;
  const [what = "", database = ""] = options.rest;
  if ("reached" in reply) {
    const why = lost(reply, options.host, options.port).replace(/^ERROR \d+ \(\w+\): /, "");
    err(`${name}: connect to server at '${options.host}' failed\nerror: '${why.trimEnd()}'\n`);
    return 1;
  }
  if (what === "ping") {
    // A server that refuses the client is alive.
    out("mysqld is alive\n");
    return 0;
  }
  if (reply.kind === "refused") {
    err(`${name}: connect to server at '${options.host}' failed\nerror: '${reply.message}'\n`);
    return 1;
  }
  if (what === "create" || what === "drop") {
    const done = yield* new MysqlSession(call, { ...options, database: "" }).ask(`${what} database \`${database}\``);
    if (!("reached" in done) && done.kind === "error") {
      err(`${name}: ${what.toUpperCase()} DATABASE failed; error: '${done.message}'\n`);
      return 1;
    }
    if (what === "drop") out(`Database "${database}" dropped\n`);
  }
  if (what === "status")
    out(
      "Uptime: 60  Threads: 2  Questions: 8  Slow queries: 0  Opens: 119  Open tables: 80  Queries per second avg: 0.133\n",
    );
  return 0;
}
