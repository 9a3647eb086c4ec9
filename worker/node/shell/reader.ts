// A script and how far it was read.
import { charge, hold, type Metered } from "./meter.ts";
import type { Word } from "./syntax.ts";

export interface Reader {
  readonly text: string;
  at: number;
  /** The first thing that was not understood; everything after it is left alone. */
  error: string | undefined;
  /** `<<EOF` whose text begins after the line's end. */
  readonly pending: Heredoc[];
  /** Who pays. */
  readonly payer: Metered;
  /** What the script takes, as far as it was read; shared with the texts inside. */
  readonly size: { bytes: number };
}

export interface Heredoc {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly raw: boolean;
  set(text: Word): void;
}

export function readerOf(text: string, payer: Metered, size: Reader["size"] = { bytes: 0 }): Reader {
  return { text, at: 0, error: undefined, pending: [], payer, size };
}

/** What a part of a script takes, and what reading it costs. */
const partBytes = 128;
const partWork = 0.5;

/** One more part of a script: a word, a command, a list. */
export function count({ payer, size }: Reader): void {
  charge(payer, partWork);
  hold(payer, partBytes);
  size.bytes += partBytes;
}

export function peek(reader: Reader, length = 1): string {
  return reader.text.slice(reader.at, reader.at + length);
}

export function fail(reader: Reader, error: string): void {
  reader.error ??= error;
  reader.at = reader.text.length;
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
