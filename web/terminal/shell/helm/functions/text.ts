// Functions of sprig on strings.
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { byteLength, bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { goQuoted } from "../../../../../shared/cel/go-text.ts";
import { define, type Functions } from "../template/builtins.ts";
import { CallError, TemplateLimit } from "../template/errors.ts";
import { isNil, stringOf, textOf } from "../template/values.ts";

/** The maximum length of a repeated or padded text. */
const maxLength = 4 * 1024 * 1024;

function checkLength(length: number): void {
  if (length > maxLength) throw new TemplateLimit(`a text of more than ${maxLength / 1024 / 1024} MB cannot be held`);
}

function repeat(count: bigint, text: string): string {
  if (count < 0n) throw new CallError("strings: negative Repeat count");
  checkLength(Number(count) * text.length);
  return text.repeat(Number(count));
}

export function indent(spaces: bigint, text: string): string {
  const padding = repeat(spaces, " ");
  checkLength(text.length + padding.length * (text.split("\n").length - 1));
  return padding + text.replaceAll("\n", `\n${padding}`);
}

/** Cuts by bytes, as Go's slices do. */
function cut(text: string, from: number, to?: number): string {
  if (byteLength(text) === text.length) return text.slice(from, to);
  return textOfBytes(bytesOfText(text).slice(from, to));
}

function trunc(count: bigint, text: string): string {
  const size = Number(count);
  const length = byteLength(text);
  if (size < 0 && length + size > 0) return cut(text, length + size);
  return size >= 0 && length > size ? cut(text, 0, size) : text;
}

function substr(start: bigint, end: bigint, text: string): string {
  const [from, to] = [Number(start), Number(end)];
  if (from < 0) return cut(text, 0, Math.max(0, to));
  return to < 0 || to > byteLength(text) ? cut(text, from) : cut(text, from, to);
}

function trimmed(set: string, text: string): string {
  const characters = [...text];
  const members = new Set(set);
  let [from, to] = [0, characters.length];
  while (from < to && members.has(characters[from] ?? "")) from++;
  while (to > from && members.has(characters[to - 1] ?? "")) to--;
  return characters.slice(from, to).join("");
}

/** Returns the texts of a list's items that are not nil, or the text of a single value. */
export function textsOf(value: unknown): string[] {
  if (isNil(value)) return [];
  if (!Array.isArray(value)) return [stringOf(value)];
  return value.filter((item: unknown) => !isNil(item)).map(stringOf);
}

function abbrev(width: bigint, text: string): string {
  const size = Number(width);
  if (size < 4 || text.length <= size) return text;
  return `${text.slice(0, size - 3)}...`;
}

function abbrevBoth(left: bigint, right: bigint, text: string): string {
  const [offset, size] = [Number(left), Number(right)];
  if (size < 4 || (offset > 0 && size < 7) || text.length <= size) return text;
  const from = text.length - offset < size - 3 ? text.length - (size - 3) : Math.min(offset, text.length);
  if (from <= 4) return `${text.slice(0, size - 3)}...`;
  if (from + size - 3 < text.length) return `...${abbrev(BigInt(size - 3), text.slice(from))}`;
  return `...${text.slice(text.length - (size - 3))}`;
}

function title(text: string): string {
  return text.replaceAll(
    /(^|[^\p{L}\p{N}_'])(\p{L})/gu,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

/** Splits a name into words at separators and at changes of case. */
function words(text: string): string[] {
  const runs = text.replaceAll(/[-_ .\t]+/g, " ").match(/\p{Lu}+\p{Ll}*|\p{Ll}+|\p{N}+|[^\p{L}\p{N} ]+|\p{L}+/gu) ?? [];
  // The last of several capitals begins the word of the small letters after it.
  return runs.flatMap((run) => /^(\p{Lu}+)(\p{Lu}\p{Ll}+)$/u.exec(run)?.slice(1) ?? [run]);
}

function pascalCase(text: string): string {
  return text.replaceAll(/(^|(?<![-_ ])[-_ ]+)(.)/gu, (_, before: string, letter: string) =>
    letter === "_" || letter === "-" ? before : letter.toUpperCase(),
  );
}

function wrap(width: bigint, separator: string, text: string, breaksWords: boolean): string {
  const size = Math.max(1, Number(width));
  const lines: string[] = [];
  let rest = text;
  while (rest.length > size) {
    if (rest.startsWith(" ")) {
      rest = rest.slice(1);
      continue;
    }
    const space = rest.lastIndexOf(" ", size);
    if (space > 0) {
      lines.push(rest.slice(0, space));
      rest = rest.slice(space + 1);
      continue;
    }
    const next = breaksWords ? size : rest.indexOf(" ", size);
    if (next < 0) break;
    lines.push(rest.slice(0, next));
    rest = breaksWords ? rest.slice(next) : rest.slice(next + 1);
  }
  return [...lines, rest].join(separator);
}

function swapCase(text: string): string {
  return [...text]
    .map((letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()))
    .join("");
}

function splitMap(pieces: readonly string[]): Record<string, string> {
  return Object.fromEntries(pieces.map((piece, at) => [`_${at}`, piece]));
}

function splitUpTo(separator: string, count: bigint, text: string): string[] {
  const most = Number(count);
  const pieces = splitList(separator, text);
  if (most < 0 || pieces.length <= most) return pieces;
  return most === 0 ? [] : [...pieces.slice(0, most - 1), pieces.slice(most - 1).join(separator)];
}

function splitList(separator: string, text: string): string[] {
  return separator === "" ? [...text] : text.split(separator);
}

/** Normalizes a slash-separated path like Go's path.Clean. */
function cleanPath(path: string): string {
  if (path === "") return ".";
  const isAbsolute = path.startsWith("/");
  const pieces: string[] = [];
  for (const piece of path.split("/")) {
    if (piece === "" || piece === ".") continue;
    if (piece !== "..") pieces.push(piece);
    else if (pieces.length > 0 && pieces.at(-1) !== "..") pieces.pop();
    else if (!isAbsolute) pieces.push("..");
  }
  return (isAbsolute ? "/" : "") + pieces.join("/") || ".";
}

function basePath(path: string): string {
  if (path === "") return ".";
  const bare = trimmedEnd(path, "/");
  return bare === "" ? "/" : bare.slice(bare.lastIndexOf("/") + 1);
}

function extension(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0] ?? "";
}

const paths: Functions = Object.fromEntries(
  (["", "os"] as const).flatMap((prefix) => {
    const name = (word: string) => (prefix === "" ? word.charAt(0).toLowerCase() + word.slice(1) : prefix + word);
    return [
      [name("Base"), define("s", basePath)],
      [name("Dir"), define("s", (path: string) => cleanPath(path.slice(0, path.lastIndexOf("/") + 1)))],
      [name("Clean"), define("s", cleanPath)],
      [name("Ext"), define("s", extension)],
      [name("IsAbs"), define("s", (path: string) => path.startsWith("/"))],
    ];
  }),
);

const trimAll = define("ss", trimmed);

export const textFunctions: Functions = {
  ...paths,
  hello: define("", () => "Hello!"),
  abbrev: define("is", abbrev),
  abbrevboth: define("iis", abbrevBoth),
  trunc: define("is", trunc),
  trim: define("s", (text: string) => text.trim()),
  upper: define("s", (text: string) => text.toUpperCase()),
  lower: define("s", (text: string) => text.toLowerCase()),
  title: define("s", title),
  untitle: define("s", (text: string) => text.replaceAll(/(^|\s)(\S)/g, (all) => all.toLowerCase())),
  substr: define("iis", substr),
  repeat: define("is", repeat),
  trimall: trimAll,
  trimAll,
  trimSuffix: define("ss", (end: string, text: string) =>
    end !== "" && text.endsWith(end) ? text.slice(0, -end.length) : text,
  ),
  trimPrefix: define("ss", (start: string, text: string) => (text.startsWith(start) ? text.slice(start.length) : text)),
  nospace: define("s", (text: string) => text.replaceAll(/\s/g, "")),
  initials: define("s", (text: string) =>
    text
      .split(/\s+/)
      .map((word) => [...word][0] ?? "")
      .join(""),
  ),
  swapcase: define("s", swapCase),
  snakecase: define("s", (text: string) => words(text).join("_").toLowerCase()),
  kebabcase: define("s", (text: string) => words(text).join("-").toLowerCase()),
  camelcase: define("s", pascalCase),
  wrap: define("is", (width: bigint, text: string) => wrap(width, "\n", text, false)),
  wrapWith: define("iss", (width: bigint, separator: string, text: string) => wrap(width, separator, text, true)),
  contains: define("ss", (piece: string, text: string) => text.includes(piece)),
  hasPrefix: define("ss", (start: string, text: string) => text.startsWith(start)),
  hasSuffix: define("ss", (end: string, text: string) => text.endsWith(end)),
  quote: define("a*", (...values: unknown[]) =>
    values
      .filter((value) => !isNil(value))
      .map((value) => goQuoted(stringOf(value)))
      .join(" "),
  ),
  squote: define("a*", (...values: unknown[]) =>
    values
      .filter((value) => !isNil(value))
      .map((value) => `'${textOf(value)}'`)
      .join(" "),
  ),
  cat: define("a*", (...values: unknown[]) =>
    values
      .filter((value) => !isNil(value))
      .map(textOf)
      .join(" "),
  ),
  indent: define("is", indent),
  nindent: define("is", (spaces: bigint, text: string) => `\n${indent(spaces, text)}`),
  replace: define("sss", (before: string, after: string, text: string) => {
    const result = text.replaceAll(before, () => after);
    checkLength(result.length);
    return result;
  }),
  plural: define("ssi", (singular: string, many: string, count: bigint) => (count === 1n ? singular : many)),
  toString: define("a", stringOf),
  toStrings: define("a", textsOf),
  split: define("ss", (separator: string, text: string) => splitMap(splitList(separator, text))),
  splitn: define("sis", (separator: string, count: bigint, text: string) =>
    splitMap(splitUpTo(separator, count, text)),
  ),
  splitList: define("ss", splitList),
  join: define("sa", (separator: string, value: unknown) => textsOf(value).join(separator)),
};
