// The psql command line: its options, sessions, output and exit codes.
import type { Task } from "../../../../shared/shell/task.ts";
import { before } from "../../../../shared/base/trim.ts";
import { absolute } from "../../shell/files.ts";
import { isTyped, takeAll, takeLine } from "../../shell/input.ts";
import type { ProgramCall, Programs } from "../../shell/program.ts";
import { type OptionNames, parsed } from "../../shell/programs/long-options.ts";
import type { Reply } from "../../databases/dialect.ts";
import { type Destination, destinationOf, PostgresClient, serverOptions } from "./client.ts";
import { command, type Psql } from "./psql-commands.ts";
import { runCopy, takesData } from "./psql-copy.ts";
import { printAligned, printExpanded, printUnaligned } from "../../databases/tables.ts";
import { literal, outsideQuotes, statementsOf } from "../../databases/quoting.ts";

export const postgresPrograms: Programs = { psql };

interface Options extends Destination {
  readonly commands: readonly string[];
  readonly files: readonly string[];
  readonly isBare: boolean;
  readonly isUnaligned: boolean;
  readonly isQuiet: boolean;
  readonly stopsOnError: boolean;
  readonly lists: boolean;
  readonly isExpanded: boolean;
  /** Whether everything runs in one transaction. */
  readonly isWhole: boolean;
  readonly variables: ReadonlyMap<string, string>;
}

const optionNames: OptionNames = {
  ...serverOptions,
  d: "dbname=",
  c: "command=",
  f: "file=",
  t: "tuples-only",
  A: "no-align",
  q: "quiet",
  l: "list",
  v: "set=",
  W: "password",
  w: "no-password",
  1: "single-transaction",
  x: "expanded",
};

function optionsOf(call: ProgramCall): Options {
  const { has, value, all, rest } = parsed(call.args, optionNames);
  const assignments = all("set");
  return {
    ...destinationOf(call, value, rest),
    commands: all("command"),
    files: all("file"),
    isBare: has("tuples-only"),
    isUnaligned: has("no-align"),
    isQuiet: has("quiet"),
    stopsOnError: assignments.some((text) => text.startsWith("ON_ERROR_STOP=1") || text === "ON_ERROR_STOP=on"),
    lists: has("list"),
    isExpanded: has("expanded"),
    isWhole: has("single-transaction"),
    variables: new Map(assignments.map((text) => [before(text, "="), text.slice(before(text, "=").length + 1)])),
  };
}

function* psql(call: ProgramCall): Task<number> {
  const { args, out, input, process } = call;
  if (args.includes("--version") || args.includes("-V")) {
    out("psql (PostgreSQL) 18.1 (Debian 18.1-1.pgdg13+1)\n");
    return 0;
  }
  const options = optionsOf(call);
  const session = new Session(call, options);
  if (!(yield* session.connected())) return process.paused ? 0 : 2;
  if (options.lists) return yield* session.batch("\\l\n");
  const scripts: (string | undefined)[] = [...options.commands];
  for (const file of options.files) scripts.push(yield* fileText(call, file));
  if (scripts.length === 0 && isTyped(input) && input.isTerminal) return yield* session.typed();
  if (scripts.length > 0) return yield* session.runScripts(scripts, options.commands.length > 0);
  const text = yield* takeAll(process, input);
  return text === undefined ? 0 : yield* session.runScripts([text], false);
}

function* fileText({ process, shell, err, input }: ProgramCall, name: string): Task<string | undefined> {
  if (name === "-") return yield* takeAll(process, input);
  const text = process.files.get(absolute(name, shell.folder))?.text;
  if (text === undefined) err(`psql: error: ${name}: No such file or directory\n`);
  return text;
}

class Session extends PostgresClient implements Psql {
  readonly #options: Options;
  readonly variables: Map<string, string>;
  isExpanded: boolean;
  isTimed = false;
  isBare: boolean;
  isUnaligned: boolean;

  constructor(call: ProgramCall, options: Options) {
    super(call, options);
    this.#options = options;
    this.variables = new Map(options.variables);
    this.isExpanded = options.isExpanded;
    this.isBare = options.isBare;
    this.isUnaligned = options.isUnaligned;
  }

  /** Runs scripts. `isCommand`: whether they come from `-c`, each of which is a transaction whose failure is the exit code. */
  *runScripts(scripts: readonly (string | undefined)[], isCommand: boolean): Task<number> {
    const { isWhole } = this.#options;
    let code = 0;
    if (isWhole) yield* this.ask("begin");
    for (const script of scripts) {
      if (script === undefined) return 1;
      const isOne =
        isCommand &&
        !isWhole &&
        statementsOf(`${script};`).statements.length > 1 &&
        !/\b(begin|commit)\b/i.test(script);
      if (isOne) yield* this.ask("begin");
      code = yield* this.batch(script, isCommand);
      if (isOne) yield* this.ask(code === 0 ? "commit" : "rollback");
    }
    if (isWhole) yield* this.ask(code === 0 ? "commit" : "rollback");
    return code;
  }

  *include(file: string): Task<number> {
    const text = yield* fileText(this.call, file);
    return text === undefined ? 1 : yield* this.batch(text);
  }

  *batch(text: string, isCommand = false): Task<number> {
    const { process } = this.call;
    const isStopped = this.#options.stopsOnError || this.#options.isWhole;
    for (const { text: statement, data } of pieces(text)) {
      if (process.paused) return 0;
      const isDone = statement.startsWith("\\") ? yield* command(this, statement) : yield* this.#run(statement, data);
      if (isDone === "quit") return 0;
      if (isDone) continue;
      if (isCommand) return 1;
      if (isStopped) return 3;
    }
    return 0;
  }

  *typed(): Task<number> {
    const { out, input, process } = this.call;
    if (!input) return 0;
    out(
      `psql (18.1 (Debian 18.1-1.pgdg13+1)${this.version === "18.1" ? "" : `, server ${this.version}`})\nType "help" for help.\n\n`,
    );
    let text = "";
    while (!process.paused) {
      const sign = this.user === "postgres" ? "#" : ">";
      const mark = this.transaction?.hasFailed ? "!" : this.transaction ? "*" : "";
      out(`${this.database}${text === "" ? "=" : "-"}${mark}${sign} `);
      const line = yield* takeLine(process, input);
      if (line === undefined) break;
      if (text === "" && /^(exit|quit);?$/.test(line.trim())) return 0;
      if (text === "" && line.trim().startsWith("\\")) {
        if ((yield* command(this, line.trim())) === "quit") return 0;
        continue;
      }
      text += line.replace(/\\gx?\s*$/, ";\n");
      const { statements, rest } = statementsOf(text);
      for (const sql of statements) yield* this.#once(/\\gx\s*$/.test(line), sql);
      text = rest.trim() === "" ? "" : rest;
    }
    return 0;
  }

  *#once(isExpanded: boolean, sql: string): Task<void> {
    const before = this.isExpanded;
    this.isExpanded ||= isExpanded;
    yield* this.#run(sql);
    this.isExpanded = before;
  }

  *#run(text: string, data?: readonly string[]): Task<boolean> {
    const sql = this.#fillVariables(text);
    if (/^copy\b/i.test(sql)) {
      const done = yield* runCopy(this, sql, data);
      if (done !== undefined) return done;
    }
    const { out, err, process } = this.call;
    const beginMs = process.clockMs;
    const reply = yield* this.ask(sql);
    if (process.paused || reply.kind === "lost") return false;
    if (reply.kind === "refused" || reply.kind === "error") {
      err(`ERROR:  ${reply.message}\n${reply.kind === "error" ? pointer(sql, reply) : ""}`);
      return false;
    }
    if (reply.kind === "rows") this.print(reply);
    else {
      if (reply.notice !== undefined) err(`WARNING:  ${reply.notice}\n`);
      const isCounted = /^(INSERT 0|UPDATE|DELETE)$/.test(reply.tag);
      if (!this.#options.isQuiet && reply.tag !== "") out(`${reply.tag}${isCounted ? ` ${reply.changes}` : ""}\n`);
    }
    if (this.isTimed) out(`Time: ${(process.clockMs - beginMs).toFixed(3)} ms\n`);
    return true;
  }

  /** Replaces variables, which are written with a colon. */
  #fillVariables(sql: string): string {
    if (this.variables.size === 0) return sql;
    const value = (name: string, original: string, format: (text: string) => string) => {
      const variable = this.variables.get(name);
      return variable === undefined ? original : format(variable);
    };
    const quoted = sql
      .replace(/(?<!:):'(\w+)'/g, (original, name: string) => value(name, original, literal))
      .replace(/(?<!:):"(\w+)"/g, (original, name: string) => value(name, original, (text) => `"${text}"`));
    return outsideQuotes(quoted, (text) =>
      text.replace(/(?<!:):(\w+)/g, (original, name: string) => value(name, original, (text) => text)),
    );
  }

  *copy(words: string): Task<boolean> {
    return (yield* runCopy(this, words)) ?? false;
  }

  print(result: Extract<Reply, { readonly kind: "rows" }>, title?: string): void {
    this.call.out(this.table(result, title));
  }

  table(result: Extract<Reply, { readonly kind: "rows" }>, title?: string): string {
    if (this.isUnaligned) return printUnaligned(result, !this.isBare);
    if (this.isExpanded && title === undefined) return printExpanded(result);
    if (!this.isBare) return printAligned(result, title);
    return `${printAligned(result).split("\n").slice(2, -3).join("\n")}${result.rows.length > 0 ? "\n" : ""}\n`;
  }
}

/** Returns the lines that point to the place of an error in the statement. */
function pointer(sql: string, { place, detail }: Extract<Reply, { readonly kind: "error" }>): string {
  const more = detail === undefined ? "" : `DETAIL:  ${detail}\n`;
  if (place === undefined) return more;
  const before = sql.slice(0, place).split("\n");
  const line = sql.split("\n")[before.length - 1] ?? "";
  const head = `LINE ${before.length}: `;
  return `${head}${line}\n${" ".repeat(head.length + (before.at(-1)?.length ?? 0))}^\n${more}`;
}

interface Piece {
  readonly text: string;
  /** The data lines behind a COPY. */
  readonly data?: readonly string[];
}

/** Splits a text into statements and psql's commands, which end with their line. */
function pieces(text: string): Piece[] {
  const splitPieces: Piece[] = [];
  let unfinished = "";
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (unfinished.trim() === "" && line.trim().startsWith("\\")) {
      splitPieces.push({ text: line.trim() });
      continue;
    }
    unfinished += `${line}\n`;
    const { statements, rest } = statementsOf(unfinished);
    unfinished = rest;
    for (const statement of statements) {
      if (!takesData(statement)) {
        splitPieces.push({ text: statement });
        continue;
      }
      const end = lines.indexOf("\\.", at + 1);
      const last = end < 0 ? lines.length : end;
      splitPieces.push({ text: statement, data: lines.slice(at + 1, last) });
      at = last;
    }
  }
  return unfinished.trim() === "" ? splitPieces : [...splitPieces, { text: unfinished.trim() }];
}
