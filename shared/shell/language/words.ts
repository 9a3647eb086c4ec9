// Reads words: quotes, variables, command substitution and arithmetic.
import { charge, comeBack, enter } from "../meter.ts";
import { unescaped } from "../escapes.ts";
import { count, fail, lineOf, match, peek, type Reader, readerWithin, skipBlanks, take, unexpected } from "./reader.ts";
import type { List, Part, Word } from "./syntax.ts";

/** Reads the commands inside `$( )`; handed in, since commands consist of words. */
export type ReadList = (reader: Reader) => List;

/** A word, up to a blank or an operator; undefined if none stands here. `raw`: operators are ordinary letters, as in `[[ ]]`. */
export function readWord(reader: Reader, readList: ReadList, raw = false): Word | undefined {
  const parts: Part[] = [];
  const from = reader.at;
  while (reader.at < reader.text.length) {
    const part = readPart(reader, readList, raw ? /[^\s'"\\$`]+/y : /[^\s;|&()<>'"\\$`]+/y);
    if (part === undefined) break;
    count(reader);
    for (const one of part) parts.push(one);
  }
  return reader.at > from ? parts : undefined;
}

function readPart(reader: Reader, readList: ReadList, plain: RegExp): Part[] | undefined {
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

/** `<(list)`. */
function readFile(reader: Reader, readList: ReadList): Part {
  reader.at += 2;
  return { type: "file", list: substituted(reader, readList), quoted: false };
}

/** Commands up to the bracket that closes them. */
function substituted(reader: Reader, readList: ReadList): List {
  const list = readList(reader);
  skipBlanks(reader);
  if (!take(reader, ")")) {
    if (reader.at < reader.text.length) unexpected(reader, ")");
    else fail(reader, { open: ")" });
  }
  return list;
}

/** What stands between double quotes; the first of them is read already. */
function readDouble(reader: Reader, readList: ReadList): Part[] {
  const parts: Part[] = [{ type: "text", text: "", quoted: true }];
  const line = lineOf(reader);
  while (!take(reader, '"')) {
    if (reader.at >= reader.text.length) {
      unclosed(reader, '"', line);
      return parts;
    }
    count(reader);
    for (const one of readQuoted(reader, readList, /[^"\\$`]+/y, /[$`"\\]/)) parts.push(one);
  }
  return parts;
}

function readQuoted(reader: Reader, readList: ReadList, plain: RegExp, escapes: RegExp): Part[] {
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

/** The text of a heredoc. */
export function quotedText(text: string, outer: Reader, readList: ReadList): Word {
  const reader = readerWithin(text, outer);
  const parts: Part[] = [];
  while (reader.at < reader.text.length) {
    count(reader);
    for (const one of readQuoted(reader, readList, /[^\\$`]+/y, /[$`\\]/)) parts.push(one);
  }
  return parts;
}

function readExpansion(reader: Reader, readList: ReadList, quoted: boolean): Part[] | undefined {
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
  // Bash would translate it.
  if (!quoted && isBash && peek(reader) === '"') return [];
  const name = match(reader, /[A-Za-z_]\w*|[0-9@*#?$!-]/y);
  if (name === undefined) return [{ type: "text", text: "$", quoted }];
  return [{ type: "variable", name, operator: "", argument: [], quoted }];
}

/** Whether a shell's own syntax is understood. */
export function has({ language: { dialect, isStrict } }: Reader, wanted: "bash" | "ash"): boolean {
  return !isStrict || dialect === wanted || dialect === "bash";
}

const plainName = "(?:[A-Za-z_]\\w*|\\d+|[@*#?$!-])";
/** `x`, `!x`, `list[2]`. */
const listName = new RegExp(`!?${plainName}(?:\\[[^\\]]*\\])?`, "y");
const name = new RegExp(plainName, "y");

/** `${name}`, `${name:-word}`, `${#name}`, `${name%pattern}`, `${name/from/to}`, `${name[index]}`, `${!name}`. */
function readBraced(reader: Reader, readList: ReadList, quoted: boolean): Part {
  const from = reader.at;
  const length = match(reader, /#(?=[A-Za-z_@*\d])/y) !== undefined;
  const found = match(reader, has(reader, "bash") ? listName : name) ?? "";
  const operators = has(reader, "bash")
    ? /:?[-=?+]|##?|%%?|\/[/#%]?|\^\^?|,,?|@[A-Za-z]|:/y
    : has(reader, "ash")
      ? /:?[-=?+]|##?|%%?|\/\/?|:/y
      : /:?[-=?+]|##?|%%?/y;
  const operator = length ? "length" : (match(reader, operators) ?? "");
  const isBad = found === "" || ((operator === "" || length) && peek(reader) !== "}");
  const argument = bracedWord(reader, readList);
  if (!isBad) return { type: "variable", name: found, operator, argument, quoted };
  const text = reader.text.slice(from, reader.at - 1);
  return { type: "variable", name: "", operator: "bad", argument: [{ type: "text", text, quoted: true }], quoted };
}

/** Up to the brace that closes it. */
function bracedWord(reader: Reader, readList: ReadList): Word {
  const argument: Part[] = [];
  const line = lineOf(reader);
  enter(reader.payer);
  while (!take(reader, "}")) {
    if (reader.at >= reader.text.length) {
      fail(reader, { open: "}", line });
      break;
    }
    const part = readPart(reader, readList, /[^}'"\\$`<]+|<(?!\()/y);
    count(reader);
    if (part) for (const one of part) argument.push(one);
    else reader.at++;
  }
  comeBack(reader.payer);
  return argument;
}

/** Up to the `))` that closes it. */
export function arithmetic(reader: Reader, readList: ReadList): Word {
  const parts: Part[] = [];
  const line = lineOf(reader);
  enter(reader.payer);
  for (let depth = 0; reader.at < reader.text.length; ) {
    if (depth === 0 && take(reader, "))")) {
      comeBack(reader.payer);
      return parts;
    }
    const text = match(reader, /[^()$`"\\]+|[()"\\]/y);
    if (text === undefined) {
      count(reader);
      for (const one of readExpansion(reader, readList, true) ?? []) parts.push(one);
      continue;
    }
    charge(reader.payer, 0.2);
    if (text === "(") depth++;
    if (text === ")") depth--;
    const last = parts.at(-1);
    const bare = text.replace(/["\\]/, "");
    if (last?.type === "text") parts[parts.length - 1] = { ...last, text: last.text + bare };
    else {
      count(reader);
      parts.push({ type: "text", text: bare, quoted: false });
    }
  }
  comeBack(reader.payer);
  fail(reader, reader.language.dialect === "bash" ? { open: ")", line } : { open: "))" });
  return parts;
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

/** bash tells where a quote begins, the others where the text ends. */
function unclosed(reader: Reader, open: string, line: number): void {
  reader.at = reader.text.length;
  fail(reader, reader.language.dialect === "bash" ? { open, line } : { open });
}

/** What stands in `$'...'`, where a backslash takes a quote along. */
function escapedQuote(reader: Reader): string {
  const text = match(reader, /(?:[^'\\]|\\[^])*/y) ?? "";
  if (!take(reader, "'")) unclosed(reader, "'", lineOf(reader));
  return text;
}

function backquoted(reader: Reader): string {
  const parts: string[] = [];
  for (let part; (part = match(reader, /[^`\\]+|\\./y)) !== undefined; ) parts.push(part);
  const text = parts.join("");
  if (!take(reader, "`")) unclosed(reader, "`", lineOf(reader));
  return text.replace(/\\([`$\\])/g, "$1");
}
