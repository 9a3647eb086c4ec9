// Reads words: quotes, variables, command substitution and arithmetic.
import { Reader, Unfinished } from "./reader.ts";
import type { List, Part, Word } from "./syntax.ts";

/** Reads the commands inside `$( )`; handed in, since commands consist of words. */
export type ReadList = (reader: Reader) => List;

/** A word, up to a blank or an operator; undefined where none stands. `isRaw`: operators are ordinary letters, as in `[[ ]]`. */
export function readWord(reader: Reader, readList: ReadList, isRaw = false): Word | undefined {
  const parts: Part[] = [];
  const from = reader.at;
  while (!reader.isAtEnd) {
    const found = readPart(reader, readList, isRaw ? /[^\s'"\\$`]+/y : /[^\s;|&()<>'"\\$`]+/y);
    if (!found) break;
    parts.push(...found);
  }
  return reader.at > from ? parts : undefined;
}

function readPart(reader: Reader, readList: ReadList, plain: RegExp): Part[] | undefined {
  const text = reader.match(plain);
  if (text !== undefined) return [{ type: "text", text, isQuoted: false }];
  if (reader.take("'")) return [{ type: "text", text: until(reader, "'"), isQuoted: true }];
  if (reader.take('"')) return readDouble(reader, readList);
  if (reader.take("\\\n")) return [];
  if (reader.take("<(")) return [{ type: "process", list: readSubstituted(reader, readList), isQuoted: false }];
  if (reader.take("\\")) {
    const escaped = reader.match(/[^]/uy);
    if (escaped === undefined) throw new Unfinished("unexpected end of file");
    return [{ type: "text", text: escaped, isQuoted: true }];
  }
  return readExpansion(reader, readList, false);
}

function readDouble(reader: Reader, readList: ReadList): Part[] {
  const parts: Part[] = [{ type: "text", text: "", isQuoted: true }];
  while (!reader.take('"')) {
    if (reader.isAtEnd) throw new Unfinished("unexpected EOF while looking for matching `\"'");
    parts.push(...readQuoted(reader, readList, /[^"\\$`]+/y, /[$`"\\]/));
  }
  return parts;
}

function readQuoted(reader: Reader, readList: ReadList, plain: RegExp, escapes: RegExp): Part[] {
  const text = reader.match(plain);
  if (text !== undefined) return [{ type: "text", text, isQuoted: true }];
  if (reader.take("\\\n")) return [];
  if (reader.take("\\")) {
    const next = reader.text.charAt(reader.at);
    if (!escapes.test(next)) return [{ type: "text", text: "\\", isQuoted: true }];
    reader.at++;
    return [{ type: "text", text: next, isQuoted: true }];
  }
  const found = readExpansion(reader, readList, true);
  if (found) return found;
  // A letter that ends nothing here: a double quote in a here-document.
  return [{ type: "text", text: reader.match(/[^]/y) ?? "", isQuoted: true }];
}

/** The text of a here-document whose end is not quoted. */
export function quotedText(text: string, depth: number, readList: ReadList): Word {
  const reader = new Reader(text, depth);
  const parts: Part[] = [{ type: "text", text: "", isQuoted: true }];
  while (!reader.isAtEnd) parts.push(...readQuoted(reader, readList, /[^\\$`]+/y, /[$`\\]/));
  return parts;
}

function readExpansion(reader: Reader, readList: ReadList, isQuoted: boolean): Part[] | undefined {
  if (reader.take("`")) {
    const inner = new Reader(backquoted(reader), reader.depth + 1);
    return [{ type: "command", list: readList(inner), isQuoted }];
  }
  if (!reader.take("$")) return undefined;
  if (reader.take("((")) return [{ type: "arithmetic", expression: readArithmetic(reader, readList), isQuoted }];
  if (reader.take("(")) return [{ type: "command", list: readSubstituted(reader, readList), isQuoted }];
  if (reader.take("{")) return [readBraced(reader, readList, isQuoted)];
  if (!isQuoted && reader.take("'")) return [{ type: "text", text: unescaped(until(reader, "'")), isQuoted: true }];
  const name = reader.match(/[A-Za-z_]\w*|[0-9@*#?$!-]/y);
  if (name === undefined) return [{ type: "text", text: "$", isQuoted }];
  return [{ type: "variable", name, operator: "", argument: [], isQuoted }];
}

/** Up to the bracket that closes it. */
function readSubstituted(reader: Reader, readList: ReadList): List {
  const list = reader.deeper(() => readList(reader));
  reader.skipBlanks();
  if (!reader.take(")")) reader.unexpected();
  return list;
}

/** `${name}`, `${name:-word}`, `${#name}`, `${name%pattern}`, `${name/from/to}`, `${name:1:2}`. */
function readBraced(reader: Reader, readList: ReadList, isQuoted: boolean): Part {
  const isLength = reader.match(/#(?=[A-Za-z_@*\d])/y) !== undefined;
  const name = reader.match(/[A-Za-z_]\w*|\d+|[@*#?$!-]/y) ?? "";
  const operator = isLength ? "length" : (reader.match(/:?[-=?+]|##?|%%?|\/\/?|\^\^?|,,?|:/y) ?? "");
  const argument: Part[] = [];
  reader.deeper(() => {
    while (!reader.take("}")) {
      if (reader.isAtEnd) throw new Unfinished("unexpected EOF while looking for matching `}'");
      const found = readPart(reader, readList, /[^}'"\\$`]+/y);
      if (found) argument.push(...found);
      else reader.at++;
    }
  });
  return { type: "variable", name, operator, argument, isQuoted };
}

/** Up to the `))` that closes it. */
export function readArithmetic(reader: Reader, readList: ReadList): Word {
  const parts: Part[] = [];
  for (let depth = 0; ; ) {
    if (depth === 0 && reader.take("))")) return parts;
    if (reader.isAtEnd) throw new Unfinished("unexpected EOF while looking for matching `))'");
    const text = reader.match(/[^()$`"\\]+|[()"\\]/y);
    if (text === undefined) {
      parts.push(...(readExpansion(reader, readList, true) ?? []));
      continue;
    }
    if (text === "(") depth++;
    if (text === ")") depth--;
    parts.push({ type: "text", text: text.replace(/["\\]/, ""), isQuoted: true });
  }
}

function until(reader: Reader, quote: string): string {
  const end = reader.text.indexOf(quote, reader.at);
  if (end < 0) throw new Unfinished(`unexpected EOF while looking for matching \`${quote}'`);
  const text = reader.text.slice(reader.at, end);
  reader.at = end + 1;
  return text;
}

function backquoted(reader: Reader): string {
  const parts: string[] = [];
  for (let part; (part = reader.match(/[^`\\]+|\\[^]/y)) !== undefined; ) parts.push(part);
  if (!reader.take("`")) throw new Unfinished("unexpected EOF while looking for matching ``'");
  return parts.join("").replace(/\\([`$\\])/g, "$1");
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
};

/** What a backslash means in `$'...'`, `printf` and `echo -e`. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([^]))/g,
    (whole, hex: string | undefined, octal: string | undefined, letter: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return escapes[letter] ?? (/[\\'"]/.test(letter) ? letter : whole);
    },
  );
}
