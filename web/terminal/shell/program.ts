// The interface of the terminal's programs: they read, write and end with an exit code.
import { absolute } from "../../../shared/shell/paths.ts";
import type { Files } from "../../kubectl/files.ts";
import { renew, type TerminalProcess } from "./budget.ts";
import { newReader, type Reader, readAll, textSource, type Sink } from "./streams.ts";
import type { Shell } from "./shell.ts";

export interface ProgramCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly shell: Shell;
  /** Charges the program's work between two turns of the page. */
  readonly process: TerminalProcess;
  readonly input: Reader;
  readonly out: Sink;
  readonly err: Sink;
  readonly signal: AbortSignal;
}

/** Returns the exit code. A thrown `Error` is printed as `name: message`, with code 1 or that of a `Failure`. */
export type Program = (call: ProgramCall) => number | Promise<number>;

export type Programs = Readonly<Record<string, Program>>;

export interface Options {
  /** Reports whether one of these letters or long names without a value is set. */
  has(...names: readonly string[]): boolean;
  value(...names: readonly string[]): string | undefined;
  values(...names: readonly string[]): readonly string[];
  readonly rest: readonly string[];
}

/**
 * Parses options as GNU programs do, anywhere on the line. Throws on an unknown option. `spec` lists letters, and after blanks long names
 * (`--name` or `--name=`). A letter with a value is followed by a colon (`ivn:A:`), or by two if the value is optional.
 */
export function optionsOf(args: readonly string[], spec: string): Options {
  const [letters = "", ...longs] = spec.split(" ");
  const options: { name: string; value: string }[] = [];
  const rest: string[] = [];
  const takes = (letter: string) => letters[letters.indexOf(letter) + 1] === ":";
  const queue = [...args];
  for (let arg; (arg = queue.shift()) !== undefined; ) {
    if (arg === "--") {
      rest.push(...queue.splice(0));
    } else if (arg.startsWith("--")) {
      const [name = "", ...value] = arg.slice(2).split("=");
      const long = longs.find((longName) => longName.replace(/=$/, "") === `--${name}`);
      if (long === undefined) throw new Error(`unrecognized option '${arg}'`);
      options.push({
        name,
        value: value.length > 0 ? value.join("=") : long.endsWith("=") ? (queue.shift() ?? "") : "",
      });
    } else if (/^-[^-]/.test(arg)) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg.charAt(at);
        if (letter === ":" || !letters.includes(letter)) throw new Error(`invalid option -- '${letter}'`);
        if (!takes(letter)) {
          options.push({ name: letter, value: "" });
          continue;
        }
        const attached = arg.slice(at + 1);
        if (letters[letters.indexOf(letter) + 2] === ":") {
          options.push({ name: letter, value: attached });
          break;
        }
        const next = attached === "" ? queue.shift() : attached;
        if (next === undefined) throw new Error(`option requires an argument -- '${letter}'`);
        options.push({ name: letter, value: next });
        break;
      }
    } else rest.push(arg);
  }
  const values = (...names: readonly string[]) =>
    options.filter(({ name }) => names.includes(name)).map(({ value }) => value);
  return { has: (...names) => values(...names).length > 0, value: (...names) => values(...names).at(-1), values, rest };
}

export function filesOf({ shell }: Pick<ProgramCall, "shell">): Files {
  return shell.machine.kubectl.surroundings.files;
}

export function pathOf(call: Pick<ProgramCall, "shell">, name: string): string {
  return absolute(name, call.shell.folder);
}

/** Throws the error of the C library. */
export function readFile(call: Pick<ProgramCall, "shell" | "input">, name: string): string {
  const path = pathOf(call, name);
  if (path === "/dev/null") return "";
  const text = filesOf(call).read(path);
  if (text !== undefined) return text;
  throw new Error(`${name}: ${filesOf(call).list(path) ? "Is a directory" : "No such file or directory"}`);
}

/** Reads the input or the named files in order; `-` is the input. A missing file is reported and skipped. */
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

/** Yields to the page, and waits until the output is taken. */
export async function pause({ out, shell, process, signal }: ProgramCall): Promise<void> {
  await out.settled(signal);
  await shell.machine.yieldToPage(signal);
  renew(process);
}

/** Returns all inputs as one text. */
export async function wholeInput(call: ProgramCall, names: readonly string[]): Promise<{ text: string; code: number }> {
  const texts: string[] = [];
  const code = await eachInput(call, names, async (source) => void texts.push(await readAll(source, call.signal)));
  return { text: texts.join(""), code };
}
