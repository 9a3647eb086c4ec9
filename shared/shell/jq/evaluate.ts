// Runs a filter of jq: each value leads to none, one or several, and each value lies at a path.
import { build, charge, comeBack, enter, hold } from "../meter.ts";
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
import { combinations, isAssignment, operated, weighed } from "./operators.ts";
import { plainNodes, plainValue, variable } from "./plain.ts";
import type { At, Path, Scope } from "./scope.ts";
import type { Binding, Filter } from "./parse.ts";
import { calculate, formatted, isTrue, type Json, JqError, sizeOf, textOf, weigh } from "./values.ts";

export function* values(scope: Scope, filter: Filter, value: Json): Generator<Json, void, undefined> {
  const nodes = plainNodes(filter);
  if (nodes > 0) {
    charge(scope.call.process, plainWork * nodes);
    yield plainValue(scope, filter, value);
    return;
  }
  for (const one of run(scope, filter, plain(value))) yield one.value;
}

/** Microseconds of a filter's step as a generator, and of one that gives exactly one value. */
const stepWork = 1;
/** Microseconds of handing a value through one of the filters that are open around it. */
const depthWork = 0.05;
const plainWork = 0.3;

export function* run(scope: Scope, filter: Filter, at: At): Generator<At, void, undefined> {
  const { process } = scope.call;
  charge(process, stepWork + depthWork * process.meter.depth);
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
      for (const one of values(scope, filter.of, value)) yield plain(calculate(scope.call.process, "-", 0, one));
      return;
    case "list": {
      const all: Json[] = [];
      for (const one of filter.of ? values(scope, filter.of, value) : []) {
        hold(scope.call.process, 16);
        release(scope, one);
        all.push(one);
      }
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
      return yield* members(scope, at);
  }
}

/** The texts of a text with filters in it: one for each combination of what they give, the first filter's changing first. */
function* interpolated(
  scope: Scope,
  { parts, format }: Filter & { kind: "text" },
  value: Json,
): Generator<string, void, undefined> {
  const { process } = scope.call;
  const choices = parts.map((part) => {
    if (typeof part === "string") return [part];
    const texts: string[] = [];
    for (const one of values(scope, part, value)) {
      weigh(process, one);
      build(process, sizeOf(one));
      texts.push(format === undefined ? textOf(one) : formatted(process, format, one));
      hold(process, 16 + (texts.at(-1)?.length ?? 0));
    }
    return texts;
  });
  for (const chosen of combinations(scope, choices)) {
    build(
      process,
      chosen.reduce((sum, one) => sum + one.length, 0),
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
      const [begin, end] = [first, last].map((one) => (typeof one === "number" ? Math.floor(one) : null));
      const whole = of.value as string | readonly Json[] | null;
      walk(scope, whole);
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
    for (const one of members(scope, at)) yield* recursed(scope, one);
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

/** The objects of a literal: one for each combination of what its keys and values give, the last entry's changing first. */
function* objects(
  scope: Scope,
  entries: readonly (readonly [Filter, Filter])[],
  value: Json,
): Generator<Record<string, Json>, void, undefined> {
  const choices = entries.map(([keyFilter, valueFilter]) => pairs(scope, keyFilter, valueFilter, value));
  for (const chosen of combinations(scope, choices.reverse())) {
    charge(scope.call.process, choices.length * memberWork.object);
    const made: Record<string, Json> = {};
    for (const [key, member] of chosen.reverse()) setMember(scope, made, key, member);
    yield made;
  }
}

function pairs(scope: Scope, keyFilter: Filter, valueFilter: Filter, value: Json): [key: string, member: Json][] {
  const all: [string, Json][] = [];
  for (const key of values(scope, keyFilter, value)) {
    if (typeof key !== "string") throw new JqError("Object keys must be strings");
    for (const one of values(scope, valueFilter, value)) {
      release(scope, one);
      hold(scope.call.process, 32);
      all.push([key, one]);
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
  for (const one of values(scope, start, value)) sum = one;
  release(scope, sum);
  for (const one of values(scope, source, value)) {
    const inner = withVariable(scope, name, one);
    for (const made of consumed(inner, next, sum)) {
      sum = made;
      if (!shows) continue;
      for (const shown of values(inner, shows, made)) {
        release(scope, shown);
        yield plain(shown);
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
  if (isAssignment(operator)) {
    for (const made of updated(scope, filter, value)) yield plain(made);
    return;
  }
  for (const second of values(scope, right, value)) {
    for (const first of values(scope, left, value)) yield plain(operated(scope, operator, first, second));
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

/** Returns what an update makes of a value. `isOwned`: nothing else refers to the value. */
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
    const own = isOwned && operands.length === 1;
    if (!own) release(scope, value);
    // It may be the value itself, or lie in it.
    release(scope, operand);
    let result = value;
    const make = (before: Json, isOwn: boolean): Json => {
      if (operator === "+=") return extended(scope, before, operand, isOwn);
      if (operator !== "=") weighed(scope, operator.slice(0, -1), before, operand);
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
    for (const [at, path] of paths.entries()) result = change(scope, result, path, make, own || at > 0);
    yield result;
  }
}

/** `|=`: members for which the filter gives nothing are deleted at the end. */
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

/**
 * Yields the values that a filter leads to from a value that its caller gives up: assignments and additions change it in place.
 * A filter that uses the value more than once runs as any other.
 */
function* consumed(scope: Scope, filter: Filter, value: Json): Generator<Json, void, undefined> {
  const { process } = scope.call;
  charge(process, stepWork + depthWork * process.meter.depth);
  enter(process);
  try {
    const isDone = yield* consumedBy(scope, filter, value);
    if (isDone) return;
    for (const one of values(scope, filter, value)) {
      release(scope, one);
      yield one;
    }
  } finally {
    comeBack(process);
  }
}

/** Reports whether the filter is one of those that use the value once. Of several values of another filter, none may change it. */
function* consumedBy(scope: Scope, filter: Filter, value: Json): Generator<Json, boolean, undefined> {
  switch (filter.kind) {
    case "this":
      yield value;
      return true;
    case "define":
      yield* consumed(defined(scope, filter), filter.rest, value);
      return true;
    case "bind":
      for (const one of beside(scope, filter.source, value))
        yield* consumed(bound(scope, filter.names, one), filter.body, value);
      return true;
    case "if":
      for (const one of beside(scope, filter.condition, value)) {
        const branch = isTrue(one) ? filter.yes : filter.no;
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

/** All values of a filter. If it is not one, whoever uses the value after each of them has to copy it. */
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
    if (all.length !== 1) for (const one of all) release(scope, one);
    for (const one of all) yield* consumed(scope, right, one);
    return true;
  }
  if (isAssignment(operator)) {
    yield* updated(scope, filter, value, true);
    return true;
  }
  if (operator !== "+" || left.kind !== "this") return false;
  for (const one of beside(scope, right, value)) yield extended(scope, value, one, true);
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
  const own = paths.length === 1 && operands.length === 1;
  if (!own) release(scope, value);
  for (const path of paths) for (const one of operands) yield assigned(scope, value, pathOf(path), one, own);
  return true;
}

function* called(scope: Scope, { name, args }: Filter & { kind: "call" }, at: At): Generator<At, void, undefined> {
  const entered = enteredFunction(scope, name, args, at.value);
  if (entered) yield* run(entered.scope, entered.body, at);
  else yield* builtin({ scope, name, args, at, run, values, pathsOf, recursed });
}

/** The body of a function that the filter defines, and the scope in which it runs for these arguments. */
function enteredFunction(
  scope: Scope,
  name: string,
  args: readonly Filter[],
  value: Json,
): { readonly scope: Scope; readonly body: Filter } | undefined {
  const own = scope.functions.get(`${name}/${args.length}`);
  if (!own) return undefined;
  charge(scope.call.process, own.scope.functions.size / 10);
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
    for (const one of values(scope, arg, value)) inner = withVariable(inner, variableName, one);
  return { scope: inner, body: own.body };
}
