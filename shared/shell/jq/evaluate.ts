// Runs a filter of jq. Each value leads to none, one or several, and each value has a path.
import { chargeForBuilding, charge, leaveLevel, enterLevel, hold } from "../meter.ts";
import { builtin, builtinBody } from "./builtins.ts";
import {
  assigned,
  change,
  extended,
  memberWork,
  members,
  member,
  pathOf,
  plain,
  read,
  release,
  removed,
  setMember,
  step,
  walk,
} from "./paths.ts";
import { combinations, isAssignment, operated, chargeForOperator } from "./operators.ts";
import { plainNodes, plainValue, variable } from "./plain.ts";
import type { At, Path, Scope } from "./scope.ts";
import type { Binding, Filter } from "./parse.ts";
import { calculate, formatted, isTrue, type Json, JqError, estimateBytes, textOf, chargeDeeply } from "./values.ts";

export function* values(scope: Scope, filter: Filter, value: Json): Generator<Json, void, undefined> {
  const nodes = plainNodes(filter);
  if (nodes > 0) {
    charge(scope.call.process, plainWork * nodes);
    yield plainValue(scope, filter, value);
    return;
  }
  for (const result of run(scope, filter, plain(value))) yield result.value;
}

/** Microseconds of a filter's step as a generator, and of one that returns exactly one value. */
const stepWork = 1;
/** Microseconds of passing a value through one of the filters that are open around it. */
const depthWork = 0.05;
const plainWork = 0.3;

export function* run(scope: Scope, filter: Filter, at: At): Generator<At, void, undefined> {
  const { process } = scope.call;
  charge(process, stepWork + depthWork * process.meter.depth);
  enterLevel(process);
  try {
    yield* runs(scope, filter, at);
  } finally {
    leaveLevel(process);
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
      for (const text of interpolated(scope, filter, value)) yield plain(text);
      return;
    case "format":
      chargeDeeply(scope.call.process, value);
      return yield plain(formatted(scope.call.process, filter.name, value));
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
      for (const of of run(scope, filter.of, at)) yield* members(scope, of);
      return;
    case "try":
      return yield* tried(scope, filter, at);
    case "minus":
      for (const operand of values(scope, filter.of, value))
        yield plain(calculate(scope.call.process, "-", 0, operand));
      return;
    case "list": {
      const all: Json[] = [];
      for (const item of filter.of ? values(scope, filter.of, value) : []) {
        hold(scope.call.process, 16);
        release(scope, item);
        all.push(item);
      }
      return yield plain(all);
    }
    case "object":
      for (const object of objects(scope, filter.entries, value)) yield plain(object);
      return;
    case "if":
      for (const condition of values(scope, filter.condition, value)) {
        if (isTrue(condition)) yield* run(scope, filter.yes, at);
        else if (filter.no) yield* run(scope, filter.no, at);
        else yield at;
      }
      return;
    case "reduce":
      return yield* reduced(scope, filter, at);
    case "bind":
      for (const source of values(scope, filter.source, value))
        yield* run(bound(scope, filter.names, source), filter.body, at);
      return;
    case "define":
      return yield* run(defined(scope, filter), filter.rest, at);
    case "binary":
      return yield* combined(scope, filter, at);
    case "call":
      return yield* called(scope, filter, at);
    case "iterate":
      return yield* members(scope, at);
  }
}

/** Yields the texts of a text with filters in it: one for each combination of their values, the first filter's changing first. */
function* interpolated(
  scope: Scope,
  { pieces, format }: Filter & { kind: "text" },
  value: Json,
): Generator<string, void, undefined> {
  const { process } = scope.call;
  const choices = pieces.map((piece) => {
    if (typeof piece === "string") return [piece];
    const texts: string[] = [];
    for (const result of values(scope, piece, value)) {
      chargeDeeply(process, result);
      chargeForBuilding(process, estimateBytes(result));
      texts.push(format === undefined ? textOf(result) : formatted(process, format, result));
      hold(process, 16 + (texts.at(-1)?.length ?? 0));
    }
    return texts;
  });
  for (const chosen of combinations(scope, choices)) {
    chargeForBuilding(
      process,
      chosen.reduce((sum, text) => sum + text.length, 0),
    );
    yield chosen.join("");
  }
}

export function withVariable(scope: Scope, name: string, value: Json): Scope {
  release(scope, value);
  charge(scope.call.process, scope.variables.size / 10);
  return { ...scope, variables: new Map(scope.variables).set(name, value) };
}

function defined(scope: Scope, { name, parameters, body }: Filter & { kind: "define" }): Scope {
  charge(scope.call.process, scope.functions.size / 10);
  const functions = new Map(scope.functions);
  const inner = { ...scope, functions };
  functions.set(`${name}/${parameters.length}`, { parameters, body, scope: inner });
  return inner;
}

function bound(scope: Scope, names: readonly Binding[], value: Json): Scope {
  return names.reduce((inner, { name, path }) => withVariable(inner, name, read(scope, value, path)), scope);
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
      const [begin, end] = [first, last].map((bound) => (typeof bound === "number" ? Math.floor(bound) : null));
      const sliced = of.value as string | readonly Json[] | null;
      walk(scope, sliced);
      yield {
        value: sliced === null ? null : sliced.slice(begin ?? 0, end ?? undefined),
        path: step(of.path, { from: begin ?? null, to: end ?? null }),
      };
    }
  }
}

export function* recursed(scope: Scope, at: At): Generator<At, void, undefined> {
  charge(scope.call.process, 0.3);
  yield at;
  if (typeof at.value !== "object" || at.value === null) return;
  enterLevel(scope.call.process);
  try {
    for (const member of members(scope, at)) yield* recursed(scope, member);
  } finally {
    leaveLevel(scope.call.process);
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

/** Yields the objects of a literal: one for each combination of its keys' and values' results, the last entry's changing first. */
function* objects(
  scope: Scope,
  entries: readonly (readonly [Filter, Filter])[],
  value: Json,
): Generator<Record<string, Json>, void, undefined> {
  const choices = entries.map(([keyFilter, valueFilter]) => pairs(scope, keyFilter, valueFilter, value));
  for (const chosen of combinations(scope, choices.reverse())) {
    charge(scope.call.process, choices.length * memberWork.object);
    const object: Record<string, Json> = {};
    for (const [key, member] of chosen.reverse()) setMember(scope, object, key, member);
    yield object;
  }
}

function pairs(scope: Scope, keyFilter: Filter, valueFilter: Filter, value: Json): [key: string, member: Json][] {
  const all: [string, Json][] = [];
  for (const key of values(scope, keyFilter, value)) {
    if (typeof key !== "string") throw new JqError("Object keys must be strings");
    for (const member of values(scope, valueFilter, value)) {
      release(scope, member);
      hold(scope.call.process, 32);
      all.push([key, member]);
    }
  }
  return all;
}

function* reduced(
  scope: Scope,
  { source, name, start, step: next, shows }: Filter & { kind: "reduce" },
  { value }: At,
): Generator<At, void, undefined> {
  let sum: Json = null;
  for (const initial of values(scope, start, value)) sum = initial;
  release(scope, sum);
  for (const item of values(scope, source, value)) {
    const inner = withVariable(scope, name, item);
    for (const state of consumed(inner, next, sum)) {
      sum = state;
      if (!shows) continue;
      for (const extract of values(inner, shows, state)) {
        release(scope, extract);
        yield plain(extract);
      }
    }
  }
  release(scope, sum);
  if (!shows) yield plain(sum);
}

function* combined(scope: Scope, filter: Filter & { kind: "binary" }, at: At): Generator<At, void, undefined> {
  const { operator, left, right } = filter;
  const { value } = at;
  switch (operator) {
    case "|":
      for (const result of run(scope, left, at)) yield* run(scope, right, result);
      return;
    case ",":
      yield* run(scope, left, at);
      return yield* run(scope, right, at);
    case "//": {
      const { depth } = scope.call.process.meter;
      let isFound = false;
      try {
        for (const result of run(scope, left, at)) {
          if (!isTrue(result.value)) continue;
          isFound = true;
          yield result;
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
      for (const leftValue of values(scope, left, value)) {
        if (isTrue(leftValue) === (operator === "or")) yield plain(operator === "or");
        else for (const rightValue of values(scope, right, value)) yield plain(isTrue(rightValue));
      }
      return;
  }
  if (isAssignment(operator)) {
    for (const result of updated(scope, filter, value)) yield plain(result);
    return;
  }
  for (const second of values(scope, right, value)) {
    for (const first of values(scope, left, value)) yield plain(operated(scope, operator, first, second));
  }
}

/** Returns the paths that a filter leads to. */
export function pathsOf(scope: Scope, filter: Filter, value: Json): Path[] {
  const paths: Path[] = [];
  for (const { path } of run(scope, filter, { value, path: [] })) {
    if (!path) throw new JqError("Invalid path expression");
    hold(scope.call.process, 64);
    paths.push(path);
  }
  return paths;
}

/** Returns the results of an update. `isOwned`: nothing else refers to the value. */
function* updated(
  scope: Scope,
  { operator, left, right }: Filter & { kind: "binary" },
  value: Json,
  isOwned = false,
): Generator<Json, void, undefined> {
  const paths = pathsOf(scope, left, value);
  if (operator === "|=") return yield modified(scope, right, value, paths, isOwned);
  const operands = [...values(scope, right, value)];
  for (const operand of operands) {
    const mayChange = isOwned && operands.length === 1;
    if (!mayChange) release(scope, value);
    // The operand may be the value itself, or be inside it.
    release(scope, operand);
    let result = value;
    const make = (before: Json, isOwn: boolean): Json => {
      if (operator === "+=") return extended(scope, before, operand, isOwn);
      if (operator !== "=") chargeForOperator(scope, operator.slice(0, -1), before, operand);
      const after =
        operator === "="
          ? operand
          : operator === "//="
            ? isTrue(before)
              ? before
              : operand
            : calculate(scope.call.process, operator.slice(0, -1), before, operand);
      release(scope, after);
      return after;
    };
    for (const [at, path] of paths.entries()) result = change(scope, result, path, make, mayChange || at > 0);
    yield result;
  }
}

/** Applies `|=`. Members for which the filter has no result are deleted at the end. */
function modified(scope: Scope, filter: Filter, value: Json, paths: readonly Path[], isOwned: boolean): Json {
  const empty: Path[] = [];
  let result = value;
  if (!isOwned) release(scope, value);
  for (const path of paths) {
    const make = (before: Json, isOwn: boolean): Json => {
      if (!isOwn) release(scope, before);
      for (const after of consumed(scope, filter, before)) return after;
      empty.push(path);
      return before;
    };
    result = change(scope, result, path, make, true);
  }
  for (const path of empty.reverse()) result = removed(scope, result, path, true);
  return result;
}

/** Yields a filter's results for a value that its caller gives up. A filter that uses the value once changes it in place. */
function* consumed(scope: Scope, filter: Filter, value: Json): Generator<Json, void, undefined> {
  const { process } = scope.call;
  charge(process, stepWork + depthWork * process.meter.depth);
  enterLevel(process);
  try {
    const isDone = yield* consumedBy(scope, filter, value);
    if (isDone) return;
    for (const result of values(scope, filter, value)) {
      release(scope, result);
      yield result;
    }
  } finally {
    leaveLevel(process);
  }
}

/** Reports whether the filter uses the value once. If another filter has several results, none of them may change the value. */
function* consumedBy(scope: Scope, filter: Filter, value: Json): Generator<Json, boolean, undefined> {
  switch (filter.kind) {
    case "this":
      yield value;
      return true;
    case "define":
      yield* consumed(defined(scope, filter), filter.rest, value);
      return true;
    case "bind":
      for (const source of beside(scope, filter.source, value))
        yield* consumed(bound(scope, filter.names, source), filter.body, value);
      return true;
    case "if":
      for (const condition of beside(scope, filter.condition, value)) {
        const branch = isTrue(condition) ? filter.yes : filter.no;
        if (branch) yield* consumed(scope, branch, value);
        else yield value;
      }
      return true;
    case "binary":
      return yield* consumedByOperator(scope, filter, value);
    case "call":
      return yield* consumedByCall(scope, filter, value);
    default:
      return false;
  }
}

/** Returns all results of a filter. Unless there is exactly one, the value must be copied before each use. */
function beside(scope: Scope, filter: Filter, value: Json): Json[] {
  const all = [...values(scope, filter, value)];
  if (all.length !== 1) release(scope, value);
  return all;
}

function* consumedByOperator(
  scope: Scope,
  filter: Filter & { kind: "binary" },
  value: Json,
): Generator<Json, boolean, undefined> {
  const { operator, left, right } = filter;
  if (operator === "|") {
    const all = [...consumed(scope, left, value)];
    if (all.length !== 1) for (const result of all) release(scope, result);
    for (const result of all) yield* consumed(scope, right, result);
    return true;
  }
  if (isAssignment(operator)) {
    yield* updated(scope, filter, value, true);
    return true;
  }
  if (operator !== "+" || left.kind !== "this") return false;
  for (const operand of beside(scope, right, value)) yield extended(scope, value, operand, true);
  return true;
}

function* consumedByCall(
  scope: Scope,
  { name, args }: Filter & { kind: "call" },
  value: Json,
): Generator<Json, boolean, undefined> {
  const [first, second] = args;
  const entered = enteredFunction(scope, name, args, value) ?? builtinBody(scope, name, args);
  if (entered) {
    yield* consumed(entered.scope, entered.body, value);
    return true;
  }
  if (name === "select" && first && args.length === 1) {
    const conditions = [...values(scope, first, value)].filter(isTrue);
    if (conditions.length !== 1) release(scope, value);
    for (const _ of conditions) yield value;
    return true;
  }
  if (name !== "setpath" || !first || !second) return false;
  const paths = [...values(scope, first, value)];
  const operands = [...values(scope, second, value)];
  const mayChange = paths.length === 1 && operands.length === 1;
  if (!mayChange) release(scope, value);
  for (const path of paths) for (const item of operands) yield assigned(scope, value, pathOf(path), item, mayChange);
  return true;
}

function* called(scope: Scope, { name, args }: Filter & { kind: "call" }, at: At): Generator<At, void, undefined> {
  const entered = enteredFunction(scope, name, args, at.value);
  if (entered) yield* run(entered.scope, entered.body, at);
  else yield* builtin({ scope, name, args, at, run, values, pathsOf, recursed });
}

/** Returns the body of a function that the filter defines, and the scope in which it runs with these arguments. */
function enteredFunction(
  scope: Scope,
  name: string,
  args: readonly Filter[],
  value: Json,
): { readonly scope: Scope; readonly body: Filter } | undefined {
  const definition = scope.functions.get(`${name}/${args.length}`);
  if (!definition) return undefined;
  charge(scope.call.process, definition.scope.functions.size / 10);
  const functions = new Map(definition.scope.functions);
  let inner: Scope = { ...definition.scope, functions };
  const bound: (readonly [string, Filter])[] = [];
  for (const [index, parameter] of definition.parameters.entries()) {
    const arg = args[index];
    if (!arg) continue;
    if (parameter.startsWith("$")) bound.push([parameter.slice(1), arg]);
    functions.set(`${parameter.replace("$", "")}/0`, { parameters: [], body: arg, scope });
  }
  for (const [variableName, arg] of bound)
    for (const result of values(scope, arg, value)) inner = withVariable(inner, variableName, result);
  return { scope: inner, body: definition.body };
}
