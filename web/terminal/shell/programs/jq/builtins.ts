// jq's own functions, by name and number of arguments.
import type { Match, Pattern } from "../../../../../shared/base/pattern.ts";
import { compilePattern, isPattern } from "../../../../../shared/base/pattern.ts";
import { newBudget } from "../../language/patterns.ts";
import type { Node } from "./syntax.ts";
import {
  type At,
  type Builtin,
  combined,
  type Interpreter,
  members,
  put,
  type Path,
  type Scope,
  valueAt,
  without,
} from "./run.ts";
import { brief, compact, compareValues, isRecord, isTrue, JqError, textOf, typeOf } from "./values.ts";

type Builtins = Readonly<Record<string, Builtin>>;

/** `nowMs` gives the time of `now`. */
export function builtinsOf(run: Interpreter, nowMs: () => number): Builtins {
  return { ...plain(nowMs), ...selecting(run), ...collecting(run), ...paths(run), ...texts(run), ...patterns(run) };
}

/** What maps one value to one. */
function plain(nowMs: () => number): Builtins {
  const one =
    (change: (value: unknown) => unknown): Builtin =>
    (input) => [{ value: change(input.value) }];
  return {
    "not/0": one((value) => !isTrue(value)),
    "length/0": one(lengthOf),
    "utf8bytelength/0": one((value) => new TextEncoder().encode(text(value)).length),
    "keys/0": one((value) => keysOf(value).sort(compareValues)),
    "keys_unsorted/0": one(keysOf),
    "type/0": one(typeOf),
    "add/0": one((value) => list(value).reduce((sum: unknown, next) => combined("+", sum, next), null)),
    "any/0": one((value) => list(value).some(isTrue)),
    "all/0": one((value) => list(value).every(isTrue)),
    "tostring/0": one(textOf),
    "tojson/0": one(compact),
    "fromjson/0": one((value) => parsed(text(value))),
    "tonumber/0": one(number),
    "ascii_downcase/0": one((value) => text(value).toLowerCase()),
    "ascii_upcase/0": one((value) => text(value).toUpperCase()),
    "trim/0": one((value) => text(value).trim()),
    "ltrim/0": one((value) => text(value).trimStart()),
    "rtrim/0": one((value) => text(value).trimEnd()),
    "explode/0": one((value) => [...text(value)].map((letter) => letter.codePointAt(0))),
    "implode/0": one((value) => String.fromCodePoint(...list(value).map(Number))),
    "reverse/0": one((value) =>
      typeof value === "string" ? [...value].reverse().join("") : [...list(value ?? [])].reverse(),
    ),
    "sort/0": one((value) => [...list(value)].sort(compareValues)),
    "unique/0": one((value) => unique(list(value), list(value))),
    "min/0": one((value) => [...list(value)].sort(compareValues)[0] ?? null),
    "max/0": one((value) => [...list(value)].sort(compareValues).at(-1) ?? null),
    "flatten/0": one((value) => list(value).flat(Infinity)),
    "floor/0": one((value) => Math.floor(num(value))),
    "ceil/0": one((value) => Math.ceil(num(value))),
    "round/0": one((value) => Math.round(num(value))),
    "fabs/0": one((value) => Math.abs(num(value))),
    "abs/0": one((value) => Math.abs(num(value))),
    "sqrt/0": one((value) => Math.sqrt(num(value))),
    "to_entries/0": one((value) =>
      keysOf(value).map((key) => ({ key, value: (value as Record<string, unknown>)[String(key)] })),
    ),
    "from_entries/0": one((value) => Object.fromEntries(list(value).map(entryOf))),
    "first/0": one((value) => list(value)[0] ?? null),
    "last/0": one((value) => list(value).at(-1) ?? null),
    "transpose/0": one((value) => transposed(list(value))),
    "now/0": one(() => nowMs() / 1000),
    "todate/0": one((value) => new Date(num(value) * 1000).toISOString().replace(/\.\d+Z$/, "Z")),
    "fromdate/0": one(seconds),
    "fromdateiso8601/0": one(seconds),
    "empty/0": () => [],
    "error/0": (input) => {
      throw new JqError(input.value);
    },
    "infinite/0": one(() => Number.MAX_VALUE),
    "ascii/0": one((value) => String.fromCodePoint(num(value))),
    "recurse/0": function* below(input): Generator<At> {
      yield input;
      if (typeof input.value === "object" && input.value !== null)
        for (const next of members(input)) yield* below(next);
    },
    ...Object.fromEntries(
      (["null", "boolean", "number", "string", "array", "object"] as const).map((type): [string, Builtin] => [
        `${type}s/0`,
        (input) => (typeOf(input.value) === type ? [input] : []),
      ]),
    ),
    "scalars/0": (input) => (typeof input.value === "object" && input.value !== null ? [] : [input]),
    "iterables/0": (input) => (typeof input.value === "object" && input.value !== null ? [input] : []),
    "values/0": (input) => (input.value === null ? [] : [input]),
  };
}

function selecting(run: Interpreter): Builtins {
  return {
    *"select/1"(input, [test], scope) {
      for (const holds of run.values(node(test), input.value, scope)) if (isTrue(holds)) yield input;
    },
    *"map/1"(input, [change], scope) {
      const made: unknown[] = [];
      for (const one of members({ value: input.value })) made.push(...run.values(node(change), one.value, scope));
      yield { value: made };
    },
    *"map_values/1"(input, [change], scope) {
      if (Array.isArray(input.value))
        yield { value: input.value.flatMap((one) => [...take(run.values(node(change), one, scope), 1)]) };
      else
        yield {
          value: Object.fromEntries(
            Object.entries(input.value as object).flatMap(([key, value]) =>
              [...take(run.values(node(change), value, scope), 1)].map((one) => [key, one]),
            ),
          ),
        };
    },
    *"recurse/1"(input, [change], scope): Generator<At> {
      const below = function* (at: At): Generator<At> {
        yield at;
        for (const next of run.run(node(change), at, scope)) yield* below(next);
      };
      yield* below(input);
    },
    *"with_entries/1"(input, [change], scope) {
      const entries = Object.entries((input.value ?? {}) as object).map(([key, value]) => ({
        key,
        value: value as unknown,
      }));
      yield {
        value: Object.fromEntries(entries.flatMap((one) => [...run.values(node(change), one, scope)]).map(entryOf)),
      };
    },
    *"first/1"(input, [of], scope) {
      yield* take(run.run(node(of), input, scope), 1);
    },
    *"last/1"(input, [of], scope) {
      const all = [...run.run(node(of), input, scope)];
      yield* all.slice(-1);
    },
    *"limit/2"(input, [count, of], scope) {
      for (const most of run.values(node(count), input.value, scope))
        yield* take(run.run(node(of), input, scope), num(most));
    },
    *"nth/1"(input, [at], scope) {
      for (const index of run.values(node(at), input.value, scope))
        yield { value: list(input.value)[num(index)] ?? null };
    },
    *"range/1"(input, [to], scope) {
      for (const end of run.values(node(to), input.value, scope))
        for (let at = 0; at < num(end); at++) yield { value: at };
    },
    *"range/2"(input, [from, to], scope) {
      for (const start of run.values(node(from), input.value, scope))
        for (const end of run.values(node(to), input.value, scope))
          for (let at = num(start); at < num(end); at++) yield { value: at };
    },
    *"isempty/1"(input, [of], scope) {
      yield { value: [...take(run.values(node(of), input.value, scope), 1)].length === 0 };
    },
    *"error/1"(input, [of], scope) {
      for (const value of run.values(node(of), input.value, scope)) throw new JqError(value);
    },
    *"any/1"(input, [test], scope) {
      yield {
        value: [...members({ value: input.value })].some((one) =>
          [...run.values(node(test), one.value, scope)].some(isTrue),
        ),
      };
    },
    *"all/1"(input, [test], scope) {
      yield {
        value: [...members({ value: input.value })].every((one) =>
          [...run.values(node(test), one.value, scope)].every(isTrue),
        ),
      };
    },
    *"any/2"(input, [of, test], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].some((one) =>
          [...run.values(node(test), one, scope)].some(isTrue),
        ),
      };
    },
    *"all/2"(input, [of, test], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].every((one) =>
          [...run.values(node(test), one, scope)].every(isTrue),
        ),
      };
    },
    *"add/1"(input, [of], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].reduce(
          (sum: unknown, next) => combined("+", sum, next),
          null,
        ),
      };
    },
  };
}

function collecting(run: Interpreter): Builtins {
  const keyed = (input: At, key: Node | undefined, scope: Scope) =>
    list(input.value).map((value) => ({ value, key: [...run.values(node(key), value, scope)] }));
  const sorted = (input: At, key: Node | undefined, scope: Scope) =>
    keyed(input, key, scope).sort((a, b) => compareValues(a.key, b.key));
  return {
    *"sort_by/1"(input, [key], scope) {
      yield { value: sorted(input, key, scope).map(({ value }) => value) };
    },
    *"group_by/1"(input, [key], scope) {
      const groups: { key: unknown; values: unknown[] }[] = [];
      for (const one of sorted(input, key, scope)) {
        const last = groups.at(-1);
        if (last && compareValues(last.key, one.key) === 0) last.values.push(one.value);
        else groups.push({ key: one.key, values: [one.value] });
      }
      yield { value: groups.map(({ values }) => values) };
    },
    *"unique_by/1"(input, [key], scope) {
      const all = keyed(input, key, scope);
      yield {
        value: unique(
          all.map(({ value }) => value),
          all.map((one) => one.key),
        ),
      };
    },
    *"min_by/1"(input, [key], scope) {
      yield { value: sorted(input, key, scope)[0]?.value ?? null };
    },
    *"max_by/1"(input, [key], scope) {
      yield { value: sorted(input, key, scope).at(-1)?.value ?? null };
    },
    *"has/1"(input, [key], scope) {
      for (const one of run.values(node(key), input.value, scope)) yield { value: has(input.value, one) };
    },
    *"in/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: has(one, input.value) };
    },
    *"contains/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: contains(input.value, one) };
    },
    *"inside/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: contains(one, input.value) };
    },
    *"index/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: indices(input.value, one)[0] ?? null };
    },
    *"indices/1"(input, [of], scope) {
      for (const one of run.values(node(of), input.value, scope)) yield { value: indices(input.value, one) };
    },
    *"flatten/1"(input, [depth], scope) {
      for (const one of run.values(node(depth), input.value, scope)) yield { value: list(input.value).flat(num(one)) };
    },
    *"IN/1"(input, [of], scope) {
      yield {
        value: [...run.values(node(of), input.value, scope)].some((one) => compareValues(one, input.value) === 0),
      };
    },
  };
}

function paths(run: Interpreter): Builtins {
  return {
    *"path/1"(input, [of], scope) {
      for (const { path } of run.paths(node(of), input.value, scope)) yield { value: path };
    },
    *"paths/0"(input) {
      const below = function* (at: At): Generator<Path> {
        if (at.path && at.path.length > 0) yield at.path;
        if (typeof at.value === "object" && at.value !== null) for (const one of members(at)) yield* below(one);
      };
      for (const value of below({ value: input.value, path: [] })) yield { value };
    },
    *"del/1"(input, [of], scope) {
      yield {
        value: without(
          input.value,
          [...run.paths(node(of), input.value, scope)].map(({ path = [] }) => path),
        ),
      };
    },
    *"delpaths/1"(input, [of], scope) {
      for (const value of run.values(node(of), input.value, scope))
        yield { value: without(input.value, list(value) as Path[]) };
    },
    *"getpath/1"(input, [of], scope) {
      for (const value of run.values(node(of), input.value, scope)) {
        const path = list(value) as Path;
        yield { value: valueAt(input.value, path), path: input.path && [...input.path, ...path] };
      }
    },
    *"setpath/2"(input, [of, to], scope) {
      for (const path of run.values(node(of), input.value, scope))
        for (const value of run.values(node(to), input.value, scope))
          yield { value: put(input.value, list(path) as Path, value) };
    },
  };
}

function texts(run: Interpreter): Builtins {
  const two =
    (change: (value: string, given: string) => unknown): Builtin =>
    (input, [of], scope) =>
      [...run.values(node(of), input.value, scope)].map((one) => ({ value: change(text(input.value), text(one)) }));
  return {
    "startswith/1": two((value, start) => value.startsWith(start)),
    "endswith/1": two((value, end) => value.endsWith(end)),
    "ltrimstr/1": two((value, start) => (value.startsWith(start) ? value.slice(start.length) : value)),
    "rtrimstr/1": two((value, end) => (end !== "" && value.endsWith(end) ? value.slice(0, -end.length) : value)),
    "split/1": two((value, mark) => (value === "" ? [] : value.split(mark))),
    *"join/1"(input, [mark], scope) {
      for (const one of run.values(node(mark), input.value, scope))
        yield {
          value: list(input.value)
            .map((part) => (part === null ? "" : textOf(part)))
            .join(text(one)),
        };
    },
  };
}

function patterns(run: Interpreter): Builtins {
  const each = function* (
    input: At,
    args: readonly Node[],
    scope: Scope,
    use: (pattern: Pattern, isAll: boolean) => Iterable<At>,
  ): Generator<At> {
    for (const source of run.values(node(args[0]), input.value, scope)) {
      const [given, own] = Array.isArray(source) ? (source as unknown[]) : [source];
      const flags = args[1] ? text(run.values(args[1], input.value, scope).next().value ?? "") : text(own ?? "");
      yield* use(compiled(text(given), flags), flags.includes("g"));
    }
  };
  const test: Builtin = (input, args, scope) =>
    each(input, args, scope, (pattern) => [{ value: pattern.test(text(input.value), newBudget()) }]);
  const matches = (isAlwaysAll: boolean, show: (match: Match, value: string, pattern: string) => unknown): Builtin =>
    function* (input, args, scope) {
      const value = text(input.value);
      const source = textOf(run.values(node(args[0]), input.value, scope).next().value);
      yield* each(input, args, scope, (pattern, isAll) =>
        [
          ...(isAll || isAlwaysAll
            ? pattern.findAll(value, newBudget())
            : take(pattern.findAll(value, newBudget()), 1)),
        ].map((found) => ({
          value: show(found, value, source),
        })),
      );
    };
  const substituted = (isAlwaysAll: boolean): Builtin =>
    function* (input, [source, by, flags], scope) {
      const value = text(input.value);
      const names = namesIn(textOf(run.values(node(source), input.value, scope).next().value));
      yield* each(input, flags ? [node(source), flags] : [node(source)], scope, function* (pattern, isAll) {
        let made = "";
        let at = 0;
        for (const found of pattern.findAll(value, newBudget())) {
          const groups = Object.fromEntries(names.map((name, place) => [name, found.groups[place + 1] ?? null]));
          made += value.slice(at, found.start) + textOf(run.values(node(by), groups, scope).next().value);
          at = found.end;
          if (!isAll && !isAlwaysAll) break;
        }
        yield { value: made + value.slice(at) };
      });
    };
  const capture = ({ groups }: Match, _: string, source: string) =>
    Object.fromEntries(namesIn(source).map((name, at) => [name, groups[at + 1] ?? null]));
  const scanned = ({ groups }: Match) =>
    groups.length > 1 ? groups.slice(1).map((one) => one ?? null) : (groups[0] ?? "");
  const matched = ({ groups, start, end }: Match) => ({
    offset: start,
    length: end - start,
    string: groups[0] ?? "",
    captures: groups.slice(1).map((one) => ({ string: one ?? null })),
  });
  return {
    "test/1": test,
    "test/2": test,
    "match/1": matches(false, matched),
    "match/2": matches(false, matched),
    "capture/1": matches(false, capture),
    "capture/2": matches(false, capture),
    "scan/1": matches(true, scanned),
    "sub/2": substituted(false),
    "sub/3": substituted(false),
    "gsub/2": substituted(true),
    "gsub/3": substituted(true),
    *"split/2"(input, [source], scope) {
      for (const one of run.values(node(source), input.value, scope)) {
        const value = text(input.value);
        const parts: string[] = [];
        let at = 0;
        for (const { start, end } of compiled(text(one), "").findAll(value, newBudget())) {
          parts.push(value.slice(at, start));
          at = end;
        }
        yield { value: [...parts, value.slice(at)] };
      }
    },
  };
}

/** Names of groups in their order; those without one have none. */
function namesIn(source: string): string[] {
  return [...source.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g)].map(([, name = ""]) => name);
}

function compiled(source: string, flags: string): Pattern {
  const found = compilePattern(source.replace(/\(\?<(?=[A-Za-z_])/g, "(?P<"), { ignoresCase: flags.includes("i") });
  if (!isPattern(found)) throw new JqError(`${source} (at offset 0) is not a valid regex: ${found.error}`);
  return found;
}

/** The argument is there: functions are found by their number. */
function node(given: Node | undefined): Node {
  return given ?? { kind: "identity" };
}

function* take<T>(of: Iterable<T>, most: number): Generator<T> {
  if (most <= 0) return;
  let count = 0;
  for (const one of of) {
    yield one;
    if (++count >= most) return;
  }
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new JqError(`${brief(value)} cannot be used as a string`);
  return value;
}

function num(value: unknown): number {
  if (typeof value !== "number") throw new JqError(`${brief(value)} number required`);
  return value;
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (isRecord(value)) return Object.values(value);
  throw new JqError(`Cannot iterate over ${value === null ? "null" : brief(value)}`);
}

function number(value: unknown): number {
  if (typeof value === "number") return value;
  const found = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  if (Number.isNaN(found)) throw new JqError(`${brief(value)} cannot be parsed as a number`);
  return found;
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new JqError(`${value.slice(0, 20)} (while parsing '${value.slice(0, 20)}')`);
  }
}

function seconds(value: unknown): number {
  const found = Date.parse(text(value));
  if (Number.isNaN(found)) throw new JqError(`date ${compact(value)} does not match format "%Y-%m-%dT%H:%M:%SZ"`);
  return Math.floor(found / 1000);
}

function lengthOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "string") return [...value].length;
  if (typeof value === "boolean") throw new JqError(`${brief(value)} has no length`);
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}

function keysOf(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return value.map((_, at) => at);
  if (isRecord(value)) return Object.keys(value);
  throw new JqError(`${brief(value)} has no keys`);
}

function entryOf(entry: unknown): [string, unknown] {
  const found = isRecord(entry) ? entry : {};
  const key = found.key ?? found.k ?? found.name ?? found.Name ?? null;
  return [key === null ? "null" : textOf(key), found.value ?? found.v ?? found.Value ?? null];
}

function unique(values: readonly unknown[], keys: readonly unknown[]): unknown[] {
  const all = values.map((value, at) => ({ value, key: keys[at] })).sort((a, b) => compareValues(a.key, b.key));
  return all.filter(({ key }, at) => at === 0 || compareValues(all[at - 1]?.key, key) !== 0).map(({ value }) => value);
}

function transposed(rows: readonly unknown[]): unknown[][] {
  const width = Math.max(0, ...rows.map((row) => list(row).length));
  return Array.from({ length: width }, (_, at) => rows.map((row) => list(row)[at] ?? null));
}

function has(value: unknown, key: unknown): boolean {
  if (isRecord(value) && typeof key === "string") return Object.hasOwn(value, key);
  if (Array.isArray(value) && typeof key === "number") return key >= 0 && key < value.length;
  throw new JqError(
    `Cannot check whether ${typeOf(value)} has a ${typeof key === "string" ? "string" : typeOf(key)} key`,
  );
}

function contains(value: unknown, part: unknown): boolean {
  if (typeof value === "string" && typeof part === "string") return value.includes(part);
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((one) => value.some((other) => contains(other, one)));
  if (isRecord(value) && isRecord(part))
    return Object.entries(part).every(([key, one]) => Object.hasOwn(value, key) && contains(value[key], one));
  return compareValues(value, part) === 0;
}

function indices(value: unknown, part: unknown): number[] {
  const found: number[] = [];
  if (typeof value === "string" && typeof part === "string" && part !== "") {
    for (let at = value.indexOf(part); at >= 0; at = value.indexOf(part, at + 1)) found.push(at);
  } else if (Array.isArray(value))
    for (const [at, one] of value.entries()) if (compareValues(one, part) === 0) found.push(at);
  return found;
}
