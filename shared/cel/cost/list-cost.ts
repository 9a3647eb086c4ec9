// Run-time costs of the functions that create lists and sets.
import { sizeOfValue, traversal } from "./sizes.ts";
import { type Value, at, isList } from "../values.ts";

type Cost = (args: readonly Value[], result: Value) => number;

const creation: Cost = (_args, result) => allocating(1, sizeOfValue(result));
const inSets =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + sizeOfValue(a) * sizeOfValue(b) * factor;

export const listCosts: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ["slice", creation],
  ["lists.range", creation],
  ["reverse", creation],
  ["flatten", ([items, depth]) => allocating(typeof depth === "bigint" ? Number(depth) : 1, sizeOfValue(items))],
  ["distinct", ([items]) => comparingAll(items)],
  ["sort", ([items]) => comparingAll(items)],
  ["@sortByAssociatedKeys", ([, keys]) => comparingAll(keys)],
  ["sets.contains", inSets(1)],
  ["sets.intersects", inSets(1)],
  ["sets.equivalent", inSets(2)],
]);

function allocating(factor: number, size: number): number {
  return Math.trunc(size * factor) + 11;
}

function comparingAll(list: Value | undefined): number {
  const size = sizeOfValue(list);
  const first = size > 0 && isList(list) ? at(list, 0) : null;
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return allocating(isText ? 2 + traversal : 2, size * size);
}
