// YAML as Go's library writes it for kubectl: keys in natural order, lists not indented, long scalars folded at 80 columns.
import { isObject } from "../../../shared/schema/json-values.ts";

const bestWidth = 80;

/** Formats a document without a document marker. */
export function goYaml(value: unknown): string {
  if (isObject(value) && Object.keys(value).length > 0) return mapping(value, 0, false);
  if (Array.isArray(value) && value.length > 0) return sequence(value, 0, false);
  return `${scalar(value, 0, 0)}\n`;
}

/** Formats a mapping as lines. After a dash, the first line has no indentation. */
function mapping(value: Readonly<Record<string, unknown>>, indent: number, isBehindDash: boolean): string {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return keys
    .sort(byNature)
    .map((key, at) => {
      const start = at === 0 && isBehindDash ? "" : " ".repeat(indent);
      const head = `${keyText(key)}:`;
      return start + head + afterKey(value[key], indent, indent + head.length);
    })
    .join("");
}

function afterKey(value: unknown, indent: number, column: number): string {
  if (Array.isArray(value) && value.length > 0) return `\n${sequence(value, indent, false)}`;
  if (isObject(value) && Object.keys(value).length > 0) return `\n${mapping(value, indent + 2, false)}`;
  return ` ${scalar(value, indent + 2, column + 1)}\n`;
}

function sequence(items: readonly unknown[], indent: number, isBehindDash: boolean): string {
  return items
    .map((item, at) => {
      const start = `${at === 0 && isBehindDash ? "" : " ".repeat(indent)}- `;
      if (Array.isArray(item) && item.length > 0) return start + sequence(item, indent + 2, true);
      if (isObject(item) && Object.keys(item).length > 0) return start + mapping(item, indent + 2, true);
      return `${start}${scalar(item, indent + 2, indent + 2)}\n`;
    })
    .join("");
}

function keyText(key: string): string {
  return written(key, 0, 0, true);
}

/** Formats a scalar. `indent` is the indentation after the first line, `column` the position where the scalar begins. */
function scalar(value: unknown, indent: number, column: number): string {
  if (typeof value === "string") return written(value, indent, column, false);
  if (Array.isArray(value)) return "[]";
  if (isObject(value)) return "{}";
  return typeof value === "number" ? goNumber(value) : value === true ? "true" : value === false ? "false" : "null";
}

/** Formats a JSON number like Go's `%v`: integers unchanged, others with an exponent from 21 digits. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

function written(text: string, indent: number, column: number, isKey: boolean): string {
  const facts = analyze(text);
  if (text.includes("\n") && facts.allowsBlock && !isKey) return literal(text, indent);
  if (text.includes("\n") || !isPlainString(text)) return doubleQuoted(text, indent, column, isKey);
  if (facts.allowsPlain) return plain(text, indent, column, isKey);
  return facts.allowsSingle ? singleQuoted(text, indent, column, isKey) : doubleQuoted(text, indent, column, isKey);
}

/** Reports whether a parser reads the unquoted text as a string. */
function isPlainString(text: string): boolean {
  if (/^(y|yes|n|no|on|off|true|false|null|~|)$/i.test(text)) return !isWordOfYaml(text);
  if (/^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|<<)$/.test(text)) return false;
  if (/^[-+]?(0b[01_]+|0x[\da-fA-F_]+|0o?[0-7_]+|\d[\d_]*)$/.test(text)) return false;
  const number = text.replaceAll("_", "");
  if (/^[-+]?[.\d]/.test(text) && /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(number)) return false;
  if (/^\d{4}-\d{1,2}-\d{1,2}([Tt ]\s*\d{1,2}:\d\d?:\d\d?(\.\d*)?\s*(Z|[+-]\d\d?(:\d\d)?)?)?$/.test(text)) return false;
  return !/^[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d[\d_]*)?$/.test(text);
}

function isWordOfYaml(text: string): boolean {
  const isOneCase = text === text.toLowerCase() || text === text.toUpperCase();
  return isOneCase || text === text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

interface Facts {
  readonly allowsPlain: boolean;
  readonly allowsSingle: boolean;
  readonly allowsBlock: boolean;
}

function analyze(text: string): Facts {
  const isSpecial =
    /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(text) || / \n/.test(text);
  const isIndicated = /^(---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[-?:](\s|$)|:(\s|$)|\s#/.test(text);
  const hasEdges = /^[ \n]|[ \n]$/.test(text);
  const breaksBefore = /\n /.test(text);
  return {
    allowsPlain: !isSpecial && !isIndicated && !hasEdges && !text.includes("\n"),
    allowsSingle: !isSpecial && !breaksBefore,
    allowsBlock: !isSpecial && !text.endsWith(" "),
  };
}

/** Folds words into lines of limited length. */
function folded(
  text: string,
  indent: number,
  column: number,
  mayBreak: (at: number) => boolean,
  escape: (character: string) => string,
  escapesSpaces: boolean,
): string {
  let line = column;
  let done = "";
  let wasSpace = false;
  const characters = [...text];
  for (const [at, character] of characters.entries()) {
    if (character === " " && !wasSpace && line > bestWidth && mayBreak(at)) {
      const next = characters[at + 1] === " ";
      done += `\n${" ".repeat(indent)}${escapesSpaces && next ? "\\" : ""}`;
      line = indent;
      wasSpace = true;
      continue;
    }
    const piece = escape(character);
    done += piece;
    line += piece.length;
    wasSpace = character === " ";
  }
  return done;
}

function plain(text: string, indent: number, column: number, isKey: boolean): string {
  const characters = [...text];
  return folded(
    text,
    indent,
    column,
    (at) => !isKey && characters[at + 1] !== " ",
    (character) => character,
    false,
  );
}

function singleQuoted(text: string, indent: number, column: number, isKey: boolean): string {
  const characters = [...text];
  const mayBreak = (at: number) => !isKey && at > 0 && at < characters.length - 1 && characters[at + 1] !== " ";
  return `'${folded(text, indent, column + 1, mayBreak, (character) => (character === "'" ? "''" : character), false)}'`;
}

function doubleQuoted(text: string, indent: number, column: number, isKey: boolean): string {
  const { length } = [...text];
  const mayBreak = (at: number) => !isKey && at > 0 && at < length - 1;
  return `"${folded(text, indent, column + 1, mayBreak, escaped, true)}"`;
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\x85": "\\N",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escaped(character: string): string {
  const escape = escapes[character];
  if (escape) return escape;
  const code = character.codePointAt(0) ?? 0;
  const isPrintable =
    (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code !== 0xfeff && code < 0xfffe) || code > 0xffff;
  if (isPrintable) return character;
  const hex = code.toString(16).toUpperCase();
  return code <= 0xff ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

function literal(text: string, indent: number): string {
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const chomp = !text.endsWith("\n") ? "-" : text === "\n" || text.endsWith("\n\n") ? "+" : "";
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const inner = " ".repeat(indent || 2);
  return `|${hint}${chomp}\n${body
    .split("\n")
    .map((line) => (line ? inner + line : ""))
    .join("\n")}`;
}

/** Compares keys in natural order: letters after other characters, numbers by value. */
export function byNature(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [leftCharacter = "", rightCharacter = ""] = [a[at], b[at]];
    if (leftCharacter === rightCharacter) continue;
    const [isLetter, isOtherLetter] = [/\p{L}/u.test(leftCharacter), /\p{L}/u.test(rightCharacter)];
    if (isLetter && isOtherLetter) return leftCharacter < rightCharacter ? -1 : 1;
    if (isLetter || isOtherLetter) return isOtherLetter ? -1 : 1;
    return byNumber(a, b, at);
  }
  return a.length - b.length;
}

function byNumber(a: readonly string[], b: readonly string[], at: number): number {
  const digitsFrom = (text: readonly string[]) => /^\d*/.exec(text.slice(at).join(""))?.[0] ?? "";
  let from = at;
  while (from > 0 && /\d/.test(a[from - 1] ?? "")) from -= 1;
  const before = a.slice(from, at).join("");
  const lead = (a[at] === "0" || b[at] === "0") && /[1-9]/.test(before) ? "1" : "";
  const [left, right] = [digitsFrom(a), digitsFrom(b)];
  const difference = Number(lead + left || "0") - Number(lead + right || "0");
  if (difference !== 0) return difference;
  if (left.length !== right.length) return left.length - right.length;
  return (a[at] ?? "") < (b[at] ?? "") ? -1 : 1;
}
