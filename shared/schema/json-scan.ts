// A slow scan of a JSON text. It finds what the platform's parser does not report: duplicate fields, and the error of a malformed text in
// the words of Go's parser.

import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { limits } from "../base/limits.ts";

export interface Scan {
  readonly duplicates: string[];
  /** The position of each field, and of the second occurrence of duplicate fields. */
  readonly places: ReadonlyMap<string, number>;
  readonly error?: string;
}

export function scanJson(text: string): Scan {
  const state: State = { text, at: 0, duplicates: new Set(), places: new Map() };
  const { places } = state;
  try {
    readDocument(state);
  } catch (thrown) {
    if (thrown instanceof Malformed) return { duplicates: [...state.duplicates], places, error: thrown.message };
    throw thrown;
  }
  return { duplicates: [...state.duplicates], places };
}

class Malformed extends Error {}

interface State {
  readonly text: string;
  at: number;
  readonly duplicates: Set<string>;
  readonly places: Map<string, number>;
}

/** An object or array that is not closed yet. */
interface Open {
  readonly path: string;
  /** The keys of an object so far. */
  readonly keys: Set<string> | undefined;
  items: number;
}

/** The number of duplicates after which upstream stops. */
const maxDuplicates = 100;

function readDocument(state: State): void {
  const open: Open[] = [];
  readValue(state, open, "", "looking for beginning of value");
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (top.keys) readMember(state, open, top, top.keys);
    else readItem(state, open, top);
  }
  skipSpace(state);
  if (state.at < state.text.length) fail(state, "after top-level value");
}

function readMember(state: State, open: Open[], top: Open, keys: Set<string>): void {
  if (closes(state, open, top, "}", "after object key:value pair")) return;
  skipSpace(state);
  if (state.text[state.at] !== '"') fail(state, "looking for beginning of object key string");
  const key = readString(state);
  const path = top.path ? `${top.path}.${key}` : key;
  const isKnown = keys.has(key);
  if (!isKnown || !state.duplicates.has(path)) state.places.set(path, state.at);
  if (isKnown && state.duplicates.size < maxDuplicates) state.duplicates.add(path);
  keys.add(key);
  skipSpace(state);
  if (state.text[state.at] !== ":") fail(state, "after object key");
  state.at++;
  top.items++;
  readValue(state, open, path, "looking for beginning of value");
}

function readItem(state: State, open: Open[], top: Open): void {
  if (closes(state, open, top, "]", "after array element")) return;
  const path = `${top.path}[${top.items}]`;
  top.items++;
  readValue(state, open, path, "looking for beginning of value");
}

/** Reports whether the closing bracket is next. Otherwise it skips the comma before the next item, if there is one. */
function closes(state: State, open: Open[], top: Open, bracket: string, where: string): boolean {
  skipSpace(state);
  const here = state.text[state.at];
  if (here === bracket) {
    state.at++;
    open.pop();
    return true;
  }
  if (top.items === 0) return false;
  if (here !== ",") fail(state, where);
  state.at++;
  return false;
}

function readValue(state: State, open: Open[], path: string, where: string): void {
  skipSpace(state);
  const here = state.text[state.at] ?? "";
  if (here === "{" || here === "[") {
    if (open.length > limits.jsonDepth) throw new Malformed("exceeded max depth");
    state.at++;
    open.push({ path, keys: here === "{" ? new Set() : undefined, items: 0 });
  } else if (here === '"') {
    readString(state);
  } else if (here === "-" || isDigit(here)) {
    readNumber(state);
  } else {
    const literal = ["true", "false", "null"].find((literalText) => here !== "" && literalText.startsWith(here));
    if (!literal) fail(state, where);
    readLiteral(state, literal);
  }
}

function readLiteral(state: State, literal: string): void {
  for (const [index, letter] of [...literal].entries()) {
    if (index > 0 && state.text[state.at] !== letter) {
      fail(state, `in literal ${literal} (expecting ${quote(letter)})`);
    }
    state.at++;
  }
}

function readNumber(state: State): void {
  if (state.text[state.at] === "-") state.at++;
  if (state.text[state.at] === "0") state.at++;
  else readDigits(state, "in numeric literal");
  if (state.text[state.at] === ".") {
    state.at++;
    readDigits(state, "after decimal point in numeric literal");
  }
  if (state.text[state.at] === "e" || state.text[state.at] === "E") {
    state.at++;
    if (state.text[state.at] === "+" || state.text[state.at] === "-") state.at++;
    readDigits(state, "in exponent of numeric literal");
  }
}

function readDigits(state: State, where: string): void {
  if (!isDigit(state.text[state.at] ?? "")) fail(state, where);
  while (isDigit(state.text[state.at] ?? "")) state.at++;
}

/** Characters of a string without escapes. */
const plain = /[^"\\\x00-\x1f]*/y;

function readString(state: State): string {
  const start = state.at;
  state.at++;
  for (;;) {
    plain.lastIndex = state.at;
    plain.test(state.text);
    state.at = plain.lastIndex;
    const here = state.text[state.at] ?? "";
    if (here === "" || here < " ") fail(state, "in string literal");
    state.at++;
    if (here === '"') return JSON.parse(state.text.slice(start, state.at)) as string;
    if (here === "\\") readEscape(state);
  }
}

function readEscape(state: State): void {
  const here = state.text[state.at] ?? "";
  if (here === "" || !'bfnrt\\/"u'.includes(here)) fail(state, "in string escape code");
  state.at++;
  if (here !== "u") return;
  for (let digit = 0; digit < 4; digit++) {
    if (!/^[0-9a-fA-F]$/.test(state.text[state.at] ?? "")) fail(state, "in \\u hexadecimal character escape");
    state.at++;
  }
}

function skipSpace(state: State): void {
  while (state.at < state.text.length && " \t\r\n".includes(state.text[state.at] ?? "")) state.at++;
}

function isDigit(letter: string): boolean {
  return letter >= "0" && letter <= "9";
}

function fail(state: State, where: string): never {
  const here = state.text.codePointAt(state.at);
  if (here === undefined) throw new Malformed("unexpected end of JSON input");
  // Upstream's parser prints bytes.
  const [byte = here] = getTextEncoding().encodeUtf8(String.fromCodePoint(here));
  throw new Malformed(`invalid character ${quote(String.fromCodePoint(byte))} ${where}`);
}

/** Quotes a character like Go does in these messages. */
function quote(letter: string): string {
  if (letter === "'") return "'\\''";
  if (letter === '"') return "'\"'";
  if (/[\0-\x06\x0e-\x1f\x7f]/.test(letter)) return `'\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}'`;
  return `'${JSON.stringify(letter).slice(1, -1)}'`;
}
