// The built-in functions of jq. Most are defined in jq itself.
import { byteLength } from "../../base/byte-text.ts";
import { countCharacters } from "../characters.ts";
import { limits } from "../../base/limits.ts";
import { formatDate } from "../date.ts";
import { type Filter, JqSyntaxError, parseJq } from "./parse.ts";
import { charge, leaveLevel, enterLevel, hold, type Metered, newMetered } from "../meter.ts";
import type { At, Closure, FunctionCall, Scope } from "./scope.ts";
import {
  compare,
  contains,
  formatted,
  isObject,
  isTrue,
  type Json,
  JqError,
  textOf,
  describe,
  typeOf,
  sortedKeys,
  chargeDeeply,
} from "./values.ts";
import { assigned, extended, pathOf, plain, readOrNull, removed, shownPath, walk } from "./paths.ts";
import { unfolded } from "./unfold.ts";
import { type Answer, parsedJson, list, matches, string, substituted, textual } from "./texts.ts";

/** Definitions by name and number of arguments. */
const definitions: Readonly<Record<string, string>> = {
  "map/1": "[.[] | a]",
  "map_values/1": ".[] |= a",
  "recurse/2": "recurse(a | select(b))",
  "values/0": "select(. != null)",
  "nulls/0": "select(. == null)",
  "strings/0": 'select(type == "string")',
  "numbers/0": 'select(type == "number")',
  "arrays/0": 'select(type == "array")',
  "objects/0": 'select(type == "object")',
  "booleans/0": 'select(type == "boolean")',
  "scalars/0": 'select(type | . != "array" and . != "object")',
  "iterables/0": 'select(type | . == "array" or . == "object")',
  "to_entries/0": "[keys_unsorted[] as $k | {key: $k, value: .[$k]}]",
  "from_entries/0":
    'reduce .[] as $x ({}; . + { ($x | if .key == null then (.k // .name // .Name // .K // .Key) else .key end | if type == "string" then . else tojson end): ($x | if has("value") then .value elif has("v") then .v else .Value end) })',
  "with_entries/1": "to_entries | map(a) | from_entries",
  "paths/0": "path(..) | select(length > 0)",
  "paths/1": "path(.. | select(a)) | select(length > 0)",
  "leaf_paths/0": "paths(scalars)",
  "any/0": "any(.[]; .)",
  "all/0": "all(.[]; .)",
  "any/1": "any(.[]; a)",
  "all/1": "all(.[]; a)",
  "add/1": "[a] | add",
  "first/0": ".[0]",
  "last/0": ".[-1]",
  "nth/1": ".[a]",
  "nth/2": "last(limit(a + 1; b))",
  "in/1": ". as $x | a | has($x)",
  "inside/1": ". as $x | a | contains($x)",
  "walk/1": 'def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | a; w',
  "env/0": "$ENV",
  "todate/0": 'strftime("%Y-%m-%dT%H:%M:%SZ")',
  "scan/1": 'match(a; "g") | if (.captures | length) > 0 then [.captures[].string] else .string end',
  "capture/1": "match(a) | [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries",
  "capture/2": "match(a; b) | [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries",
  "scan/2": 'match(a; b + "g") | if (.captures | length) > 0 then [.captures[].string] else .string end',
  "IN/1": ". as $x | any(a; . == $x)",
  "splits/1": "split(a; null) | .[]",
  "del/1": "delpaths([path(a)])",
  "to_array/0": 'if type == "array" then . else [.] end',
  "combinations/0": "if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end",
  "transpose/0": "[range(0; map(length) | max // 0) as $i | [.[][$i]]]",
  "ascii/0": "[.] | implode",
  "abs/0": "if . < 0 then -. else . end",
  "finites/0": "select(isinfinite | not)",
  "input_line_number/0": "0",
  "error/0": "error(.)",
  "halt_error/0": "error(.)",
  "pick/1": ". as $x | reduce path(a) as $p (null; setpath($p; $x | getpath($p)))",
};
/** The budget of parsing one definition, which is enough for each of them. */
const ownWork = 1_000_000;
const parsed = new Map<string, Filter>();

export function* builtin(invocation: FunctionCall): Generator<At, void, undefined> {
  const { scope, name, args, at, run } = invocation;
  const key = `${name}/${args.length}`;
  const entered = builtinBody(scope, name, args);
  if (entered) return yield* run(entered.scope, entered.body, at);
  if (yield* flowing(invocation, key)) return;
  const isDefined = yield* withArguments(invocation, key);
  if (!isDefined) throw new JqSyntaxError(`${key} is not defined`);
}

/** Returns the body of a function that is written in jq, and the scope in which it runs with these arguments. */
export function builtinBody(
  scope: Scope,
  name: string,
  args: readonly Filter[],
): { readonly scope: Scope; readonly body: Filter } | undefined {
  const key = `${name}/${args.length}`;
  const text = Object.hasOwn(definitions, key) ? definitions[key] : undefined;
  if (text === undefined) return undefined;
  const body = parsed.get(key) ?? parseJq(text, newMetered(ownWork, ownWork, limits.shellDepth));
  parsed.set(key, body);
  const functions = new Map<string, Closure>();
  for (const [index, arg] of args.entries())
    functions.set(`${"ab".charAt(index)}/0`, { parameters: [], body: arg, scope });
  return { scope: { ...scope, functions }, body };
}

/** Runs functions that evaluate their arguments themselves. Returns whether the function is one of them. */
function* flowing(invocation: FunctionCall, key: string): Generator<At, boolean, undefined> {
  const { scope, args, at, run, values, pathsOf, recursed } = invocation;
  const { value } = at;
  const [a, b] = args;
  switch (key) {
    case "empty/0":
      return true;
    case "not/0":
      yield plain(!isTrue(value));
      return true;
    case "recurse/0":
      yield* recursed(scope, at);
      return true;
    case "input/0":
    case "inputs/0":
      for (let next; (next = scope.inputs.next()) !== undefined; ) {
        yield plain(next);
        if (key === "input/0") return true;
      }
      if (key === "input/0") throw new JqError("No more inputs");
      return true;
  }
  if (!a) return false;
  switch (key) {
    case "recurse/1":
    case "repeat/1":
    case "while/2":
    case "until/2":
      yield* unfolded(invocation, key);
      return true;
    case "select/1":
      for (const result of values(scope, a, value)) if (isTrue(result)) yield at;
      return true;
    case "path/1":
      for (const path of pathsOf(scope, a, value)) yield plain(shownPath(path));
      return true;
    case "first/1":
      for (const result of run(scope, a, at)) {
        yield result;
        return true;
      }
      return true;
    case "last/1": {
      let last: At | undefined;
      for (const result of run(scope, a, at)) last = result;
      if (last) yield last;
      return true;
    }
    case "isempty/1": {
      for (const _ of run(scope, a, at)) {
        yield plain(false);
        return true;
      }
      yield plain(true);
      return true;
    }
    case "limit/2": {
      const [count] = values(scope, a, value);
      let left = Number(count);
      if (left <= 0 || !b) return true;
      for (const result of run(scope, b, at)) {
        yield result;
        if (--left <= 0) return true;
      }
      return true;
    }
    default:
      return yield* gathering(invocation, key, a);
  }
}

/** Runs those of them that collect all values of an argument, or a path of it. */
function* gathering(invocation: FunctionCall, key: string, a: Filter): Generator<At, boolean, undefined> {
  const { scope, at, values } = invocation;
  const { process } = scope.call;
  const [, b] = invocation.args;
  const { value } = at;
  switch (key) {
    case "any/2":
    case "all/2": {
      const wants = key === "any/2";
      for (const item of values(scope, a, value)) {
        for (const holds of b ? values(scope, b, item) : []) {
          if (isTrue(holds) !== wants) continue;
          yield plain(wants);
          return true;
        }
      }
      yield plain(!wants);
      return true;
    }
    case "sort_by/1":
    case "group_by/1":
    case "unique_by/1":
    case "min_by/1":
    case "max_by/1":
      yield plain(
        byKey(
          process,
          key.slice(0, -2),
          rows(value, scope, (item) => [...values(scope, a, item)]),
        ),
      );
      return true;
    case "sub/2":
    case "sub/3":
    case "gsub/2":
    case "gsub/3":
      for (const replaced of substituted(invocation)) yield plain(replaced);
      return true;
    case "getpath/1":
      for (const pathValue of values(scope, a, value)) {
        const path = pathOf(pathValue);
        yield { value: readOrNull(scope, value, path), path: at.path && [...at.path, ...path] };
      }
      return true;
    case "setpath/2":
      for (const path of values(scope, a, value))
        for (const replacement of b ? values(scope, b, value) : [])
          yield plain(assigned(scope, value, pathOf(path), replacement, false));
      return true;
    case "delpaths/1":
      for (const paths of values(scope, a, value)) {
        const all = list(paths, "cannot be iterated over");
        charge(process, sortWork * all.length * Math.log2(all.length + 1));
        const sorted = [...all].sort((left, right) => compare(process, left, right)).reverse();
        let remaining = value;
        for (const [at, path] of sorted.entries()) remaining = removed(scope, remaining, pathOf(path), at > 0);
        yield plain(remaining);
      }
      return true;
    default:
      return false;
  }
}

interface Row {
  readonly value: Json;
  readonly key: readonly Json[];
}

/** Microseconds of one comparison of a sort, beside what `compare` charges. */
const sortWork = 0.1;

function rows(value: Json, { call }: FunctionCall["scope"], keyOf: (item: Json) => Json[]): Row[] {
  if (!Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with number`);
  charge(call.process, sortWork * value.length * Math.log2(value.length + 1));
  hold(call.process, value.length * 32);
  return (value as Json[]).map((item) => ({ value: item, key: keyOf(item) }));
}

function byKey(payer: Metered, name: string, all: Row[]): Json {
  const order = (a: Row, b: Row) => compare(payer, a.key, b.key);
  if (name === "min_by" || name === "max_by") {
    const best = all.reduce<Row | undefined>(
      (a, b) => (!a || (name === "min_by" ? order(b, a) < 0 : order(b, a) >= 0) ? b : a),
      undefined,
    );
    return best?.value ?? null;
  }
  const sorted = [...all].sort(order);
  if (name === "sort_by") return sorted.map((row) => row.value);
  const groups: Row[][] = [];
  for (const row of sorted) {
    const last = groups.at(-1);
    if (last?.[0] && order(last[0], row) === 0) last.push(row);
    else groups.push([row]);
  }
  return name === "group_by"
    ? groups.map((group) => group.map((row) => row.value))
    : groups.map(([firstRow]) => firstRow?.value ?? null);
}

/** Functions that read their values deeply. The others read the members, or charge for what they read. */
const readsDeeply = new Set(["tostring/0", "tojson/0", "debug/0", "format/1", "index/1", "rindex/1", "indices/1"]);
/** Functions that read nothing but the type, the length or one member. */
const readsNothing = new Set(["type/0", "has/1", "contains/1", "error/1"]);

/** Runs functions of the value and of each combination of their arguments' values. */
function* withArguments({ scope, args, at, values }: FunctionCall, key: string): Generator<At, boolean, undefined> {
  const lists = args.map((arg) => [...values(scope, arg, at.value)]);
  let combinations: Json[][] = [[]];
  for (const list of lists) combinations = list.flatMap((choice) => combinations.map((before) => [...before, choice]));
  const { process } = scope.call;
  for (const argumentValues of combinations) {
    charge(process, 0.5);
    for (const operand of [at.value, ...argumentValues]) {
      if (readsDeeply.has(key)) chargeDeeply(process, operand);
      else if (typeof operand === "string") charge(process, operand.length / 256);
      else if (!readsNothing.has(key)) walk(scope, operand);
    }
    if (key === "range/1" || key === "range/2" || key === "range/3") {
      const numbers = argumentValues.map(Number);
      const [from = 0, to = 0, by = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers;
      for (let number = from; by > 0 ? number < to : by < 0 && number > to; number += by) {
        charge(scope.call.process, 0.2);
        yield plain(number);
      }
      continue;
    }
    if ((key === "match/1" || key === "match/2") && typeof at.value === "string") {
      for (const match of matches(scope, at.value, argumentValues)) yield plain(match);
      continue;
    }
    const answer = simple(scope, key, at.value, argumentValues) ?? mathematical(key, at.value, argumentValues);
    if (!answer) return false;
    yield plain(answer.value);
  }
  return true;
}

function mathematical(key: string, value: Json, [a, b]: readonly Json[]): Answer {
  const functions: Readonly<Record<string, (x: number) => number>> = {
    "floor/0": Math.floor,
    "ceil/0": Math.ceil,
    "round/0": Math.round,
    "sqrt/0": Math.sqrt,
    "fabs/0": Math.abs,
    "log/0": Math.log,
    "log2/0": Math.log2,
    "log10/0": Math.log10,
    "exp/0": Math.exp,
  };
  const calculation = Object.hasOwn(functions, key) ? functions[key] : undefined;
  if (calculation) {
    if (typeof value !== "number") throw new JqError(`${describe(value)} number required`);
    return { value: calculation(value) };
  }
  if (key === "pow/2") return { value: Number(a) ** Number(b) };
  return undefined;
}

function simple(scope: FunctionCall["scope"], key: string, value: Json, [a = null, b = null]: readonly Json[]): Answer {
  const { process } = scope.call;
  const answer = (result: Json): Answer => ({ value: result });
  switch (key) {
    case "length/0":
      return answer(lengthOf(process, value));
    case "utf8bytelength/0":
      return answer(byteLength(string(value, "only strings have UTF-8 byte length")));
    case "type/0":
      return answer(typeOf(value));
    case "keys/0":
    case "keys_unsorted/0": {
      if (Array.isArray(value)) return answer(value.map((_, index) => index));
      if (!isObject(value)) throw new JqError(`${describe(value)} has no keys`);
      return answer(key === "keys/0" ? sortedKeys(process, value) : Object.keys(value));
    }
    case "has/1":
      if (isObject(value) && typeof a === "string") return answer(Object.hasOwn(value, a));
      if (Array.isArray(value) && typeof a === "number") return answer(a >= 0 && a < value.length);
      throw new JqError(
        `Cannot check whether ${typeOf(value)} has a ${typeof a === "string" ? "string" : typeOf(a)} key`,
      );
    case "contains/1":
      if (typeOf(value) !== typeOf(a))
        throw new JqError(`${describe(value)} and ${describe(a)} cannot have their containment checked`);
      return answer(contains(process, value, a));
    case "add/0": {
      const all = isObject(value) ? Object.values(value) : list(value ?? [], "cannot be iterated over");
      return answer(summed(scope, all));
    }
    case "tostring/0":
      return answer(textOf(value));
    case "tojson/0":
      return answer(JSON.stringify(value));
    case "fromjson/0":
      return answer(parsedJson(string(value, "cannot be parsed as JSON"), value));
    case "tonumber/0": {
      if (typeof value === "number") return answer(value);
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
      if (Number.isNaN(number)) throw new JqError(`${describe(value)} cannot be parsed as a number`);
      return answer(number);
    }
    default:
      return ordered(scope, key, value, a) ?? textual(scope, key, value, a, b);
  }
}

/** Computes `add`: the next sum appends to the value of the previous one. */
function summed(scope: Scope, all: readonly Json[]): Json {
  let sum: Json = null;
  for (const item of all) sum = extended(scope, sum, item, true);
  return sum;
}

/** Microseconds of formatting or parsing a time. */
const dateWork = 5;

/** Runs the functions of order and of times. */
function ordered(scope: FunctionCall["scope"], key: string, value: Json, a: Json): Answer {
  const answer = (result: Json): Answer => ({ value: result });
  switch (key) {
    case "sort/0":
    case "unique/0":
    case "min/0":
    case "max/0": {
      const all = rows(value, scope, (item) => [item]);
      return answer(byKey(scope.call.process, `${key.slice(0, -2)}_by`, all));
    }
    case "reverse/0":
      return answer(
        typeof value === "string"
          ? [...value].reverse().join("")
          : [...list(value ?? [], "cannot be reversed")].reverse(),
      );
    case "flatten/0":
    case "flatten/1": {
      const depth = key === "flatten/0" ? Number.POSITIVE_INFINITY : Number(a);
      if (depth < 0) throw new JqError("flatten depth must not be negative");
      return answer(flattened(scope.call.process, list(value, "cannot be iterated over"), depth));
    }
    case "now/0":
      return answer(scope.call.nowMs() / 1000);
    case "infinite/0":
      return answer(Number.MAX_VALUE);
    case "nan/0":
    case "null/0":
      return answer(null);
    case "isinfinite/0":
    case "isnan/0":
      return answer(false);
    case "error/1":
      throw new JqError(a);
    case "debug/0":
      scope.call.err(`["DEBUG:",${JSON.stringify(value)}]\n`);
      return answer(value);
    case "format/1":
      return answer(formatted(scope.call.process, `@${String(a)}`, value));
    case "strftime/1":
      charge(scope.call.process, dateWork + String(a).length / 4);
      return answer(formatDate(Number(value) * 1000, String(a)));
    case "fromdate/0":
    case "fromdateiso8601/0": {
      charge(scope.call.process, dateWork);
      const ms = Date.parse(string(value, "strptime/1 requires string inputs"));
      if (Number.isNaN(ms)) throw new JqError(`date "${String(value)}" does not match format "%Y-%m-%dT%H:%M:%SZ"`);
      return answer(Math.floor(ms / 1000));
    }
    default:
      return undefined;
  }
}

/** Charges for each element, since a list may contain the same value many times. */
function flattened(payer: Metered, value: readonly Json[], depth: number, into: Json[] = []): Json[] {
  enterLevel(payer);
  for (const item of value) {
    charge(payer, 0.05);
    if (Array.isArray(item) && depth > 0) flattened(payer, item as Json[], depth - 1, into);
    else {
      hold(payer, 16);
      into.push(item);
    }
  }
  leaveLevel(payer);
  return into;
}

function lengthOf(payer: Metered, value: Json): number {
  if (value === null) return 0;
  if (typeof value === "string") return countCharacters(payer, value);
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "boolean") throw new JqError(`${describe(value)} has no length`);
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}
