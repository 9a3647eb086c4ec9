// The connection of MySQL's client programs: options, the password, and the session with its transaction.
import type { Task } from "../../../../shared/shell/task.ts";
import { isTyped, takeLine } from "../../shell/input.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Opened } from "../../shell/programs/connection.ts";
import { askDatabase } from "../../databases/connection.ts";
import type { Reply } from "../../databases/dialect.ts";
import type { Transaction } from "../../databases/transactions.ts";

export interface Options {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly execute: string | undefined;
  readonly isBoxed: boolean;
  readonly hasHead: boolean;
  readonly isForced: boolean;
  /** Whether each column is printed on its own line. */
  readonly isVertical: boolean;
  /** The names of the options that are set, long ones and letters. */
  readonly names: ReadonlySet<string>;
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
  vertical: "E",
};

export function optionsOf({ args, shell }: ProgramCall): Options {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name = "", attachedValue] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const letter = name === "" ? (/^-(\w)/.exec(arg)?.[1] ?? "") : (long[name] ?? name);
    if (letter === "") {
      rest.push(arg);
      continue;
    }
    const attached = name === "" ? arg.slice(2) : attachedValue;
    const takes = "hPuDe".includes(letter) && letter.length === 1;
    // A password directly follows its letter; otherwise the program prompts for it.
    values.set(letter, attached || (takes ? (args[++at] ?? "") : ""));
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
    isVertical: values.has("E"),
    names: new Set(values.keys()),
    rest,
  };
}

/** The clients' warning about a password on the command line. */
export const insecure = "Using a password on the command line interface can be insecure.";

/** Prompts for a password if it is needed. The typed password is not shown. */
export function* withPassword(call: ProgramCall, options: Options): Task<Options | undefined> {
  const { input, err, out, process } = call;
  if (options.password !== "") return options;
  const isTerminal = isTyped(input) && input.isTerminal;
  (isTerminal ? out : err)("Enter password: ");
  const line = input ? yield* takeLine(process, input) : "";
  if (isTerminal) out("\n");
  if (process.paused) return undefined;
  return { ...options, password: line?.replace(/\n$/, "") || undefined };
}

export class MysqlSession {
  readonly call: ProgramCall;
  readonly options: Options;
  database: string;
  #transaction: Transaction | undefined;

  constructor(call: ProgramCall, options: Options) {
    this.call = call;
    this.options = options;
    this.database = options.database;
  }

  /** Sends a statement. Returns the reply, or the result of the connection. */
  *ask(sql: string): Task<Reply | Opened> {
    const { user, password, host, port } = this.options;
    const place = { host: host === "localhost" ? "127.0.0.1" : host, port };
    const transaction = this.#transaction;
    const { reply } = yield* askDatabase(this.call.process, place, {
      user,
      password,
      database: this.database,
      sql,
      ...(transaction ? { transaction } : {}),
    });
    if ("reached" in reply) return reply;
    this.#transaction = reply.transaction;
    if (reply.kind === "done" && reply.tag.startsWith("use ")) this.database = reply.tag.slice("use ".length);
    return reply;
  }
}

export function lost({ reached }: Opened, host: string, port: number): string {
  if (reached.kind === "unresolved") return `ERROR 2005 (HY000): Unknown MySQL server host '${host}' (-2)\n`;
  if (host === "localhost")
    return "ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)\n";
  const number = { refused: 111, unreachable: 113 }[reached.kind as string] ?? 110;
  return `ERROR 2003 (HY000): Can't connect to MySQL server on '${host}:${port}' (${number})\n`;
}
