// The functions that jq has itself. Those that can be said in jq are.
import { byteLength } from "../../base/byte-text.ts";
import { countCharacters } from "../characters.ts";
import { limits } from "../../base/limits.ts";
import { formatDate } from "../date.ts";
import { type Filter, JqSyntaxError, parseJq } from "./parse.ts";
import { charge, comeBack, enter, hold, type Metered, newPayer } from "../meter.ts";
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
  told,
  typeOf,
  sortedKeys,
  weigh,
} from "./values.ts";
import { assigned, extended, pathOf, plain, readOrNull, removed, shownPath, walk } from "./paths.ts";
import { unfolded } from "./unfold.ts";
import { type Answer, parsedJson, list, matches, string, substituted, textual } from "./texts.ts";

/** By name and number of arguments. */
const said: Readonly<Record<string, string>> = {
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
/** Enough to read any of them. */
const ownWork = 1_000_000;
const parsed = new Map<string, Filter>();

export function* builtin(asked: FunctionCall): Generator<At, void, undefined> {
  const { scope, name, args, at, run } = asked;
  const key = `${name}/${args.length}`;
  const entered = builtinBody(scope, name, args);
  if (entered) return yield* run(entered.scope, entered.body, at);
  if (yield* flowing(asked, key)) return;
  const found = yield* withArguments(asked, key);
  if (!found) throw new JqSyntaxError(`${key} is not defined`);
}

/** The body of a function that is written in jq, and the scope in which it runs for these arguments. */
export function builtinBody(
  scope: Scope,
  name: string,
  args: readonly Filter[],
): { readonly scope: Scope; readonly body: Filter } | undefined {
  const key = `${name}/${args.length}`;
  const text = Object.hasOwn(said, key) ? said[key] : undefined;
  if (text === undefined) return undefined;
  const body = parsed.get(key) ?? parseJq(text, newPayer(ownWork, ownWork, limits.shellDepth));
  parsed.set(key, body);
  const functions = new Map<string, Closure>();
  for (const [index, arg] of args.entries())
    functions.set(`${"ab".charAt(index)}/0`, { parameters: [], body: arg, scope });
  return { scope: { ...scope, functions }, body };
}

/** Functions whose arguments are run as they please; whether it is one of them. */
function* flowing(asked: FunctionCall, key: string): Generator<At, boolean, undefined> {
  const { scope, args, at, run, values, pathsOf, recursed } = asked;
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
      yield* unfolded(asked, key);
      return true;
    case "select/1":
      for (const one of values(scope, a, value)) if (isTrue(one)) yield at;
      return true;
    case "path/1":
      for (const path of pathsOf(scope, a, value)) yield plain(shownPath(path));
      return true;
    case "first/1":
      for (const one of run(scope, a, at)) {
        yield one;
        return true;
      }
      return true;
    case "last/1": {
      let last: At | undefined;
      for (const one of run(scope, a, at)) last = one;
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
      for (const one of run(scope, b, at)) {
        yield one;
        if (--left <= 0) return true;
      }
      return true;
    }
    default:
      return yield* gathering(asked, key, a);
  }
}

/** Of them those that look at all that an argument gives, or at a place that it names. */
function* gathering(asked: FunctionCall, key: string, a: Filter): Generator<At, boolean, undefined> {
  const { scope, at, values } = asked;
  const { process } = scope.call;
  const [, b] = asked.args;
  const { value } = at;
  switch (key) {
    case "any/2":
    case "all/2": {
      const wants = key === "any/2";
      for (const one of values(scope, a, value)) {
        for (const holds of b ? values(scope, b, one) : []) {
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
          rows(value, scope, (one) => [...values(scope, a, one)]),
        ),
      );
      return true;
    case "sub/2":
    case "sub/3":
    case "gsub/2":
    case "gsub/3":
      for (const made of substituted(asked)) yield plain(made);
      return true;
    case "getpath/1":
      for (const one of values(scope, a, value)) {
        const path = pathOf(one);
        yield { value: readOrNull(scope, value, path), path: at.path && [...at.path, ...path] };
      }
      return true;
    case "setpath/2":
      for (const path of values(scope, a, value))
        for (const made of b ? values(scope, b, value) : [])
          yield plain(assigned(scope, value, pathOf(path), made, false));
      return true;
    case "delpaths/1":
      for (const paths of values(scope, a, value)) {
        const all = list(paths, "cannot be iterated over");
        charge(process, sortWork * all.length * Math.log2(all.length + 1));
        const sorted = [...all].sort((one, other) => compare(process, one, other)).reverse();
        let made = value;
        for (const [at, path] of sorted.entries()) made = removed(scope, made, pathOf(path), at > 0);
        yield plain(made);
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

function rows(value: Json, { call }: FunctionCall["scope"], keyOf: (one: Json) => Json[]): Row[] {
  if (!Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with number`);
  charge(call.process, sortWork * value.length * Math.log2(value.length + 1));
  hold(call.process, value.length * 32);
  return (value as Json[]).map((one) => ({ value: one, key: keyOf(one) }));
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
  if (name === "sort_by") return sorted.map((one) => one.value);
  const groups: Row[][] = [];
  for (const one of sorted) {
    const last = groups.at(-1);
    if (last?.[0] && order(last[0], one) === 0) last.push(one);
    else groups.push([one]);
  }
  return name === "group_by"
    ? groups.map((group) => group.map((one) => one.value))
    : groups.map(([one]) => one?.value ?? null);
}

/** Functions that look at all that their values hold. The others look at the members, or charge for what they look at. */
const readsDeeply = new Set(["tostring/0", "tojson/0", "debug/0", "format/1", "index/1", "rindex/1", "indices/1"]);
/** Functions that look at nothing but the type, the length or one member. */
const readsNothing = new Set(["type/0", "has/1", "contains/1", "error/1"]);

/** Functions of the value and of each combination of their arguments' values. */
function* withArguments({ scope, args, at, values }: FunctionCall, key: string): Generator<At, boolean, undefined> {
  const lists = args.map((arg) => [...values(scope, arg, at.value)]);
  let combinations: Json[][] = [[]];
  for (const list of lists) combinations = list.flatMap((one) => combinations.map((before) => [...before, one]));
  const { process } = scope.call;
  for (const given of combinations) {
    charge(process, 0.5);
    for (const one of [at.value, ...given]) {
      if (readsDeeply.has(key)) weigh(process, one);
      else if (typeof one === "string") charge(process, one.length / 256);
      else if (!readsNothing.has(key)) walk(scope, one);
    }
    if (key === "range/1" || key === "range/2" || key === "range/3") {
      const numbers = given.map(Number);
      const [from = 0, to = 0, by = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers;
      for (let one = from; by > 0 ? one < to : by < 0 && one > to; one += by) {
        charge(scope.call.process, 0.2);
        yield plain(one);
      }
      continue;
    }
    if ((key === "match/1" || key === "match/2") && typeof at.value === "string") {
      for (const one of matches(scope, at.value, given)) yield plain(one);
      continue;
    }
    const found = simple(scope, key, at.value, given) ?? mathematical(key, at.value, given);
    if (!found) return false;
    yield plain(found.value);
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
  const own = Object.hasOwn(functions, key) ? functions[key] : undefined;
  if (own) {
    if (typeof value !== "number") throw new JqError(`${told(value)} number required`);
    return { value: own(value) };
  }
  if (key === "pow/2") return { value: Number(a) ** Number(b) };
  return undefined;
}

function simple(scope: FunctionCall["scope"], key: string, value: Json, [a = null, b = null]: readonly Json[]): Answer {
  const { process } = scope.call;
  const answer = (made: Json): Answer => ({ value: made });
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
      if (!isObject(value)) throw new JqError(`${told(value)} has no keys`);
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
        throw new JqError(`${told(value)} and ${told(a)} cannot have their containment checked`);
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
      if (Number.isNaN(number)) throw new JqError(`${told(value)} cannot be parsed as a number`);
      return answer(number);
    }
    default:
      return ordered(scope, key, value, a) ?? textual(scope, key, value, a, b);
  }
}

/** `add`: what one sum has made is appended to by the next. */
function summed(scope: Scope, all: readonly Json[]): Json {
  let sum: Json = null;
  for (const one of all) sum = extended(scope, sum, one, true);
  return sum;
}

/** Microseconds of a time that is written or read. */
const dateWork = 5;

/** Of them those about order, and about times. */
function ordered(scope: FunctionCall["scope"], key: string, value: Json, a: Json): Answer {
  const answer = (made: Json): Answer => ({ value: made });
  switch (key) {
    case "sort/0":
    case "unique/0":
    case "min/0":
    case "max/0": {
      const all = rows(value, scope, (one) => [one]);
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

/** Pays for each element: a value may stand in a list many times. */
function flattened(payer: Metered, value: readonly Json[], depth: number, into: Json[] = []): Json[] {
  enter(payer);
  for (const one of value) {
    charge(payer, 0.05);
    if (Array.isArray(one) && depth > 0) flattened(payer, one as Json[], depth - 1, into);
    else {
      hold(payer, 16);
      into.push(one);
    }
  }
  comeBack(payer);
  return into;
}

function lengthOf(payer: Metered, value: Json): number {
  if (value === null) return 0;
  if (typeof value === "string") return countCharacters(payer, value);
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "boolean") throw new JqError(`${told(value)} has no length`);
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}
