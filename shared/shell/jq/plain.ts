// Filters of jq with exactly one result and no path. They are computed directly, without a generator for each node.
import { operated } from "./operators.ts";
import type { Filter } from "./parse.ts";
import { member, plain } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { type Json, JqError } from "./values.ts";

const counts = new WeakMap<Filter, number>();
/** The limit of nesting; deeper filters run as any other, which counts their depth. */
const deepest = 12;
const operators = new Set(["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="]);

/** Returns the number of nodes of such a filter, and 0 for any other. */
export function plainNodes(filter: Filter, depth = 0): number {
  const before = counts.get(filter);
  if (before !== undefined) return before;
  if (depth > deepest) return 0;
  const count = nodesOf(filter, depth + 1);
  // The limit of nesting depends on the position, so only the result of the root is cached.
  if (depth === 0) counts.set(filter, count);
  return count;
}

function nodesOf(filter: Filter, depth: number): number {
  switch (filter.kind) {
    case "this":
    case "value":
    case "variable":
      return 1;
    case "key":
      return both(plainNodes(filter.of, depth), plainNodes(filter.key, depth));
    case "binary":
      return operators.has(filter.operator) ? both(plainNodes(filter.left, depth), plainNodes(filter.right, depth)) : 0;
    default:
      return 0;
  }
}

function both(first: number, second: number): number {
  return first > 0 && second > 0 ? first + second + 1 : 0;
}

/** Computes a filter that `plainNodes` counts. */
export function plainValue(scope: Scope, filter: Filter, value: Json): Json {
  switch (filter.kind) {
    case "this":
      return value;
    case "value":
      return filter.value;
    case "variable":
      return variable(scope, filter.name);
    case "key":
      return member(plain(plainValue(scope, filter.of, value)), plainValue(scope, filter.key, value)).value;
    case "binary": {
      const { operator, left, right } = filter;
      const second = plainValue(scope, right, value);
      return operated(scope, operator, plainValue(scope, left, value), second);
    }
    default:
      throw new Error(`${filter.kind} gives more than one value`);
  }
}

export function variable({ variables, call }: Scope, name: string): Json {
  if (name === "ENV") return Object.fromEntries(call.environment());
  if (!variables.has(name)) throw new JqError(`$${name} is not defined`);
  return variables.get(name);
}
