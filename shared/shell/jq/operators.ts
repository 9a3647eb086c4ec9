// The operators of jq on two values, paid for before they run, and the combinations of what several filters give.
import { build, charge } from "../meter.ts";
import { extended } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { calculate, compare, type Json, sizeOf, weigh } from "./values.ts";

/** Computes an operator on two values. */
export function operated(scope: Scope, operator: string, first: Json, second: Json): Json {
  const { process } = scope.call;
  if (typeof first === "number" && typeof second === "number" && !isComparison(operator))
    return calculate(process, operator, first, second);
  if (operator === "+") return extended(scope, first, second, false);
  weighed(scope, operator, first, second);
  return isComparison(operator)
    ? compares(operator, compare(process, first, second))
    : calculate(process, operator, first, second);
}

export function isComparison(operator: string): boolean {
  return (
    operator === "==" ||
    operator === "!=" ||
    operator === "<" ||
    operator === "<=" ||
    operator === ">" ||
    operator === ">="
  );
}

export function isAssignment(operator: string): boolean {
  return operator.endsWith("=") && !isComparison(operator);
}

/** What the operator looks at, and what it makes, is paid for before. */
export function weighed({ call: { process } }: Scope, operator: string, first: Json, second: Json): void {
  charge(process, 0.5);
  const isRepeated = operator === "*" && typeof first === "string" && typeof second === "number";
  build(process, isRepeated ? first.length * Math.max(second, 1) : sizeOf(first) + sizeOf(second));
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

/** One of each list, in each combination; the first list's changes first. */
export function* combinations<T>(
  { call: { process } }: Scope,
  lists: readonly (readonly T[])[],
): Generator<T[], void, undefined> {
  if (lists.some((one) => one.length === 0)) return;
  const chosen = lists.map(() => 0);
  for (;;) {
    charge(process, lists.length / 8);
    yield lists.map((list, at) => list[chosen[at] ?? 0] as T);
    let at = 0;
    for (; at < lists.length; at++) {
      const next = (chosen[at] ?? 0) + 1;
      chosen[at] = next < (lists[at]?.length ?? 0) ? next : 0;
      if (chosen[at] !== 0) break;
    }
    if (at === lists.length) return;
  }
}
