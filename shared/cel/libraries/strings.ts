// The functions of texts. What they count are characters, not the units that JavaScript counts.
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
  ".contains(string, string) bool": (text: string, part: string) => text.includes(part),
  ".endsWith(string, string) bool": (text: string, part: string) => text.endsWith(part),
  ".startsWith(string, string) bool": (text: string, part: string) => text.startsWith(part),
  ".format(string, list(dyn)) string": paid(format),
  ".indexOf(string, string) int": paid((pay: Pay, text: string, part: string) => indexOf(pay, text, part, 0n)),
  ".indexOf(string, string, int) int": paid(indexOf),
  ".lastIndexOf(string, string) int": paid((pay: Pay, text: string, part: string) =>
    lastIndexOf(pay, text, part, undefined),
  ),
  ".lastIndexOf(string, string, int) int": paid(lastIndexOf),
  ".lowerAscii(string) string": (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  ".upperAscii(string) string": (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
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
  ".join(list(string)) string": paid((pay: Pay, parts: ListValue) => join(pay, parts, "")),
  ".join(list(string), string) string": paid(join),
  "strings.quote(string) string": quote,
};

/** Characters, which are not units of UTF-16: to take a text apart is more work than to read it. */
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

function indexOf(pay: Pay, text: string, part: string, from: bigint): Value {
  if (part === "") return from;
  if (from < 0n) return outOfRange(from);
  const chars = charactersOf(pay, text);
  if (from >= BigInt(chars.length)) return -1n;
  const start = chars.slice(0, Number(from)).join("").length;
  const found = text.indexOf(part, start);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}

function lastIndexOf(pay: Pay, text: string, part: string, from: bigint | undefined): Value {
  const chars = charactersOf(pay, text);
  if (part === "") return from ?? BigInt(chars.length);
  if (from === undefined) from = text.length < part.length ? undefined : BigInt(chars.length - 1);
  if (from === undefined) return -1n;
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(chars.length)) return -1n;
  const start = chars.slice(0, Number(from)).join("").length;
  const found = text.lastIndexOf(part, start);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}

/** At most so many; all, if negative. */
function replace(pay: Pay, text: string, old: string, by: string, most: bigint): Value {
  if (most === 0n || old === by) return text;
  const parts = old === "" ? ["", ...text, ""] : text.split(old);
  const limit = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1);
  pay((text.length + limit * by.length) / 10);
  return (
    parts.slice(0, limit + 1).join(by) +
    parts
      .slice(limit + 1)
      .map((part) => old + part)
      .join("")
  );
}

function split(text: string, by: string, most: bigint): Value {
  if (most === 0n) return list([]);
  const parts = by === "" ? [...text] : text.split(by);
  if (most < 0n || BigInt(parts.length) <= most) return list(parts);
  const kept = Number(most) - 1;
  return list([...parts.slice(0, kept), parts.slice(kept).join(by)]);
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

function join(pay: Pay, parts: ListValue, by: string): Value {
  const texts: string[] = [];
  for (const part of itemsOf(parts)) {
    pay(1 + (typeof part === "string" ? part.length + by.length : 0) / 10);
    if (typeof part !== "string") return fail(`join: invalid input: ${valueText(part, pay)}`);
    texts.push(part);
  }
  return texts.join(by);
}

/** In quotes, with what cannot be printed as it is escaped; other than Go's own quoting it leaves the rest alone. */
function quote(text: string): Value {
  return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (char) => goQuoted(char).slice(1, -1))}"`;
}
