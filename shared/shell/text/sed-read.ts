// The parser of sed scripts: commands with their addresses.
import { isPattern, type Pattern } from "../../base/pattern.ts";
import { unescaped } from "../escapes.ts";
import { charge, leaveLevel, enterLevel, hold } from "../meter.ts";
import type { TextCall } from "./call.ts";
import { regularExpression } from "../patterns/regular.ts";

export type Address =
  | { readonly line: number }
  | { readonly last: true }
  | { readonly pattern: Pattern }
  | { readonly from: number; readonly step: number };

export interface Command {
  readonly from: Address | undefined;
  readonly to: Address | { readonly more: number } | undefined;
  readonly isNot: boolean;
  readonly name: string;
  readonly text: string;
  readonly pattern?: Pattern;
  readonly modes?: string;
  readonly list: readonly Command[];
  /** Whether the range is open, and where it ends. */
  readonly state: { isOpen: boolean; end: number };
}

export class SedError extends Error {}

export interface Reading {
  readonly call: TextCall;
  readonly script: string;
  readonly isExtended: boolean;
  at: number;
}

function broken({ call, script, at }: Reading, why: string): never {
  throw new SedError(
    call.tools === "busybox" ? why : `-e expression #1, char ${Math.max(at, Math.min(1, script.length))}: ${why}`,
  );
}

export function readCommands(reading: Reading, isInner: boolean): Command[] {
  const { script, call } = reading;
  const commands: Command[] = [];
  enterLevel(call.process);
  for (;;) {
    while (/[\s;]/.test(script.charAt(reading.at)) && reading.at < script.length) reading.at++;
    if (reading.at >= script.length) {
      if (isInner) broken(reading, "unmatched `{'");
      break;
    }
    if (script.charAt(reading.at) === "}") {
      if (!isInner) broken(reading, "unexpected `}'");
      reading.at++;
      break;
    }
    if (script.charAt(reading.at) === "#") {
      const end = script.indexOf("\n", reading.at);
      reading.at = end < 0 ? script.length : end;
      continue;
    }
    charge(call.process, 1);
    hold(call.process, 192);
    commands.push(readCommand(reading));
  }
  leaveLevel(call.process);
  return commands;
}

function readCommand(reading: Reading): Command {
  const { script } = reading;
  const from = readAddress(reading);
  let to: Command["to"];
  skipBlanks(reading);
  if (from && script.charAt(reading.at) === ",") {
    reading.at++;
    skipBlanks(reading);
    const more = /^\+(\d+)/.exec(script.slice(reading.at, reading.at + 12));
    if (more) reading.at += more[0].length;
    to = more ? { more: Number(more[1]) } : readAddress(reading);
    if (!to) broken(reading, "unexpected `,'");
  }
  skipBlanks(reading);
  const isNot = script.charAt(reading.at) === "!";
  if (isNot) reading.at++;
  skipBlanks(reading);
  const name = script.charAt(reading.at++);
  const command = { from, to, isNot, name, text: "", list: [], state: { isOpen: false, end: 0 } };
  if (name === "") broken(reading, "missing command");
  if (name === "{") return { ...command, list: readCommands(reading, true) };
  if (name === "s" || name === "y") return { ...command, ...readParts(reading, name) };
  if ("aic".includes(name)) return { ...command, text: readText(reading) };
  if ("btr:w".includes(name)) {
    const end = /[;\n}]|$/.exec(script.slice(reading.at))?.index ?? 0;
    const text = script.slice(reading.at, reading.at + end).trim();
    reading.at += end;
    return { ...command, text };
  }
  if (!"dDpPnNqQ=gGhHxl".includes(name)) broken(reading, `unknown command: \`${name}'`);
  const code = /^\s*(\d+)/.exec(script.slice(reading.at, reading.at + 8));
  if (code && (name === "q" || name === "Q")) reading.at += code[0].length;
  skipBlanks(reading);
  if (reading.at < script.length && !/[;\n}#]/.test(script.charAt(reading.at)))
    broken(reading, "extra characters after command");
  return { ...command, text: code?.[1] ?? "" };
}

function skipBlanks(reading: Reading): void {
  while (/[ \t]/.test(reading.script.charAt(reading.at))) reading.at++;
}

function readAddress(reading: Reading): Address | undefined {
  const { script } = reading;
  const here = script.slice(reading.at, reading.at + 24);
  const [number, first = "", step] = /^(\d+)(?:~(\d+))?/.exec(here) ?? [];
  if (number !== undefined) {
    reading.at += number.length;
    return step === undefined ? { line: Number(first) } : { from: Number(first), step: Number(step) };
  }
  if (here.startsWith("$")) {
    reading.at++;
    return { last: true };
  }
  if (!/^(\/|\\[^\n])/.test(here)) return undefined;
  const mark = here.startsWith("/") ? "/" : here.charAt(1);
  reading.at += here.startsWith("/") ? 1 : 2;
  const source = upTo(reading, mark, "unterminated address regex");
  const ignoresCase = script.charAt(reading.at) === "I";
  if (ignoresCase) reading.at++;
  return { pattern: patternOf(reading, source, ignoresCase) };
}

function patternOf(reading: Reading, source: string, ignoresCase: boolean): Pattern {
  const { call, isExtended, script } = reading;
  const compiled = regularExpression(call.process, source, { isExtended, ignoresCase });
  if (isPattern(compiled)) return compiled;
  reading.at = script.length;
  return broken(reading, call.tools === "busybox" ? `bad regex '${source}': ${compiled.error}` : compiled.error);
}

/** Reads up to the delimiter. An escaped delimiter is part of the text. */
function upTo(reading: Reading, mark: string, problem: string): string {
  const { script } = reading;
  let text = "";
  let inSet = false;
  for (; reading.at < script.length; reading.at++) {
    const letter = script.charAt(reading.at);
    if (letter === "\\" && !inSet) {
      const next = script.charAt(++reading.at);
      text += next === mark ? next : letter + next;
    } else if (letter === mark && !inSet) {
      reading.at++;
      return text;
    } else {
      if (letter === "[" && mark !== "[") inSet ||= script.indexOf("]", reading.at + 2) > 0;
      else if (letter === "]" && !text.endsWith("[") && !text.endsWith("[^")) inSet = false;
      text += letter;
    }
  }
  return broken(reading, problem);
}

function readParts(reading: Reading, name: "s" | "y"): Pick<Command, "text" | "modes"> & { pattern?: Pattern } {
  const { script } = reading;
  const mark = script.charAt(reading.at++);
  const problem = `unterminated \`${name}' command`;
  if (mark === "" || mark === "\n" || mark === "\\") broken(reading, problem);
  const source = upTo(reading, mark, problem);
  const to = target(reading, mark, problem);
  if (name === "y") return { text: unescaped(to), modes: unescaped(source) };
  const modes = /^[gpiImM\d]*/.exec(script.slice(reading.at, reading.at + 12))?.[0] ?? "";
  reading.at += modes.length;
  skipBlanks(reading);
  if (reading.at < script.length && !/[;\n}#]/.test(script.charAt(reading.at)))
    broken(reading, "unknown option to `s'");
  return { text: to, modes, pattern: patternOf(reading, source, /i/i.test(modes)) };
}

/** Reads the replacement, in which brackets are not special. */
function target(reading: Reading, mark: string, problem: string): string {
  const { script } = reading;
  let text = "";
  for (; reading.at < script.length; reading.at++) {
    const letter = script.charAt(reading.at);
    if (letter === mark) {
      reading.at++;
      return text;
    }
    if (letter !== "\\") text += letter;
    else {
      const next = script.charAt(++reading.at);
      text += next === mark && next !== "&" ? next : letter + next;
    }
  }
  return broken(reading, problem);
}

const textEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

/** Reads `a text`, or `a\` with the text in the next line. */
function readText(reading: Reading): string {
  const { script } = reading;
  // After a backslash the blanks before the text are part of it.
  const [lead] = /^[ \t]*(?:\\\n?)?/.exec(script.slice(reading.at)) ?? [""];
  reading.at += lead.length;
  if (!lead.includes("\\")) skipBlanks(reading);
  let text = "";
  for (; reading.at < script.length && script.charAt(reading.at) !== "\n"; reading.at++) {
    const letter = script.charAt(reading.at);
    const next = letter === "\\" ? script.charAt(++reading.at) : letter;
    text += letter === "\\" ? (textEscapes[next] ?? next) : letter;
  }
  return text;
}
