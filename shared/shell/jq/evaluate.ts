// Runs a filter of jq: each value leads to none, one or several, and each value lies at a path.
import { build, charge, comeBack, enter, hold } from "../meter.ts";
import { builtin } from "./builtins.ts";
import type { At, Path, Scope } from "./scope.ts";
import type { Binding, Filter } from "./parse.ts";
import {
  calculate,
  compare,
  formatted,
  isObject,
  isTrue,
  type Json,
  JqError,
  sizeOf,
  textOf,
  told,
  weigh,
} from "./values.ts";

const plain = (value: Json): At => ({ value, path: undefined });

export function* values(scope: Scope, filter: Filter, value: Json): Generator<Json, void, undefined> {
  for (const one of run(scope, filter, plain(value))) yield one.value;
}

export function* run(scope: Scope, filter: Filter, at: At): Generator<At, void, undefined> {
  const { process } = scope.call;
  charge(process, 0.5);
  enter(process);
  try {
    yield* runs(scope, filter, at);
  } finally {
    comeBack(process);
  }
}

function* runs(scope: Scope, filter: Filter, at: At): Generator<At, void, undefined> {
  const { value } = at;
  switch (filter.kind) {
    case "this":
      return yield at;
    case "all":
      return yield* recursed(scope, at);
    case "value":
      return yield plain(filter.value);
    case "text":
      for (const made of interpolated(scope, filter, value)) yield plain(made);
      return;
    case "format":
      weigh(scope.call.process, value);
      return yield plain(formatted(filter.name, value));
    case "variable":
      return yield plain(variable(scope, filter.name));
    case "key":
      for (const of of run(scope, filter.of, at))
        for (const key of values(scope, filter.key, value)) yield member(of, key);
      return;
    case "slice":
      for (const of of run(scope, filter.of, at)) yield* sliced(scope, filter, of, value);
      return;
    case "each":
      for (const of of run(scope, filter.of, at)) yield* members(of);
      return;
    case "try":
      return yield* tried(scope, filter, at);
    case "minus":
      for (const one of values(scope, filter.of, value)) yield plain(calculate("-", 0, one));
      return;
    case "list": {
      const all = filter.of ? [...values(scope, filter.of, value)] : [];
      hold(scope.call.process, all.length * 16);
      return yield plain(all);
    }
    case "object":
      for (const made of objects(scope, filter.entries, value)) yield plain(made);
      return;
    case "if":
      for (const one of values(scope, filter.condition, value)) {
        if (isTrue(one)) yield* run(scope, filter.yes, at);
        else if (filter.no) yield* run(scope, filter.no, at);
        else yield at;
      }
      return;
    case "reduce":
      return yield* reduced(scope, filter, at);
    case "bind":
      for (const one of values(scope, filter.source, value))
        yield* run(bound(scope, filter.names, one), filter.body, at);
      return;
    case "define":
      return yield* run(defined(scope, filter), filter.rest, at);
    case "binary":
      return yield* combined(scope, filter, at);
    case "call":
      return yield* called(scope, filter, at);
    case "iterate":
      return yield* members(at);
  }
}

/** The texts of a text with filters in it: one for each combination of what they give. */
function* interpolated(
  scope: Scope,
  filter: Filter & { kind: "text" },
  value: Json,
  from = 0,
): Generator<string, void, undefined> {
  const { parts, format } = filter;
  const part = parts[from];
  if (part === undefined) return yield "";
  const { process } = scope.call;
  for (const rest of interpolated(scope, filter, value, from + 1)) {
    for (const one of typeof part === "string" ? [part] : values(scope, part, value)) {
      weigh(process, one);
      build(process, rest.length + sizeOf(one));
      yield (typeof part === "string" || format === undefined ? textOf(one) : formatted(format, one)) + rest;
    }
  }
}

function variable({ variables, call }: Scope, name: string): Json {
  if (name === "ENV") return Object.fromEntries(call.environment());
  if (!variables.has(name)) throw new JqError(`$${name} is not defined`);
  return variables.get(name);
}

export function withVariable(scope: Scope, name: string, value: Json): Scope {
  charge(scope.call.process, scope.variables.size / 10);
  return { ...scope, variables: new Map(scope.variables).set(name, value) };
}

function defined(scope: Scope, { name, parameters, body }: Filter & { kind: "define" }): Scope {
  const functions = new Map(scope.functions);
  const inner = { ...scope, functions };
  functions.set(`${name}/${parameters.length}`, { parameters, body, scope: inner });
  return inner;
}

function bound(scope: Scope, names: readonly Binding[], value: Json): Scope {
  return names.reduce((inner, { name, path }) => withVariable(inner, name, read(value, path)), scope);
}

function step(path: Path | undefined, key: Path[number]): Path | undefined {
  return path && [...path, key];
}

export function member({ value, path }: At, key: Json): At {
  if (typeof key === "string") {
    if (value !== null && !isObject(value))
      throw new JqError(
        `Cannot index ${Array.isArray(value) || typeof value === "string" ? `${Array.isArray(value) ? "array" : "string"} with string` : `${typeof value} with`} "${key}"`,
      );
    return { value: value !== null && Object.hasOwn(value, key) ? (value[key] ?? null) : null, path: step(path, key) };
  }
  if (typeof key === "number") {
    if (value !== null && !Array.isArray(value))
      throw new JqError(`Cannot index ${isObject(value) ? "object" : typeof value} with number`);
    const index = Math.floor(key);
    const list: readonly Json[] = value ?? [];
    return { value: list[index < 0 ? list.length + index : index] ?? null, path: step(path, index) };
  }
  if (value === null && key === null) return { value: null, path };
  throw new JqError(
    `Cannot index ${isObject(value) ? "object" : Array.isArray(value) ? "array" : value === null ? "null" : typeof value} with ${key === null ? "null" : Array.isArray(key) ? "array" : typeof key}`,
  );
}

export function* members({ value, path }: At): Generator<At, void, undefined> {
  if (Array.isArray(value)) for (const [at, one] of value.entries()) yield { value: one as Json, path: step(path, at) };
  else if (isObject(value)) for (const [key, one] of Object.entries(value)) yield { value: one, path: step(path, key) };
  else throw new JqError(`Cannot iterate over ${value === null ? "null" : told(value)}`);
}

function* sliced(
  scope: Scope,
  { from, to }: Filter & { kind: "slice" },
  of: At,
  value: Json,
): Generator<At, void, undefined> {
  for (const first of from ? values(scope, from, value) : [null]) {
    for (const last of to ? values(scope, to, value) : [null]) {
      if (of.value !== null && typeof of.value !== "string" && !Array.isArray(of.value))
        throw new JqError(`Cannot index ${typeof of.value} with object`);
      const [begin, end] = [first, last].map((one) => (typeof one === "number" ? Math.floor(one) : null));
      const whole = of.value as string | readonly Json[] | null;
      yield {
        value: whole === null ? null : whole.slice(begin ?? 0, end ?? undefined),
        path: step(of.path, { from: begin ?? null, to: end ?? null }),
      };
    }
  }
}

export function* recursed(scope: Scope, at: At): Generator<At, void, undefined> {
  charge(scope.call.process, 0.3);
  yield at;
  if (typeof at.value !== "object" || at.value === null) return;
  enter(scope.call.process);
  try {
    for (const one of members(at)) yield* recursed(scope, one);
  } finally {
    comeBack(scope.call.process);
  }
}

function* tried(scope: Scope, { of, otherwise }: Filter & { kind: "try" }, at: At): Generator<At, void, undefined> {
  const { meter } = scope.call.process;
  const { depth } = meter;
  try {
    yield* run(scope, of, at);
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
    meter.depth = depth;
    if (otherwise) yield* run(scope, otherwise, plain(error.value));
  }
}

function* objects(
  scope: Scope,
  entries: readonly (readonly [Filter, Filter])[],
  value: Json,
): Generator<Record<string, Json>, void, undefined> {
  const [first, ...rest] = entries;
  if (!first) return yield {};
  hold(scope.call.process, 64);
  for (const key of values(scope, first[0], value)) {
    if (typeof key !== "string") throw new JqError(`Object keys must be strings`);
    for (const one of values(scope, first[1], value))
      for (const more of objects(scope, rest, value)) yield { [key]: one, ...more };
  }
}

function* reduced(
  scope: Scope,
  { source, name, start, step: next, shows }: Filter & { kind: "reduce" },
  { value }: At,
): Generator<At, void, undefined> {
  let sum: Json = null;
  for (const one of values(scope, start, value)) sum = one;
  for (const one of values(scope, source, value)) {
    const inner = withVariable(scope, name, one);
    for (const made of values(inner, next, sum)) {
      sum = made;
      if (shows) for (const one of values(inner, shows, made)) yield plain(one);
    }
  }
  if (!shows) yield plain(sum);
}

function* combined(scope: Scope, filter: Filter & { kind: "binary" }, at: At): Generator<At, void, undefined> {
  const { operator, left, right } = filter;
  const { value } = at;
  switch (operator) {
    case "|":
      for (const one of run(scope, left, at)) yield* run(scope, right, one);
      return;
    case ",":
      yield* run(scope, left, at);
      return yield* run(scope, right, at);
    case "//": {
      const { depth } = scope.call.process.meter;
      let isFound = false;
      try {
        for (const one of run(scope, left, at)) {
          if (!isTrue(one.value)) continue;
          isFound = true;
          yield one;
        }
      } catch (error) {
        if (!(error instanceof JqError)) throw error;
        scope.call.process.meter.depth = depth;
      }
      if (!isFound) yield* run(scope, right, at);
      return;
    }
    case "and":
    case "or":
      for (const one of values(scope, left, value)) {
        if (isTrue(one) === (operator === "or")) yield plain(operator === "or");
        else for (const other of values(scope, right, value)) yield plain(isTrue(other));
      }
      return;
  }
  if (operator.endsWith("=") && !/^[=!<>]=$/.test(operator)) return yield* updated(scope, filter, value);
  for (const second of values(scope, right, value)) {
    for (const first of values(scope, left, value)) {
      weighed(scope, operator, first, second);
      yield plain(
        /^[=!<>]/.test(operator) ? compares(operator, compare(first, second)) : calculate(operator, first, second),
      );
    }
  }
}

/** What the operator looks at, and what it makes, is paid for before. */
function weighed({ call: { process } }: Scope, operator: string, first: Json, second: Json): void {
  charge(process, 0.5);
  const isRepeated = operator === "*" && typeof first === "string" && typeof second === "number";
  build(process, isRepeated ? first.length * Math.max(second, 1) : sizeOf(first) + sizeOf(second));
  if (operator === "+") return;
  weigh(process, first);
  weigh(process, second);
}

function compares(operator: string, found: number): boolean {
  switch (operator) {
    case "==":
      return found === 0;
    case "!=":
      return found !== 0;
    case "<":
      return found < 0;
    case "<=":
      return found <= 0;
    case ">":
      return found > 0;
    default:
      return found >= 0;
  }
}

/** The paths at which a filter finds something. */
export function pathsOf(scope: Scope, filter: Filter, value: Json): Path[] {
  const paths: Path[] = [];
  for (const { path } of run(scope, filter, { value, path: [] })) {
    if (!path) throw new JqError("Invalid path expression");
    hold(scope.call.process, 64);
    paths.push(path);
  }
  return paths;
}

function* updated(
  scope: Scope,
  { operator, left, right }: Filter & { kind: "binary" },
  value: Json,
): Generator<At, void, undefined> {
  const paths = pathsOf(scope, left, value);
  if (operator === "|=") {
    let made = value;
    for (const path of paths) {
      const [first] = values(scope, right, read(made, path));
      made = first === undefined ? removed(made, path) : put(scope, made, path, first);
    }
    return yield plain(made);
  }
  for (const one of values(scope, right, value)) {
    let made = value;
    for (const path of paths) {
      const before = read(made, path);
      weighed(scope, operator.slice(0, -1), before, one);
      const next =
        operator === "="
          ? one
          : operator === "//="
            ? isTrue(before)
              ? before
              : one
            : calculate(operator.slice(0, -1), before, one);
      made = put(scope, made, path, next);
    }
    yield plain(made);
  }
}

export function read(value: Json, path: Path): Json {
  let at: At = plain(value);
  for (const key of path) {
    if (typeof key === "object")
      at = plain(Array.isArray(at.value) ? at.value.slice(key.from ?? 0, key.to ?? undefined) : null);
    else at = member(at, key);
  }
  return at.value;
}

export function put(scope: Scope, value: Json, path: Path, made: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return made;
  charge(scope.call.process, 0.5);
  if (typeof key === "string") {
    const inside = member(plain(value), key).value;
    return { ...(value as Record<string, Json> | null), [key]: put(scope, inside, rest, made) };
  }
  if (typeof key === "object") throw new JqError("Cannot update a slice of an array");
  const list = [...((value ?? []) as readonly Json[])];
  const inside = member(plain(value), key).value;
  const index = key < 0 ? list.length + key : key;
  if (index < 0) throw new JqError("Out of bounds negative array index");
  if (index > mostElements) throw new JqError("Array index too large");
  hold(scope.call.process, Math.max(0, index - list.length) * 16);
  while (list.length < index) list.push(null);
  list[index] = put(scope, inside, rest, made);
  return list;
}

const mostElements = 100_000;

export function removed(value: Json, path: Path): Json {
  const [key, ...rest] = path;
  if (key === undefined || value === null) return null;
  if (rest.length > 0 && typeof key !== "object") {
    const inside = member(plain(value), key).value;
    if (inside === null) return value;
    const made = removed(inside, rest);
    return Array.isArray(value)
      ? (value as Json[]).with(key as number, made)
      : { ...(value as Record<string, Json>), [key]: made };
  }
  if (Array.isArray(value)) {
    if (typeof key === "object")
      return (value as Json[]).filter((_, at) => at < (key.from ?? 0) || at >= (key.to ?? value.length));
    const index = typeof key === "number" && key < 0 ? value.length + key : key;
    return (value as Json[]).filter((_, at) => at !== index);
  }
  if (!isObject(value)) throw new JqError(`Cannot delete field at object index of ${typeof value}`);
  return Object.fromEntries(Object.entries(value).filter(([own]) => own !== key));
}

function* called(scope: Scope, { name, args }: Filter & { kind: "call" }, at: At): Generator<At, void, undefined> {
  const own = scope.functions.get(`${name}/${args.length}`);
  if (!own) return yield* builtin({ scope, name, args, at, run, values, pathsOf, put, removed, read, recursed });
  const functions = new Map(own.scope.functions);
  let inner: Scope = { ...own.scope, functions };
  const bound: (readonly [string, Filter])[] = [];
  for (const [index, parameter] of own.parameters.entries()) {
    const arg = args[index];
    if (!arg) continue;
    if (parameter.startsWith("$")) bound.push([parameter.slice(1), arg]);
    functions.set(`${parameter.replace("$", "")}/0`, { parameters: [], body: arg, scope });
  }
  for (const [variableName, arg] of bound)
    for (const one of values(scope, arg, at.value)) inner = withVariable(inner, variableName, one);
  yield* run(inner, own.body, at);
}
