// Run-time costs of the functions that create lists and sets.
import { sizeOfValue, traversal } from "./sizes.ts";
import { type Value, at, isList } from "../values.ts";

type Cost = (args: readonly Value[], result: Value) => number;

const creationCost: Cost = (_args, result) => allocating(1, sizeOfValue(result));
const pairwiseCost =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + sizeOfValue(a) * sizeOfValue(b) * factor;

export const listCosts: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ["slice", creationCost],
  ["lists.range", creationCost],
  ["reverse", creationCost],
  ["flatten", ([items, depth]) => allocating(typeof depth === "bigint" ? Number(depth) : 1, sizeOfValue(items))],
  ["distinct", ([items]) => comparingAll(items)],
  ["sort", ([items]) => comparingAll(items)],
  ["@sortByAssociatedKeys", ([, keys]) => comparingAll(keys)],
  ["sets.contains", pairwiseCost(1)],
  ["sets.intersects", pairwiseCost(1)],
  ["sets.equivalent", pairwiseCost(2)],
]);

/** Adds upstream's cost of creating a list (10) and of the call (1). */
function allocating(factor: number, size: number): number {
  return Math.trunc(size * factor) + 11;
}

function comparingAll(list: Value | undefined): number {
  const size = sizeOfValue(list);
  const first = size > 0 && isList(list) ? at(list, 0) : null;
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return allocating(isText ? 2 + traversal : 2, size * size);
}
