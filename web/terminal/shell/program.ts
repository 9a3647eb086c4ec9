// What a program of the terminal is: it reads, writes and ends with a code.
import { absolute } from "../../../shared/shell/paths.ts";
import type { Files } from "../../kubectl/files.ts";
import { renew, type TerminalProcess } from "./budget.ts";
import { linesOf, newReader, type Reader, readAll, textSource, type Sink } from "./streams.ts";
import type { Shell } from "./shell.ts";

export interface ProgramCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly shell: Shell;
  /** Pays for what the program does between two turns of the page. */
  readonly process: TerminalProcess;
  readonly input: Reader;
  readonly out: Sink;
  readonly err: Sink;
  readonly signal: AbortSignal;
}

/** Gives the exit code. What it throws as an `Error` is told as `name: message`, with the code 1 or that of a `Failure`. */
export type Program = (call: ProgramCall) => number | Promise<number>;

export type Programs = Readonly<Record<string, Program>>;

export interface Options {
  /** Letters and long names without a value. */
  has(...names: readonly string[]): boolean;
  value(...names: readonly string[]): string | undefined;
  values(...names: readonly string[]): readonly string[];
  readonly rest: readonly string[];
}

/**
 * Options as GNU programs read them, anywhere on the line. `known`: letters, those with a value followed by a colon (`ivn:A:`), or by two where it stands right behind the letter or is left out, and long
 * names (`--name` or `--name=`) after blanks. What is not among them throws.
 */
export function optionsOf(args: readonly string[], known: string): Options {
  const [letters = "", ...longs] = known.split(" ");
  const found: { name: string; value: string }[] = [];
  const rest: string[] = [];
  const takes = (letter: string) => letters[letters.indexOf(letter) + 1] === ":";
  const queue = [...args];
  for (let arg; (arg = queue.shift()) !== undefined; ) {
    if (arg === "--") {
      rest.push(...queue.splice(0));
    } else if (arg.startsWith("--")) {
      const [name = "", ...value] = arg.slice(2).split("=");
      const long = longs.find((one) => one.replace(/=$/, "") === `--${name}`);
      if (long === undefined) throw new Error(`unrecognized option '${arg}'`);
      found.push({ name, value: value.length > 0 ? value.join("=") : long.endsWith("=") ? (queue.shift() ?? "") : "" });
    } else if (/^-[^-]/.test(arg)) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg.charAt(at);
        if (letter === ":" || !letters.includes(letter)) throw new Error(`invalid option -- '${letter}'`);
        if (!takes(letter)) {
          found.push({ name: letter, value: "" });
          continue;
        }
        const own = arg.slice(at + 1);
        if (letters[letters.indexOf(letter) + 2] === ":") {
          found.push({ name: letter, value: own });
          break;
        }
        const next = own === "" ? queue.shift() : own;
        if (next === undefined) throw new Error(`option requires an argument -- '${letter}'`);
        found.push({ name: letter, value: next });
        break;
      }
    } else rest.push(arg);
  }
  const values = (...names: readonly string[]) =>
    found.filter(({ name }) => names.includes(name)).map(({ value }) => value);
  return { has: (...names) => values(...names).length > 0, value: (...names) => values(...names).at(-1), values, rest };
}

export function filesOf({ shell }: Pick<ProgramCall, "shell">): Files {
  return shell.machine.kubectl.around.files;
}

export function pathOf(call: Pick<ProgramCall, "shell">, name: string): string {
  return absolute(name, call.shell.folder);
}

/** Throws as the C library says it. */
export function readFile(call: Pick<ProgramCall, "shell" | "input">, name: string): string {
  const path = pathOf(call, name);
  if (path === "/dev/null") return "";
  const text = filesOf(call).read(path);
  if (text !== undefined) return text;
  throw new Error(`${name}: ${filesOf(call).list(path) ? "Is a directory" : "No such file or directory"}`);
}

/** The input, or the files that are named one after the other, `-` being the input. A file that is not there is told of and left out. */
export async function eachInput(
  call: ProgramCall,
  names: readonly string[],
  use: (source: Reader, name: string) => Promise<void> | void,
): Promise<number> {
  if (names.length === 0) {
    await use(call.input, "-");
    return 0;
  }
  let code = 0;
  for (const name of names) {
    try {
      await use(name === "-" ? call.input : newReader(textSource(readFile(call, name))), name);
    } catch (error) {
      if (!isMissing(error, name)) throw error;
      call.err.write(`${call.name}: ${(error as Error).message}\n`);
      code = 1;
    }
  }
  return code;
}

function isMissing(error: unknown, name: string): boolean {
  return error instanceof Error && error.message.startsWith(`${name}: `);
}

/** Gives the page its turn, and waits until what was written is taken. */
export async function pause({ out, shell, process, signal }: ProgramCall): Promise<void> {
  await out.settled(signal);
  await shell.machine.breathe(signal);
  renew(process);
}

/** Prints what becomes of each line; undefined: nothing. */
export function filter(
  call: ProgramCall,
  names: readonly string[],
  change: (line: string) => string | undefined,
): Promise<number> {
  return eachInput(call, names, async (source) => {
    let count = 0;
    for await (const line of linesOf(source, call.signal)) {
      const made = change(line);
      if (made !== undefined) call.out.write(`${made}\n`);
      if (++count % 1000 === 0) await pause(call);
    }
  });
}

/** All inputs as one text. */
export async function wholeInput(call: ProgramCall, names: readonly string[]): Promise<{ text: string; code: number }> {
  const parts: string[] = [];
  const code = await eachInput(call, names, async (source) => void parts.push(await readAll(source, call.signal)));
  return { text: parts.join(""), code };
}
