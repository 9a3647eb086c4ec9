// Runs a jq filter: each gives any number of values, with the path to them where one is asked for.
import { Failure } from "../../shell.ts";
import type { Binding, Node } from "./syntax.ts";
import {
  brief,
  compact,
  compareValues,
  inFormat,
  isRecord,
  isTrue,
  JqError,
  type JsonRecord,
  typeOf,
} from "./values.ts";

export type Path = readonly (string | number | { readonly from: number | null; readonly to: number | null })[];

export interface At {
  readonly value: unknown;
  /** Undefined where it is no part of the input. */
  readonly path?: Path | undefined;
}

interface Function {
  readonly parameters: readonly string[];
  readonly body: Node;
  /** Where it was defined. */
  readonly scope: () => Scope;
}

export interface Scope {
  readonly variables: ReadonlyMap<string, unknown>;
  /** By name and number of parameters. */
  readonly functions: ReadonlyMap<string, Function | { readonly node: Node; readonly scope: Scope }>;
  /** Steps left; shared. */
  readonly work: { left: number; depth: number };
}

/** What a filter gives, one after the other. */
export type Found = Generator<At, void, undefined>;

export type Builtins = Readonly<Record<string, Builtin>>;

export type Builtin = (input: At, args: readonly Node[], scope: Scope) => Iterable<At>;

/** Values that one run may give, and filters within one another. */
const maxSteps = 3_000_000;
const maxDepth = 2000;

export function newScope(variables: ReadonlyMap<string, unknown>): Scope {
  return { variables, functions: new Map(), work: { left: maxSteps, depth: 0 } };
}

/** The builtins are handed in, since they run filters themselves. */
export class Interpreter {
  readonly #builtins: ReadonlyMap<string, Builtin>;

  constructor(builtins: (run: Interpreter) => Builtins) {
    this.#builtins = new Map(Object.entries(builtins(this)));
  }

  *run(node: Node, input: At, scope: Scope): Found {
    if (--scope.work.left < 0) throw new Failure("error: the filter does more than it may here", 5);
    if (++scope.work.depth > maxDepth) throw new Failure("error: the filter calls itself too deeply", 5);
    try {
      yield* this.#node(node, input, scope);
    } finally {
      scope.work.depth--;
    }
  }

  *values(node: Node, value: unknown, scope: Scope): Generator<unknown, void, undefined> {
    for (const one of this.run(node, { value }, scope)) yield one.value;
  }

  *#node(node: Node, input: At, scope: Scope): Found {
    switch (node.kind) {
      case "identity":
        return yield input;
      case "recurse":
        return yield* this.#below(input);
      case "index":
        for (const of of this.run(node.of, input, scope))
          for (const at of this.values(node.at, input.value, scope)) yield indexed(of, at);
        return;
      case "slice":
        return yield* this.#slice(node, input, scope);
      case "iterate":
        for (const of of this.run(node.of, input, scope)) yield* members(of);
        return;
      case "try":
        return yield* this.#try(node, input, scope);
      case "negative":
        for (const value of this.values(node.of, input.value, scope)) yield { value: arithmetic("-", 0, value) };
        return;
      case "literal":
        return yield { value: node.value };
      case "string":
        return yield* this.#string(node, input, scope);
      case "format":
        return yield { value: inFormat(node.name, input.value) };
      case "array":
        return yield { value: node.of ? [...this.values(node.of, input.value, scope)] : [] };
      case "object":
        return yield* this.#object(node.entries, input, scope);
      case "binary":
        return yield* this.#binary(node, input, scope);
      case "if":
        return yield* this.#if(node, 0, input, scope);
      case "variable":
        if (!scope.variables.has(node.name)) throw new Error(`${node.name} is not defined`);
        return yield { value: scope.variables.get(node.name) };
      case "bind":
        for (const value of this.values(node.source, input.value, scope))
          yield* this.run(node.body, input, bound(scope, node.names, value));
        return;
      case "fold":
        return yield* this.#fold(node, input, scope);
      case "define": {
        const inner: Scope = {
          ...scope,
          functions: new Map([
            ...scope.functions,
            [
              `${node.name}/${node.parameters.length}`,
              { parameters: node.parameters, body: node.body, scope: () => inner },
            ],
          ]),
        };
        return yield* this.run(node.rest, input, inner);
      }
      case "call":
        return yield* this.#call(node, input, scope);
    }
  }

  *#below(input: At): Found {
    yield input;
    if (typeof input.value !== "object" || input.value === null) return;
    for (const one of members(input)) yield* this.#below(one);
  }

  *#slice(node: Node & { kind: "slice" }, input: At, scope: Scope): Found {
    for (const of of this.run(node.of, input, scope)) {
      for (const from of node.from ? this.values(node.from, input.value, scope) : [null]) {
        for (const to of node.to ? this.values(node.to, input.value, scope) : [null]) {
          const span = { from: typeof from === "number" ? from : null, to: typeof to === "number" ? to : null };
          if (of.value !== null && typeof of.value !== "string" && !Array.isArray(of.value))
            throw new JqError(`Cannot index ${typeOf(of.value)} with object`);
          const value = of.value === null ? null : of.value.slice(span.from ?? 0, span.to ?? undefined);
          yield { value, path: of.path && [...of.path, span] };
        }
      }
    }
  }

  *#try(node: Node & { kind: "iterate" | "try" | "negative" }, input: At, scope: Scope): Found {
    const { depth } = scope.work;
    try {
      yield* this.run(node.of, input, scope);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      scope.work.depth = depth;
      if (node.otherwise) yield* this.run(node.otherwise, { value: error.value }, scope);
    }
  }

  *#string(node: Node & { kind: "string" }, input: At, scope: Scope, from = 0): Found {
    const part = node.parts[from];
    if (part === undefined) return yield { value: "" };
    for (const rest of this.#string(node, input, scope, from + 1)) {
      if (typeof part === "string") yield { value: part + String(rest.value) };
      else
        for (const value of this.values(part, input.value, scope))
          yield { value: inFormat(node.format, value) + String(rest.value) };
    }
  }

  *#object(entries: readonly (readonly [Node, Node])[], input: At, scope: Scope): Found {
    const [first, ...others] = entries;
    if (!first) return yield { value: {} };
    for (const key of this.values(first[0], input.value, scope)) {
      if (typeof key !== "string") throw new JqError(`Object keys must be strings, not ${brief(key)}`);
      for (const value of this.values(first[1], input.value, scope))
        for (const rest of this.#object(others, input, scope))
          yield { value: withKey(key, value, rest.value as JsonRecord) };
    }
  }

  *#binary({ operator, left, right }: Node & { kind: "binary" }, input: At, scope: Scope): Found {
    switch (operator) {
      case "|":
        for (const one of this.run(left, input, scope)) yield* this.run(right, one, scope);
        return;
      case ",":
        yield* this.run(left, input, scope);
        return yield* this.run(right, input, scope);
      case "and":
      case "or":
        for (const a of this.values(left, input.value, scope)) {
          if (isTrue(a) === (operator === "or")) yield { value: operator === "or" };
          else for (const b of this.values(right, input.value, scope)) yield { value: isTrue(b) };
        }
        return;
      case "//":
        return yield* this.#alternative(left, right, input, scope);
      case "=":
        for (const value of this.values(right, input.value, scope)) {
          let made = input.value;
          for (const { path } of this.paths(left, input.value, scope)) made = put(made, path ?? [], value);
          yield { value: made };
        }
        return;
      default:
        break;
    }
    if (operator.endsWith("=") && !["==", "!=", "<=", ">="].includes(operator))
      return yield* this.#update(operator.slice(0, -1), left, right, input, scope);
    for (const b of this.values(right, input.value, scope))
      for (const a of this.values(left, input.value, scope)) yield { value: combined(operator, a, b) };
  }

  *#alternative(left: Node, right: Node, input: At, scope: Scope): Found {
    let isFound = false;
    try {
      for (const one of this.run(left, input, scope)) {
        if (!isTrue(one.value)) continue;
        isFound = true;
        yield one;
      }
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
    }
    if (!isFound) yield* this.run(right, input, scope);
  }

  /** `|=`, `+=` and the like. */
  *#update(operator: string, left: Node, right: Node, input: At, scope: Scope): Found {
    let made = input.value;
    const given = operator === "|" ? undefined : this.values(right, input.value, scope).next().value;
    const removed: Path[] = [];
    for (const { path = [] } of [...this.paths(left, input.value, scope)]) {
      const before = valueAt(made, path);
      if (operator === "|") {
        const next = this.values(right, before, scope).next();
        if (next.done) removed.push(path);
        else made = put(made, path, next.value);
      } else
        made = put(
          made,
          path,
          operator === "//" ? (isTrue(before) ? before : given) : combined(operator, before, given),
        );
    }
    yield { value: without(made, removed) };
  }

  *paths(node: Node, value: unknown, scope: Scope): Found {
    for (const one of this.run(node, { value, path: [] }, scope)) {
      if (!one.path) throw new JqError(`Invalid path expression with result ${compact(one.value).slice(0, 30)}`);
      yield one;
    }
  }

  *#if(node: Node & { kind: "if" }, at: number, input: At, scope: Scope): Found {
    const arm = node.arms[at];
    if (!arm) {
      if (node.otherwise) yield* this.run(node.otherwise, input, scope);
      else yield input;
      return;
    }
    for (const holds of this.values(arm[0], input.value, scope)) {
      if (isTrue(holds)) yield* this.run(arm[1], input, scope);
      else yield* this.#if(node, at + 1, input, scope);
    }
  }

  *#fold(node: Node & { kind: "fold" }, input: At, scope: Scope): Found {
    for (let state of this.values(node.start, input.value, scope)) {
      for (const value of this.values(node.source, input.value, scope)) {
        const inner = bound(scope, [{ name: node.name, path: [] }], value);
        let isAny = false;
        for (const next of this.values(node.update, state, inner)) {
          isAny = true;
          state = next;
          if (!node.isForeach) continue;
          if (node.shown) yield* this.run(node.shown, { value: next }, inner);
          else yield { value: next };
        }
        if (!isAny && !node.isForeach) state = null;
      }
      if (!node.isForeach) yield { value: state };
    }
  }

  *#call({ name, args }: Node & { kind: "call" }, input: At, scope: Scope): Found {
    const key = `${name}/${args.length}`;
    const own = scope.functions.get(key);
    if (own && "node" in own) return yield* this.run(own.node, input, { ...own.scope, work: scope.work });
    if (own) return yield* this.#ownCall(own, args, input, scope);
    const builtin = this.#builtins.get(key);
    if (!builtin) throw new Error(`${key} is not defined`);
    yield* builtin(input, args, scope);
  }

  *#ownCall({ parameters, body, scope: defined }: Function, args: readonly Node[], input: At, scope: Scope): Found {
    const functions = new Map(defined().functions);
    const byValue: [string, Node][] = [];
    for (const [at, parameter] of parameters.entries()) {
      const node = args[at] ?? { kind: "identity" };
      functions.set(`${parameter.replace("$", "")}/0`, { node, scope });
      if (parameter.startsWith("$")) byValue.push([parameter, node]);
    }
    yield* this.#withValues(byValue, input, scope, { ...defined(), functions }, body);
  }

  *#withValues(given: readonly (readonly [string, Node])[], input: At, scope: Scope, inner: Scope, body: Node): Found {
    const [first, ...others] = given;
    if (!first) return yield* this.run(body, input, inner);
    for (const value of this.values(first[1], input.value, scope))
      yield* this.#withValues(others, input, scope, bound(inner, [{ name: first[0], path: [] }], value), body);
  }
}

function withKey(key: string, value: unknown, rest: JsonRecord): JsonRecord {
  const made: JsonRecord = { [key]: value };
  for (const [name, one] of Object.entries(rest)) made[name] = one;
  return made;
}

function bound(scope: Scope, names: readonly Binding[], value: unknown): Scope {
  const variables = new Map(scope.variables);
  for (const { name, path } of names) variables.set(name, valueAt(value, path));
  return { ...scope, variables };
}

export function indexed(of: At, at: unknown): At {
  const path = of.path && (typeof at === "string" || typeof at === "number") ? [...of.path, at] : undefined;
  return { value: member(of.value, at), path };
}

function member(of: unknown, at: unknown): unknown {
  if (of === null && (typeof at === "string" || typeof at === "number" || at === null)) return null;
  if (isRecord(of) && typeof at === "string") return Object.hasOwn(of, at) ? of[at] : null;
  if (Array.isArray(of) && typeof at === "number") return (of.at(Math.floor(at)) as unknown) ?? null;
  const shown = typeof at === "string" ? ` ${compact(at)}` : "";
  throw new JqError(`Cannot index ${typeOf(of)} with ${shown ? shown.trim() : typeOf(at)}`);
}

export function* members({ value, path }: At): Found {
  if (Array.isArray(value))
    for (const [at, one] of value.entries()) yield { value: one as unknown, path: path && [...path, at] };
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) yield { value: one, path: path && [...path, key] };
  else throw new JqError(`Cannot iterate over ${value === null ? "null" : brief(value)}`);
}

export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) {
    if (typeof step !== "object") found = member(found, step);
    else found = Array.isArray(found) ? found.slice(step.from ?? 0, step.to ?? undefined) : null;
  }
  return found;
}

export function put(value: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (typeof step === "string") {
    if (value !== null && !isRecord(value)) throw new JqError(`Cannot index ${typeOf(value)} with ${compact(step)}`);
    return { ...(value ?? {}), [step]: put(member(value, step), rest, by) };
  }
  if (value !== null && !Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with number`);
  const list = [...((value as unknown[] | null) ?? [])];
  if (typeof step === "object") {
    const [from, to] = [step.from ?? 0, step.to ?? list.length];
    const part = put(list.slice(from, to), rest, by);
    return [...list.slice(0, from), ...(Array.isArray(part) ? (part as unknown[]) : []), ...list.slice(to)];
  }
  const at = step < 0 ? list.length + step : step;
  if (at < 0 || at > 100_000) throw new JqError("Out of bounds negative array index");
  while (list.length < at) list.push(null);
  list[at] = put(list[at] ?? null, rest, by);
  return list;
}

/** The longest and last paths first, so that none moves another. */
export function without(value: unknown, paths: readonly Path[]): unknown {
  const sorted = [...paths].sort((a, b) => -compareValues(a, b));
  return sorted.reduce((made, path) => removed(made, path), value);
}

function removed(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined || value === null) return null;
  if (rest.length > 0 && typeof step !== "object") {
    const inner = member(value, step);
    return inner === null ? value : put(value, [step], removed(inner, rest));
  }
  if (typeof step === "object") {
    const list = Array.isArray(value) ? (value as unknown[]) : [];
    return list.filter((_, at) => at < (step.from ?? 0) || at >= (step.to ?? list.length));
  }
  if (Array.isArray(value))
    return value.filter((_, at) => at !== (Number(step) < 0 ? value.length + Number(step) : step));
  if (!isRecord(value)) throw new JqError(`Cannot delete field at object index of ${typeOf(value)}`);
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step));
}

export function combined(operator: string, a: unknown, b: unknown): unknown {
  switch (operator) {
    case "==":
      return compareValues(a, b) === 0;
    case "!=":
      return compareValues(a, b) !== 0;
    case "<":
      return compareValues(a, b) < 0;
    case "<=":
      return compareValues(a, b) <= 0;
    case ">":
      return compareValues(a, b) > 0;
    case ">=":
      return compareValues(a, b) >= 0;
    default:
      return arithmetic(operator, a, b);
  }
}

const verbs: Readonly<Record<string, string>> = {
  "+": "added",
  "-": "subtracted",
  "*": "multiplied",
  "/": "divided",
  "%": "divided",
};
const maxRepeated = 1024 * 1024;

function arithmetic(operator: string, a: unknown, b: unknown): unknown {
  if (operator === "+" && (a === null || b === null)) return a ?? b;
  if (typeof a === "number" && typeof b === "number") {
    if ((operator === "/" || operator === "%") && Math.trunc(b) === 0 && (operator === "%" || b === 0))
      throw new JqError(`${brief(a)} and ${brief(b)} cannot be divided because the divisor is zero`);
    if (operator === "+") return a + b;
    if (operator === "-") return a - b;
    if (operator === "*") return a * b;
    return operator === "/" ? a / b : Math.trunc(a) % Math.trunc(b);
  }
  if (operator === "+") {
    if (typeof a === "string" && typeof b === "string") return a + b;
    if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])];
    if (isRecord(a) && isRecord(b)) return { ...a, ...b };
  }
  if (operator === "-" && Array.isArray(a) && Array.isArray(b))
    return a.filter((one) => !b.some((other) => compareValues(one, other) === 0));
  if (operator === "*" && isRecord(a) && isRecord(b)) return merged(a, b);
  if (operator === "*" && typeof a === "string" && typeof b === "number") {
    if (a.length * b > maxRepeated) throw new JqError("Repeat string result too long");
    return b <= 0 ? null : a.repeat(Math.max(1, Math.floor(b)));
  }
  if (operator === "/" && typeof a === "string" && typeof b === "string") return a === "" ? [] : a.split(b);
  throw new JqError(`${brief(a)} and ${brief(b)} cannot be ${verbs[operator] ?? "used"}`);
}

function merged(a: JsonRecord, b: JsonRecord): JsonRecord {
  const made: JsonRecord = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = made[key];
    made[key] = isRecord(before) && isRecord(value) ? merged(before, value) : value;
  }
  return made;
}
