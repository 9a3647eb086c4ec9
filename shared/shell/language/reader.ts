// A script and the position up to which it was read.
import type { Language, Problem } from "./problem.ts";
import { charge, hold, type Metered } from "../meter.ts";
import type { Word } from "./syntax.ts";

export interface Reader {
  readonly text: string;
  at: number;
  /** The first error. Everything after it is ignored. */
  error: Problem | undefined;
  /** Here-documents whose text begins after the end of the line. */
  readonly pending: Heredoc[];
  /** The process that is charged. */
  readonly payer: Metered;
  /** The memory of the script so far, and whether a here-document in it has no end. Inner texts share it. */
  readonly size: { bytes: number; hasOpenHeredoc: boolean };
  readonly language: Language;
  /** A position that was passed, and its line. */
  readonly counted: { at: number; line: number };
}

export interface Heredoc {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly raw: boolean;
  set(text: Word): void;
}

/** Creates a reader. `line`: the number of the first line. */
export function readerOf(
  text: string,
  payer: Metered,
  language: Language,
  size: Reader["size"] = { bytes: 0, hasOpenHeredoc: false },
  line = 1,
): Reader {
  return { text, at: 0, error: undefined, pending: [], payer, size, language, counted: { at: 0, line } };
}

/** Creates a reader for a text inside another. */
export function readerWithin(text: string, { payer, language, size, counted }: Reader): Reader {
  return readerOf(text, payer, language, size, counted.line);
}

/** Returns the current line. Text before it is only counted once. */
export function lineOf({ text, at, counted }: Reader): number {
  for (let next; (next = text.indexOf("\n", counted.at)) >= 0 && next < at; counted.at = next + 1) counted.line++;
  return counted.line;
}

/** Bytes of a node of the syntax tree, and the work of reading it. */
const nodeBytes = 128;
const partWork = 0.8;

/** Counts one more node: a word, a command, a list. */
export function count({ payer, size }: Reader): void {
  charge(payer, partWork);
  hold(payer, nodeBytes);
  size.bytes += nodeBytes;
}

/** Holds the memory of a text that is stored in a node. */
export function keepText({ payer, size }: Reader, text: string): void {
  hold(payer, text.length);
  size.bytes += text.length;
}

export function peek(reader: Reader, length = 1): string {
  return reader.text.slice(reader.at, reader.at + length);
}

/** Records an error, after which nothing is read. `line`: the reported line; the default is the current one. */
export function fail(reader: Reader, problem: Partial<Omit<Problem, "source">>): void {
  if (reader.error) return;
  const { text, at } = reader;
  const source = text.slice(text.lastIndexOf("\n", at - 1) + 1).split("\n", 1)[0] ?? "";
  const isOver = problem.token === undefined && problem.bad === undefined;
  const end = isOver ? text.length : at;
  const passed =
    reader.language.dialect !== "bash" && !isOver && text.charAt(at) === "\n" ? 1 : missingEnd(reader, problem);
  const line = problem.line ?? lineOf({ ...reader, at: end, counted: { ...reader.counted } }) + passed;
  reader.error = { ...problem, line, source };
  reader.at = text.length;
}

/** Returns 1 if the text has no newline at its end. Bash reads it as if it had one. */
function missingEnd({ text, language }: Reader, { token, bad }: Partial<Problem>): number {
  return language.dialect === "bash" && token === undefined && bad === undefined && !text.endsWith("\n") ? 1 : 0;
}

const tokens = /;;|&&|\|\||>>|<<|[;&|()<>]|\n|[^\s;&|()<>]+/y;

/** Records that the next token is unexpected. `isHere`: something had to follow in this line. */
export function unexpected(reader: Reader, expecting?: string, isHere = false): void {
  skipBlanks(reader);
  tokens.lastIndex = reader.at;
  const foundToken = tokens.exec(reader.text)?.[0];
  const isNewline = foundToken === "\n" || (foundToken === undefined && isHere && reader.language.dialect === "bash");
  const reportedToken = isNewline ? "newline" : foundToken;
  fail(reader, {
    ...(reportedToken === undefined ? {} : { token: reportedToken }),
    ...(expecting === undefined ? {} : { expecting }),
  });
}

export function take(reader: Reader, expected: string): boolean {
  if (!reader.text.startsWith(expected, reader.at)) return false;
  reader.at += expected.length;
  return true;
}

/** Matches a sticky pattern at the current position. */
export function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const matched = pattern.exec(reader.text)?.[0];
  if (matched !== undefined) reader.at += matched.length;
  return matched;
}

/** Skips blanks, continued lines and comments. */
export function skipBlanks(reader: Reader): void {
  match(reader, /(?:[ \t\r]|\\\r?\n)*(?:#[^\n]*)?/y);
}
