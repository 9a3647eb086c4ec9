// The parser of words: quotes, variables, command substitution and arithmetic.
import { charge, leaveLevel, enterLevel } from "../meter.ts";
import { unescaped } from "../escapes.ts";
import { count, fail, lineOf, match, peek, type Reader, readerWithin, skipBlanks, take, unexpected } from "./reader.ts";
import type { List, Piece, Word } from "./syntax.ts";

/** Reads the commands inside `$( )`. Passed in, since commands consist of words. */
export type ReadList = (reader: Reader) => List;

/** Reads a word up to a blank or an operator; undefined if there is none. `raw`: operators are ordinary characters, as in `[[ ]]`. */
export function readWord(reader: Reader, readList: ReadList, raw = false): Word | undefined {
  const pieces: Piece[] = [];
  const from = reader.at;
  while (reader.at < reader.text.length) {
    const nextPieces = readPart(reader, readList, raw ? /[^\s'"\\$`]+/y : /[^\s;|&()<>'"\\$`]+/y);
    if (nextPieces === undefined) break;
    count(reader);
    for (const piece of nextPieces) pieces.push(piece);
  }
  return reader.at > from ? pieces : undefined;
}

function readPart(reader: Reader, readList: ReadList, plain: RegExp): Piece[] | undefined {
  const text = match(reader, plain);
  if (text !== undefined) return [{ type: "text", text, quoted: false }];
  if (peek(reader, 2) === "<(" && reader.language.dialect !== "dash") return [readFile(reader, readList)];
  if (take(reader, "'")) return [{ type: "text", text: until(reader, "'"), quoted: true }];
  if (take(reader, '"')) return readDouble(reader, readList);
  if (take(reader, "\\\n")) return [];
  if (take(reader, "\\")) {
    const escaped = peek(reader);
    reader.at++;
    return [{ type: "text", text: escaped, quoted: true }];
  }
  return readExpansion(reader, readList, false);
}

/** Reads `<(list)`. */
function readFile(reader: Reader, readList: ReadList): Piece {
  reader.at += 2;
  return { type: "file", list: substituted(reader, readList), quoted: false };
}

/** Reads commands up to the closing bracket. */
function substituted(reader: Reader, readList: ReadList): List {
  const list = readList(reader);
  skipBlanks(reader);
  if (!take(reader, ")")) {
    if (reader.at < reader.text.length) unexpected(reader, ")");
    else fail(reader, { open: ")" });
  }
  return list;
}

/** Reads the text between double quotes, after the first of them. */
function readDouble(reader: Reader, readList: ReadList): Piece[] {
  const pieces: Piece[] = [{ type: "text", text: "", quoted: true }];
  const line = lineOf(reader);
  while (!take(reader, '"')) {
    if (reader.at >= reader.text.length) {
      unclosed(reader, '"', line);
      return pieces;
    }
    count(reader);
    for (const piece of readQuoted(reader, readList, /[^"\\$`]+/y, /[$`"\\]/)) pieces.push(piece);
  }
  return pieces;
}

function readQuoted(reader: Reader, readList: ReadList, plain: RegExp, escapes: RegExp): Piece[] {
  const text = match(reader, plain);
  if (text !== undefined) return [{ type: "text", text, quoted: true }];
  if (take(reader, "\\\n")) return [];
  if (take(reader, "\\")) {
    const next = peek(reader);
    if (!escapes.test(next)) return [{ type: "text", text: "\\", quoted: true }];
    reader.at++;
    return [{ type: "text", text: next, quoted: true }];
  }
  return readExpansion(reader, readList, true) ?? [];
}

/** Reads the text of a here-document. */
export function quotedText(text: string, outer: Reader, readList: ReadList): Word {
  const reader = readerWithin(text, outer);
  const pieces: Piece[] = [];
  while (reader.at < reader.text.length) {
    count(reader);
    for (const piece of readQuoted(reader, readList, /[^\\$`]+/y, /[$`\\]/)) pieces.push(piece);
  }
  return pieces;
}

function readExpansion(reader: Reader, readList: ReadList, quoted: boolean): Piece[] | undefined {
  if (take(reader, "`")) return [{ type: "command", list: readList(readerWithin(backquoted(reader), reader)), quoted }];
  if (!take(reader, "$")) return undefined;
  if (take(reader, "((")) return [{ type: "arithmetic", expression: arithmetic(reader, readList), quoted }];
  if (take(reader, "(")) {
    return [{ type: "command", list: substituted(reader, readList), quoted }];
  }
  if (take(reader, "{")) return [readBraced(reader, readList, quoted)];
  const isBash = has(reader, "bash");
  if (!quoted && (isBash || reader.language.dialect === "ash") && take(reader, "'"))
    return [{ type: "text", text: unescaped(escapedQuote(reader)), quoted: true }];
  // Bash would translate this text.
  if (!quoted && isBash && peek(reader) === '"') return [];
  const name = match(reader, /[A-Za-z_]\w*|[0-9@*#?$!-]/y);
  if (name === undefined) return [{ type: "text", text: "$", quoted }];
  return [{ type: "variable", name, operator: "", argument: [], quoted }];
}

/** Reports whether the syntax of a shell is accepted. */
export function has({ language: { dialect, isStrict } }: Reader, required: "bash" | "ash"): boolean {
  return !isStrict || dialect === required || dialect === "bash";
}

const plainName = "(?:[A-Za-z_]\\w*|\\d+|[@*#?$!-])";
/** The pattern of `x`, `!x` and `list[2]`. */
const listName = new RegExp(`!?${plainName}(?:\\[[^\\]]*\\])?`, "y");
const name = new RegExp(plainName, "y");

/** Reads `${name}`, `${name:-word}`, `${#name}`, `${name%pattern}`, `${name/from/to}`, `${name[index]}` or `${!name}`. */
function readBraced(reader: Reader, readList: ReadList, quoted: boolean): Piece {
  const from = reader.at;
  const length = match(reader, /#(?=[A-Za-z_@*\d])/y) !== undefined;
  const variable = match(reader, has(reader, "bash") ? listName : name) ?? "";
  const operators = has(reader, "bash")
    ? /:?[-=?+]|##?|%%?|\/[/#%]?|\^\^?|,,?|@[A-Za-z]|:/y
    : has(reader, "ash")
      ? /:?[-=?+]|##?|%%?|\/\/?|:/y
      : /:?[-=?+]|##?|%%?/y;
  const operator = length ? "length" : (match(reader, operators) ?? "");
  const isBad = variable === "" || ((operator === "" || length) && peek(reader) !== "}");
  const argument = bracedWord(reader, readList);
  if (!isBad) return { type: "variable", name: variable, operator, argument, quoted };
  const text = reader.text.slice(from, reader.at - 1);
  return { type: "variable", name: "", operator: "bad", argument: [{ type: "text", text, quoted: true }], quoted };
}

/** Reads up to the closing brace. */
function bracedWord(reader: Reader, readList: ReadList): Word {
  const argument: Piece[] = [];
  const line = lineOf(reader);
  enterLevel(reader.payer);
  while (!take(reader, "}")) {
    if (reader.at >= reader.text.length) {
      fail(reader, { open: "}", line });
      break;
    }
    const nextPieces = readPart(reader, readList, /[^}'"\\$`<]+|<(?!\()/y);
    count(reader);
    if (nextPieces) for (const piece of nextPieces) argument.push(piece);
    else reader.at++;
  }
  leaveLevel(reader.payer);
  return argument;
}

/** Reads up to the closing `))`. */
export function arithmetic(reader: Reader, readList: ReadList): Word {
  const pieces: Piece[] = [];
  const line = lineOf(reader);
  enterLevel(reader.payer);
  for (let depth = 0; reader.at < reader.text.length; ) {
    if (depth === 0 && take(reader, "))")) {
      leaveLevel(reader.payer);
      return pieces;
    }
    const text = match(reader, /[^()$`"\\]+|[()"\\]/y);
    if (text === undefined) {
      count(reader);
      for (const piece of readExpansion(reader, readList, true) ?? []) pieces.push(piece);
      continue;
    }
    charge(reader.payer, 0.2);
    if (text === "(") depth++;
    if (text === ")") depth--;
    const last = pieces.at(-1);
    const bare = text.replace(/["\\]/, "");
    if (last?.type === "text") pieces[pieces.length - 1] = { ...last, text: last.text + bare };
    else {
      count(reader);
      pieces.push({ type: "text", text: bare, quoted: false });
    }
  }
  leaveLevel(reader.payer);
  fail(reader, reader.language.dialect === "bash" ? { open: ")", line } : { open: "))" });
  return pieces;
}

function until(reader: Reader, quote: string): string {
  const end = reader.text.indexOf(quote, reader.at);
  if (end < 0) {
    unclosed(reader, quote, lineOf(reader));
    return "";
  }
  const text = reader.text.slice(reader.at, end);
  reader.at = end + 1;
  return text;
}

/** Records an unclosed quote. Bash reports the line where it begins, other shells the line where the text ends. */
function unclosed(reader: Reader, open: string, line: number): void {
  reader.at = reader.text.length;
  fail(reader, reader.language.dialect === "bash" ? { open, line } : { open });
}

/** Reads the text of `$'...'`, in which a backslash escapes a quote. */
function escapedQuote(reader: Reader): string {
  const text = match(reader, /(?:[^'\\]|\\[^])*/y) ?? "";
  if (!take(reader, "'")) unclosed(reader, "'", lineOf(reader));
  return text;
}

function backquoted(reader: Reader): string {
  const texts: string[] = [];
  for (let next; (next = match(reader, /[^`\\]+|\\./y)) !== undefined; ) texts.push(next);
  const text = texts.join("");
  if (!take(reader, "`")) unclosed(reader, "`", lineOf(reader));
  return text.replace(/\\([`$\\])/g, "$1");
}
