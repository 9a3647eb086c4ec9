// The functions of jq for texts and regular expressions.
import { compilePattern, compileUnits, isPattern, type Match } from "../../base/pattern.ts";
import { chargeForBuilding, charge, hold, type Metered } from "../meter.ts";
import type { Expression, FunctionCall } from "./scope.ts";
import { compare, type Json, JqError, searchWork, textOf, describe } from "./values.ts";

export type Answer = { readonly value: Json } | undefined;

export function list(value: Json, why: string): Json[] {
  if (!Array.isArray(value)) throw new JqError(`${describe(value)} ${why}`);
  return value as Json[];
}

export function string(value: Json, why: string): string {
  if (typeof value !== "string") throw new JqError(`${describe(value)} ${why}`);
  return value;
}

export function textual(scope: FunctionCall["scope"], key: string, value: Json, a: Json, b: Json): Answer {
  const { process } = scope.call;
  const answer = (result: Json): Answer => ({ value: result });
  switch (key) {
    case "join/1": {
      const texts = list(value, "cannot be iterated over").map((item) => {
        if (typeof item === "object" && item !== null)
          throw new JqError(`${describe("")} and ${describe(item)} cannot be added`);
        return item === null ? "" : textOf(item);
      });
      chargeForBuilding(
        process,
        texts.reduce((sum, text) => sum + text.length, 0),
      );
      return answer(texts.join(String(a)));
    }
    case "split/1":
      return answer(value === "" ? [] : split(process, string(value, "cannot be split"), String(a)));
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
      charge(process, letterWork * string(value, "cannot be exploded").length);
      hold(process, 16 * (value as string).length);
      return answer([...string(value, "cannot be exploded")].map((letter) => letter.codePointAt(0)));
    case "implode/0":
      charge(process, list(value, "cannot be imploded").length * letterWork);
      return answer(
        list(value, "cannot be imploded")
          .map((codePoint) => String.fromCodePoint(Number(codePoint)))
          .join(""),
      );
    default:
      return matching(scope, key, value, a, b);
  }
}

/** Microseconds of splitting off one character. */
const letterWork = 0.03;
const pieceWork = 0.05;

function split(payer: Metered, text: string, separator: string): string[] {
  charge(payer, searchWork(text, separator));
  // Without a separator each character is a piece.
  if (separator === "") hold(payer, 16 * text.length);
  const pieces = text.split(separator);
  charge(payer, pieceWork * pieces.length);
  hold(payer, 16 * pieces.length);
  return pieces;
}

/** Runs the functions that take a regular expression. */
function matching(scope: FunctionCall["scope"], key: string, value: Json, a: Json, b: Json): Answer {
  const answer = (result: Json): Answer => ({ value: result });
  switch (key) {
    case "test/1":
    case "test/2":
      return answer(matches(scope, string(value, "cannot be matched, as it is not a string"), [a, b]).length > 0);
    case "split/2":
      return answer(cut(string(value, "cannot be split"), matches(scope, value as string, [a, "g"])));
    case "index/1":
    case "rindex/1":
    case "indices/1":
      return answer(placesOf(scope.call.process, value, a, key));
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
  scope: FunctionCall["scope"],
  text: string,
  [expression = null, modes = null]: readonly Json[],
): Matched[] {
  const [source, flags] = Array.isArray(expression) ? (expression as Json[]) : [expression, modes];
  const { names, pattern } = expressionOf(scope, String(source), modesOf(flags).includes("i"));
  const spend = (units: number) => charge(scope.call.process, units);
  const results: Matched[] = [];
  for (const match of pattern.findAll(text, spend)) {
    charge(scope.call.process, matchWork + match.groups.length * groupWork);
    hold(scope.call.process, 64 * (1 + match.groups.length));
    results.push(matched(match, names));
    if (!modesOf(flags).includes("g")) break;
  }
  return results;
}

/** Microseconds of returning a match, and each of its groups. */
const matchWork = 1;
const groupWork = 0.5;

/** Compiles an expression, or returns the compiled one if the program has used it before. */
function expressionOf(scope: FunctionCall["scope"], source: string, ignoresCase: boolean): Expression {
  const key = `${ignoresCase}${source}`;
  const before = scope.expressions.get(key);
  if (before) return before;
  const { process } = scope.call;
  charge(process, source.length / 8);
  const names = [...source.matchAll(/\\.|\((?!\?)|\(\?P?<([A-Za-z_]\w*)>/gs)]
    .filter(([group]) => group.startsWith("("))
    .map(([, name]) => name ?? null);
  const goSource = source.replace(/\(\?<(?=[A-Za-z_])/g, "(?P<");
  charge(process, compileUnits(goSource));
  const pattern = compilePattern(goSource, { ignoresCase });
  if (!isPattern(pattern)) throw new JqError(`${source} (at offset 0) is not a valid regex: ${pattern.error}`);
  const expression = { names, pattern };
  scope.expressions.set(key, expression);
  return expression;
}

function modesOf(flags: Json): string {
  return typeof flags === "string" ? flags : "";
}

function matched(
  { start, end, groups: [matchedText = "", ...groups] }: Match,
  names: readonly (string | null)[],
): Matched {
  const captures = groups.map((text, at) => ({
    offset: text === undefined ? -1 : start,
    length: text?.length ?? 0,
    string: text ?? null,
    name: names[at] ?? null,
  }));
  return { offset: start, length: end - start, string: matchedText, captures };
}

function cut(text: string, all: readonly Matched[]): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const { offset, length } of all) {
    pieces.push(text.slice(at, offset));
    at = offset + length;
  }
  return [...pieces, text.slice(at)];
}

/** Runs `sub` and `gsub`, whose replacement may refer to captures. */
export function* substituted(
  { scope, name, args: [source, by, modes], at: { value }, values }: FunctionCall,
  text = string(value, "cannot be matched, as it is not a string"),
): Generator<string, void, undefined> {
  for (const expression of source ? values(scope, source, value) : []) {
    const [flags = null] = modes ? values(scope, modes, value) : [];
    let result = "";
    let at = 0;
    for (const { offset, length, captures } of matches(scope, text, [
      expression,
      modesOf(flags) + (name === "gsub" ? "g" : ""),
    ])) {
      const named = Object.fromEntries(
        captures.flatMap((capture) => (capture.name === null ? [] : [[capture.name, capture.string]])),
      );
      const [put = null] = by ? values(scope, by, named) : [];
      result += text.slice(at, offset) + string(put, "cannot be added to a string");
      chargeForBuilding(scope.call.process, result.length);
      at = offset + length;
    }
    yield result + text.slice(at);
  }
}

/** Returns the positions of a text in a text, of a list in a list, or of an element in a list. */
function placesOf(payer: Metered, value: Json, sought: Json, key: string): Json {
  if (value === null) return null;
  const places: number[] = [];
  if (typeof value === "string" && typeof sought === "string") {
    for (let at = value.indexOf(sought); at >= 0 && sought !== ""; at = value.indexOf(sought, at + 1)) {
      charge(payer, 0.1 + sought.length / 1024);
      places.push(at);
    }
  } else if (Array.isArray(value)) {
    const run = Array.isArray(sought) ? (sought as Json[]) : [sought];
    for (let at = 0; run.length > 0 && at + run.length <= value.length; at++) {
      charge(payer, 0.05);
      if (run.every((item, index) => compare(payer, value[at + index], item) === 0)) places.push(at);
    }
  }
  hold(payer, places.length * 16);
  return key === "indices/1" ? places : ((key === "index/1" ? places[0] : places.at(-1)) ?? null);
}

export function parsedJson(text: string, value: Json): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JqError(`${describe(value)} cannot be parsed as JSON`);
  }
}
