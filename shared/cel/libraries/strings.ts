// The functions of strings. They count characters (code points), not UTF-16 units.
import { trimmed } from "../../base/trim.ts";
import { type Library, paid } from "../functions.ts";
import { goQuoted } from "../go-text.ts";
import type { Pay } from "../pay.ts";
import { type ListValue, type Value, fail, itemsOf, list } from "../values.ts";
import { valueText } from "../value-text.ts";
import { format } from "./format-text.ts";

const spaces =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

export const strings: Library = {
  ".charAt(string, int) string": paid(charAt),
  ".contains(string, string) bool": (text: string, substring: string) => text.includes(substring),
  ".endsWith(string, string) bool": (text: string, suffix: string) => text.endsWith(suffix),
  ".startsWith(string, string) bool": (text: string, prefix: string) => text.startsWith(prefix),
  ".format(string, list(dyn)) string": paid(format),
  ".indexOf(string, string) int": paid((pay: Pay, text: string, substring: string) =>
    indexOf(pay, text, substring, 0n),
  ),
  ".indexOf(string, string, int) int": paid(indexOf),
  ".lastIndexOf(string, string) int": paid((pay: Pay, text: string, substring: string) =>
    lastIndexOf(pay, text, substring, undefined),
  ),
  ".lastIndexOf(string, string, int) int": paid(lastIndexOf),
  ".lowerAscii(string) string": (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ".upperAscii(string) string": (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ".replace(string, string, string) string": paid((pay: Pay, text: string, old: string, by: string) =>
    replace(pay, text, old, by, -1n),
  ),
  ".replace(string, string, string, int) string": paid(replace),
  ".split(string, string) list(string)": (text: string, by: string) => split(text, by, -1n),
  ".split(string, string, int) list(string)": split,
  ".substring(string, int) string": paid((pay: Pay, text: string, from: bigint) =>
    substring(pay, text, from, undefined),
  ),
  ".substring(string, int, int) string": paid(substring),
  ".trim(string) string": (text: string) => trimmed(text, spaces),
  ".join(list(string)) string": paid((pay: Pay, items: ListValue) => join(pay, items, "")),
  ".join(list(string), string) string": paid(join),
  "strings.quote(string) string": quote,
};

/** Splits a string into characters, which is more work than reading its UTF-16 units. */
function charactersOf(pay: Pay, text: string): readonly string[] {
  pay(text.length / 2);
  return [...text];
}

const outOfRange = (index: bigint) => fail(`index out of range: ${index}`);

function charAt(pay: Pay, text: string, index: bigint): Value {
  const chars = charactersOf(pay, text);
  if (index < 0n || index > BigInt(chars.length)) return outOfRange(index);
  return chars[Number(index)] ?? "";
}

function indexOf(pay: Pay, text: string, sought: string, from: bigint): Value {
  if (sought === "") return from;
  if (from < 0n) return outOfRange(from);
  const chars = charactersOf(pay, text);
  if (from >= BigInt(chars.length)) return -1n;
  const start = chars.slice(0, Number(from)).join("").length;
  const position = text.indexOf(sought, start);
  return position < 0 ? -1n : BigInt([...text.slice(0, position)].length);
}

function lastIndexOf(pay: Pay, text: string, sought: string, from: bigint | undefined): Value {
  const chars = charactersOf(pay, text);
  if (sought === "") return from ?? BigInt(chars.length);
  if (from === undefined) from = text.length < sought.length ? undefined : BigInt(chars.length - 1);
  if (from === undefined) return -1n;
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(chars.length)) return -1n;
  const start = chars.slice(0, Number(from)).join("").length;
  const position = text.lastIndexOf(sought, start);
  return position < 0 ? -1n : BigInt([...text.slice(0, position)].length);
}

/** Replaces at most `most` occurrences; all if it is negative. */
function replace(pay: Pay, text: string, old: string, by: string, most: bigint): Value {
  if (most === 0n || old === by) return text;
  const pieces = old === "" ? ["", ...text, ""] : text.split(old);
  const limit = most < 0n ? pieces.length - 1 : Math.min(Number(most), pieces.length - 1);
  pay((text.length + limit * by.length) / 10);
  return (
    pieces.slice(0, limit + 1).join(by) +
    pieces
      .slice(limit + 1)
      .map((piece) => old + piece)
      .join("")
  );
}

function split(text: string, by: string, most: bigint): Value {
  if (most === 0n) return list([]);
  const pieces = by === "" ? [...text] : text.split(by);
  if (most < 0n || BigInt(pieces.length) <= most) return list(pieces);
  const splitCount = Number(most) - 1;
  return list([...pieces.slice(0, splitCount), pieces.slice(splitCount).join(by)]);
}

function substring(pay: Pay, text: string, from: bigint, to: bigint | undefined): Value {
  const chars = charactersOf(pay, text);
  const length = BigInt(chars.length);
  if (to !== undefined && from > to) return fail(`invalid substring range. start: ${from}, end: ${to}`);
  for (const index of [from, to ?? 0n]) {
    if (index < 0n || index > length) return outOfRange(index);
  }
  return chars.slice(Number(from), Number(to ?? length)).join("");
}

function join(pay: Pay, items: ListValue, by: string): Value {
  const texts: string[] = [];
  for (const item of itemsOf(items)) {
    pay(1 + (typeof item === "string" ? item.length + by.length : 0) / 10);
    if (typeof item !== "string") return fail(`join: invalid input: ${valueText(item, pay)}`);
    texts.push(item);
  }
  return texts.join(by);
}

/** Quotes a string, with escapes for some control characters. Unlike Go's own quoting, it leaves other characters alone. */
function quote(text: string): Value {
  return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (char) => goQuoted(char).slice(1, -1))}"`;
}
