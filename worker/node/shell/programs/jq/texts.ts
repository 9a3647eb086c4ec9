// The functions of jq that are about texts, and what they find by expressions.
import { isPattern, type Match } from "../../../../../shared/base/pattern.ts";
import { build, charge } from "../../meter.ts";
import { regularExpression } from "../../regular.ts";
import type { Asked } from "./scope.ts";
import { compare, type Json, JqError, textOf, told } from "./values.ts";

export type Answer = { readonly value: Json } | undefined;

export function list(value: Json, why: string): Json[] {
  if (!Array.isArray(value)) throw new JqError(`${told(value)} ${why}`);
  return value as Json[];
}

export function string(value: Json, why: string): string {
  if (typeof value !== "string") throw new JqError(`${told(value)} ${why}`);
  return value;
}

export function textual(scope: Asked["scope"], key: string, value: Json, a: Json, b: Json): Answer {
  const { process } = scope.call;
  const answer = (made: Json): Answer => ({ value: made });
  switch (key) {
    case "join/1": {
      const texts = list(value, "cannot be iterated over").map((one) => {
        if (typeof one === "object" && one !== null) throw new JqError(`${told("")} and ${told(one)} cannot be added`);
        return one === null ? "" : textOf(one);
      });
      build(
        process,
        texts.reduce((sum, one) => sum + one.length, 0),
      );
      return answer(texts.join(String(a)));
    }
    case "split/1":
      return answer(value === "" ? [] : string(value, "cannot be split").split(String(a)));
    case "ascii_downcase/0":
      return answer(string(value, "explode input must be a string").toLowerCase());
    case "ascii_upcase/0":
      return answer(string(value, "explode input must be a string").toUpperCase());
    case "ltrimstr/1":
      return answer(
        typeof value === "string" && typeof a === "string" && value.startsWith(a) ? value.slice(a.length) : value,
      );
    case "rtrimstr/1":
      return answer(
        typeof value === "string" && typeof a === "string" && a !== "" && value.endsWith(a)
          ? value.slice(0, -a.length)
          : value,
      );
    case "startswith/1":
    case "endswith/1": {
      if (typeof value !== "string" || typeof a !== "string")
        throw new JqError(`${key.slice(0, -2)}() requires string inputs`);
      return answer(key === "startswith/1" ? value.startsWith(a) : value.endsWith(a));
    }
    case "trim/0":
      return answer(string(value, "trim input must be a string").trim());
    case "ltrim/0":
      return answer(string(value, "trim input must be a string").trimStart());
    case "rtrim/0":
      return answer(string(value, "trim input must be a string").trimEnd());
    case "explode/0":
      return answer([...string(value, "cannot be exploded")].map((letter) => letter.codePointAt(0)));
    case "implode/0":
      return answer(
        list(value, "cannot be imploded")
          .map((one) => String.fromCodePoint(Number(one)))
          .join(""),
      );
    default:
      return matching(scope, key, value, a, b);
  }
}

/** Of them those that take an expression. */
function matching(scope: Asked["scope"], key: string, value: Json, a: Json, b: Json): Answer {
  const answer = (made: Json): Answer => ({ value: made });
  switch (key) {
    case "test/1":
    case "test/2":
      return answer(matches(scope, string(value, "cannot be matched, as it is not a string"), [a, b]).length > 0);
    case "split/2":
      return answer(cut(string(value, "cannot be split"), matches(scope, value as string, [a, "g"])));
    case "sub/2":
      return answer(
        replacedBy(value, matches(scope, string(value, "cannot be matched, as it is not a string"), [a, null]), b),
      );
    case "gsub/2":
      return answer(
        replacedBy(value, matches(scope, string(value, "cannot be matched, as it is not a string"), [a, "g"]), b),
      );
    case "index/1":
    case "rindex/1":
    case "indices/1":
      return answer(placesOf(value, a, key));
    default:
      return undefined;
  }
}

interface Matched {
  readonly offset: number;
  readonly length: number;
  readonly string: string;
  readonly captures: readonly {
    readonly offset: number;
    readonly length: number;
    readonly string: string | null;
    readonly name: string | null;
  }[];
}

export function matches(
  { call }: Asked["scope"],
  text: string,
  [given = null, modes = null]: readonly Json[],
): Matched[] {
  const [source, flags] = Array.isArray(given) ? (given as Json[]) : [given, modes];
  const names = [...String(source).matchAll(/\((?!\?)|\(\?<([A-Za-z_]\w*)>/g)].map(([, name]) => name ?? null);
  const plainSource = String(source)
    .replace(/\(\?<[A-Za-z_]\w*>/g, "(")
    .replace(/\(\?:/g, "(");
  const pattern = regularExpression(call.process, plainSource, {
    isExtended: true,
    ignoresCase: modesOf(flags).includes("i"),
  });
  if (!isPattern(pattern)) throw new JqError(`${String(source)} (at offset 0) is not a valid regex: ${pattern.error}`);
  const spend = (units: number) => charge(call.process, units);
  const made: Matched[] = [];
  for (const found of pattern.findAll(text, spend)) {
    made.push(matched(found, names));
    if (!modesOf(flags).includes("g")) break;
  }
  return made;
}

function modesOf(flags: Json): string {
  return typeof flags === "string" ? flags : "";
}

function matched({ start, end, groups: [whole = "", ...groups] }: Match, names: readonly (string | null)[]): Matched {
  const captures = groups.map((text, at) => ({
    offset: text === undefined ? -1 : start,
    length: text?.length ?? 0,
    string: text ?? null,
    name: names[at] ?? null,
  }));
  return { offset: start, length: end - start, string: whole, captures };
}

function cut(text: string, all: readonly Matched[]): string[] {
  const parts: string[] = [];
  let at = 0;
  for (const { offset, length } of all) {
    parts.push(text.slice(at, offset));
    at = offset + length;
  }
  return [...parts, text.slice(at)];
}

/** What is put in is worked out once, so that it may not name what was found. */
function replacedBy(value: Json, all: readonly Matched[], to: Json): string {
  return cut(String(value), all).join(string(to, "cannot be added to a string"));
}

function placesOf(value: Json, wanted: Json, key: string): Json {
  if (value === null) return null;
  const places: number[] = [];
  if (typeof value === "string" && typeof wanted === "string")
    for (let at = value.indexOf(wanted); at >= 0 && wanted !== ""; at = value.indexOf(wanted, at + 1)) places.push(at);
  else if (Array.isArray(value))
    for (const [at, one] of value.entries()) if (compare(one, wanted) === 0) places.push(at);
  return key === "indices/1" ? places : ((key === "index/1" ? places[0] : places.at(-1)) ?? null);
}
