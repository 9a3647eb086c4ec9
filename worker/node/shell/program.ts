// What a program of the simulated images is: it reads, prints, takes time and ends with a code.
import { charge, hold } from "./meter.ts";
import type { Process } from "./process.ts";
import type { Input, Shell, Sink } from "./shell.ts";

export interface Call {
  readonly shell: Shell;
  readonly process: Process;
  readonly name: string;
  /** As it was asked for: the name, or a path. */
  readonly path: string;
  readonly args: readonly string[];
  readonly input: Input | undefined;
  readonly out: Sink;
  readonly err: Sink;
}

/** Returns its exit code. */
export type Program = (call: Call) => number;

export type Programs = Readonly<Record<string, Program>>;

/** Options in one letter (`-n`, `-rf`), options with a value, and what is left. */
export function options(
  args: readonly string[],
  withValue = "",
): { readonly flags: ReadonlySet<string>; readonly values: ReadonlyMap<string, string>; readonly rest: string[] } {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      rest.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      if (equals < 0) flags.add(arg.slice(2));
      else values.set(arg.slice(2, equals), arg.slice(equals + 1));
    } else if (/^-./.test(arg)) at += letters(arg, args[at + 1], withValue, flags, values);
    else rest.push(arg);
  }
  return { flags, values, rest };
}

/** Returns how many of the following arguments it used. */
function letters(
  arg: string,
  following: string | undefined,
  withValue: string,
  flags: Set<string>,
  values: Map<string, string>,
): number {
  for (let at = 1; at < arg.length; at++) {
    const letter = arg[at] ?? "";
    if (!withValue.includes(letter)) {
      flags.add(letter);
      continue;
    }
    const own = arg.slice(at + 1);
    values.set(letter, own === "" ? (following ?? "") : own);
    return own === "" ? 1 : 0;
  }
  return 0;
}

/** Lines without their ends; a text that ends with a line's end has no empty last line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Lines that are paid for in between: so many at once. */
const linesAtOnce = 256;
const lineWork = 0.15;
const lineBytes = 32;

/** As `linesOf`, for a text of any size: what the lines take is held until `use` is done with them. */
export function withLines<Result>(process: Process, text: string, use: (lines: string[]) => Result): Result {
  const lines: string[] = [];
  let bytes = 0;
  charge(process, text.length / 512);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    lines.push(text.slice(at, end < 0 ? undefined : end));
    at = end < 0 ? text.length : end + 1;
    if (lines.length % linesAtOnce !== 1) continue;
    charge(process, linesAtOnce * lineWork);
    hold(process, linesAtOnce * lineBytes);
    bytes += linesAtOnce * lineBytes;
  }
  const result = use(lines);
  hold(process, -bytes);
  return result;
}

/** A text that grows piece by piece, each paid for before the next is made. */
export class Growing {
  readonly #process: Process;
  #parts: string[] = [];
  #bytes = 0;

  constructor(process: Process) {
    this.#process = process;
  }

  add(piece: string): void {
    const bytes = piece.length + 8;
    charge(this.#process, 0.1 + bytes / 1024);
    hold(this.#process, bytes);
    this.#bytes += bytes;
    this.#parts.push(piece);
  }

  /** All of it; what it takes is from now on whose it is. */
  take(): string {
    hold(this.#process, -this.#bytes);
    this.#bytes = 0;
    return this.#parts.splice(0).join("");
  }
}

/** Lines with their ends. */
export function printedLines(process: Process, lines: Iterable<string>): string {
  const text = new Growing(process);
  for (const line of lines) text.add(`${line}\n`);
  return text.take();
}
