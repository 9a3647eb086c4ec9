// A script and how far it was read.
import type { Language, Problem } from "./problem.ts";
import { charge, hold, type Metered } from "../meter.ts";
import type { Word } from "./syntax.ts";

export interface Reader {
  readonly text: string;
  at: number;
  /** The first thing that was not understood; everything after it is left alone. */
  error: Problem | undefined;
  /** `<<EOF` whose text begins after the line's end. */
  readonly pending: Heredoc[];
  /** Who pays. */
  readonly payer: Metered;
  /** What the script takes, as far as it was read, and whether a here-document in it has no end; shared with the texts inside. */
  readonly size: { bytes: number; hasOpenHeredoc: boolean };
  readonly language: Language;
  /** The line of a place that was passed. */
  readonly known: { at: number; line: number };
}

export interface Heredoc {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly raw: boolean;
  set(text: Word): void;
}

/** `line`: the first one's number. */
export function readerOf(
  text: string,
  payer: Metered,
  language: Language,
  size: Reader["size"] = { bytes: 0, hasOpenHeredoc: false },
  line = 1,
): Reader {
  return { text, at: 0, error: undefined, pending: [], payer, size, language, known: { at: 0, line } };
}

/** For a text inside another. */
export function readerWithin(text: string, { payer, language, size, known }: Reader): Reader {
  return readerOf(text, payer, language, size, known.line);
}

/** Which line is read; what lies before is looked at once. */
export function lineOf({ text, at, known }: Reader): number {
  for (let next; (next = text.indexOf("\n", known.at)) >= 0 && next < at; known.at = next + 1) known.line++;
  return known.line;
}

/** What a part of a script takes, and what reading it costs. */
const partBytes = 128;
const partWork = 0.8;

/** One more part of a script: a word, a command, a list. */
export function count({ payer, size }: Reader): void {
  charge(payer, partWork);
  hold(payer, partBytes);
  size.bytes += partBytes;
}

/** A piece of the text that is kept beside the parts. */
export function keepText({ payer, size }: Reader, text: string): void {
  hold(payer, text.length);
  size.bytes += text.length;
}

export function peek(reader: Reader, length = 1): string {
  return reader.text.slice(reader.at, reader.at + length);
}

/** Nothing after it is read. `line`: where it is said to be; here, if it is not said. */
export function fail(reader: Reader, problem: Partial<Omit<Problem, "source">>): void {
  if (reader.error) return;
  const { text, at } = reader;
  const source = text.slice(text.lastIndexOf("\n", at - 1) + 1).split("\n", 1)[0] ?? "";
  const isOver = problem.token === undefined && problem.bad === undefined;
  const end = isOver ? text.length : at;
  const passed =
    reader.language.dialect !== "bash" && !isOver && text.charAt(at) === "\n" ? 1 : missingEnd(reader, problem);
  const line = problem.line ?? lineOf({ ...reader, at: end, known: { ...reader.known } }) + passed;
  reader.error = { ...problem, line, source };
  reader.at = text.length;
}

/** bash reads a text as if it ended with a line's end. */
function missingEnd({ text, language }: Reader, { token, bad }: Partial<Problem>): number {
  return language.dialect === "bash" && token === undefined && bad === undefined && !text.endsWith("\n") ? 1 : 0;
}

const tokens = /;;|&&|\|\||>>|<<|[;&|()<>]|\n|[^\s;&|()<>]+/y;

/** Whatever stands here has no place here. `isHere`: it has to stand in this line. */
export function unexpected(reader: Reader, expecting?: string, isHere = false): void {
  skipBlanks(reader);
  tokens.lastIndex = reader.at;
  const found = tokens.exec(reader.text)?.[0];
  const isNewline = found === "\n" || (found === undefined && isHere && reader.language.dialect === "bash");
  const token = isNewline ? "newline" : found;
  fail(reader, { ...(token === undefined ? {} : { token }), ...(expecting === undefined ? {} : { expecting }) });
}

export function take(reader: Reader, expected: string): boolean {
  if (!reader.text.startsWith(expected, reader.at)) return false;
  reader.at += expected.length;
  return true;
}

/** What a pattern finds right here (it must be sticky). */
export function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

/** Blanks, continued lines and comments. */
export function skipBlanks(reader: Reader): void {
  match(reader, /(?:[ \t\r]|\\\r?\n)*(?:#[^\n]*)?/y);
}
