// The operators of jq on two values, charged before they run, and combinations of the results of several filters.
import { chargeForBuilding, charge } from "../meter.ts";
import { extended } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { calculate, compare, type Json, estimateBytes, chargeDeeply } from "./values.ts";

/** Computes an operator on two values. */
export function operated(scope: Scope, operator: string, first: Json, second: Json): Json {
  const { process } = scope.call;
  if (typeof first === "number" && typeof second === "number" && !isComparison(operator))
    return calculate(process, operator, first, second);
  if (operator === "+") return extended(scope, first, second, false);
  chargeForOperator(scope, operator, first, second);
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

/** Charges for the operands that an operator reads, and for its result. */
export function chargeForOperator({ call: { process } }: Scope, operator: string, first: Json, second: Json): void {
  charge(process, 0.5);
  const isRepeated = operator === "*" && typeof first === "string" && typeof second === "number";
  chargeForBuilding(
    process,
    isRepeated ? first.length * Math.max(second, 1) : estimateBytes(first) + estimateBytes(second),
  );
  chargeDeeply(process, first);
  chargeDeeply(process, second);
}

function compares(operator: string, order: number): boolean {
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}

/** Yields each combination of one item per list; the first list's item changes first. */
export function* combinations<T>(
  { call: { process } }: Scope,
  lists: readonly (readonly T[])[],
): Generator<T[], void, undefined> {
  if (lists.some((list) => list.length === 0)) return;
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
