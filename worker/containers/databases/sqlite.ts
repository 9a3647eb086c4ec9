// The sqlite3 command line. Its file contains the statements that created it, one in each line, like those of the servers.
import type { Task } from "../../../shared/shell/task.ts";
import { absolute } from "../shell/files.ts";
import { isTyped, takeAll, takeLine } from "../shell/input.ts";
import { edit } from "../shell/process.ts";
import type { ProgramCall, Programs } from "../shell/program.ts";
import { notSimulated } from "../shell/not-simulated.ts";
import { Sql } from "../wasm/sql.ts";
import { dataOf, lineText } from "./data.ts";
import { printBoxed, printUnaligned } from "./tables.ts";
import { type Step, stepOf } from "./transactions.ts";
import { statementsOf } from "./quoting.ts";

export const sqlitePrograms: Programs = { sqlite3 };

const version = "3.46.1 2024-08-13 09:16:08";
const changes = /^(?!select\b|with\b|values\b|pragma\b|explain\b)/i;

function* sqlite3(call: ProgramCall): Task<number> {
  const { args, out, shell } = call;
  if (args.includes("-version") || args.includes("--version")) {
    out(`${version}\n`);
    return 0;
  }
  const [file, ...commands] = args.filter((arg) => !arg.startsWith("-"));
  const session = Session.open(call, file === undefined ? undefined : absolute(file, shell.folder));
  if (!session) return yield* notSimulated(call);
  try {
    return yield* follow(call, session, commands);
  } finally {
    session.close();
  }
}

function* follow({ process, input }: ProgramCall, session: Session, commands: readonly string[]): Task<number> {
  if (commands.length > 0) return session.run(commands.join(";"), false);
  if (isTyped(input) && input.isTerminal) return yield* session.typed();
  const text = yield* takeAll(process, input);
  return text === undefined ? 0 : session.run(text, false);
}

class Session {
  readonly #call: ProgramCall;
  readonly #sql: Sql;
  readonly #path: string | undefined;
  #hasHead: boolean;
  #isBoxed: boolean;
  /** The lines of an open transaction, and their length at each savepoint. */
  #pending: string | undefined;
  readonly #marks: [name: string, length: number][] = [];

  static open(call: ProgramCall, path: string | undefined): Session | undefined {
    const sql = Sql.open(call.process);
    if (!sql) return undefined;
    const text = path === undefined ? "" : (call.process.files.get(path)?.text ?? "");
    for (const statement of dataOf(text).statements("main")) sql.run(statement.sql);
    return new Session(call, sql, path);
  }

  private constructor(call: ProgramCall, sql: Sql, path: string | undefined) {
    this.#call = call;
    this.#sql = sql;
    this.#path = path;
    this.#hasHead = call.args.includes("-header");
    this.#isBoxed = call.args.includes("-table") || call.args.includes("-box");
  }

  close(): void {
    this.#sql.close();
  }

  *typed(): Task<number> {
    const { out, input, process } = this.#call;
    out(`SQLite version ${version}\nEnter ".help" for usage hints.\n`);
    let text = "";
    while (input && !process.paused) {
      out(text === "" ? "sqlite> " : "   ...> ");
      const line = yield* takeLine(process, input);
      if (line === undefined || /^\.(quit|exit)/.test(line)) break;
      text += line;
      const isWhole = line.startsWith(".") || /;\s*$/.test(line);
      if (!isWhole) continue;
      this.run(text, true);
      text = "";
    }
    return 0;
  }

  run(text: string, isTyped: boolean): number {
    const lines = text.split("\n");
    const commands = lines.filter((line) => line.startsWith("."));
    for (const command of commands) if (this.#command(command.trim()) === "quit") return 0;
    const { statements, rest } = statementsOf(lines.filter((line) => !line.startsWith(".")).join("\n"));
    for (const sql of [...statements, rest.trim()].filter((candidate) => candidate !== "")) {
      if (!this.#statement(sql, isTyped) && !isTyped) return 1;
    }
    return 0;
  }

  #statement(sql: string, isTyped: boolean): boolean {
    const { out, err, process } = this.#call;
    const results = this.#sql.run(sql);
    if ("error" in results) {
      err(`${isTyped ? "Parse error" : "Error: in prepare"}${isTyped ? ":" : ","} ${results.error}\n`);
      return false;
    }
    const step = stepOf(sql);
    if (step) this.#step(step);
    else if (changes.test(sql)) this.#keep(lineText({ sql, in: "main", atMs: process.clockMs }));
    for (const rows of results.filter(({ rows }) => rows.length > 0)) {
      out(this.#isBoxed ? printBoxed(rows) : printUnaligned(rows, this.#hasHead).replace(/\(\d+ rows?\)\n$/, ""));
    }
    return true;
  }

  /** Writes a line to the file at once, or when the transaction commits. */
  #keep(text: string): void {
    const path = this.#path;
    if (this.#pending !== undefined) this.#pending += text;
    else if (path !== undefined && text !== "") edit(this.#call.process, { path, text, appends: true });
  }

  /** Follows a step of a transaction. SQLite has already executed it; this is about the lines of the file. */
  #step(step: Step): void {
    const pending = this.#pending ?? "";
    if (step.kind === "begin") this.#pending = pending;
    else if (step.kind === "save") {
      this.#pending = pending;
      this.#marks.push([step.name, pending.length]);
    } else if (step.kind === "back") {
      const at = this.#marks.map(([name]) => name).lastIndexOf(step.name);
      this.#pending = pending.slice(0, this.#marks[at]?.[1] ?? 0);
      this.#marks.splice(at + 1);
    } else if (step.kind !== "release") {
      this.#pending = undefined;
      this.#marks.length = 0;
      if (step.kind === "commit") this.#keep(pending);
    }
  }

  #command(text: string): "quit" | undefined {
    const { out, err } = this.#call;
    const [name = "", argument = ""] = text.split(/\s+/);
    if (name === ".quit" || name === ".exit") return "quit";
    if (name === ".headers" || name === ".header") this.#hasHead = argument === "on";
    else if (name === ".mode") this.#isBoxed = argument === "table" || argument === "box";
    else if (name === ".tables" || name === ".schema") {
      const column = name === ".tables" ? "name" : "sql || ';'";
      const result = this.#sql.run(`select ${column} from sqlite_master where name not like 'sqlite_%' order by name`);
      const texts = "error" in result ? [] : (result[0]?.rows ?? []).map(([cell]) => String(cell));
      if (texts.length > 0) out(`${texts.join(name === ".tables" ? "  " : "\n")}\n`);
    } else err(`Error: unknown command or invalid arguments:  "${name.slice(1)}". Enter ".help" for help\n`);
    return undefined;
  }
}
