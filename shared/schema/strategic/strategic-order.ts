// Sorts a merged list. Items of the patch have the patch's order, and items that only the server has keep theirs. The two are interleaved
// by their places in the server's list.
import { isObject } from "../json-values.ts";
import { goText, noMergeKey, failure, wrongType } from "./strategic-schema.ts";

/** Returns `merged` in the order of `patchOrder`, then that of `serverOrder`. Items are objects if there is a merge key. */
export function orderMerged(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  mergeKey: string,
): unknown[] {
  if (mergeKey) {
    for (const item of [...merged, ...patchOrder, ...serverOrder]) keyOf(item, mergeKey);
  }
  const patchPlaces = places(patchOrder, mergeKey);
  const serverPlaces = places(serverOrder, mergeKey);
  const place = (of: ReadonlyMap<unknown, number>, item: unknown) => of.get(identity(item, mergeKey)) ?? -1;
  const patched = merged.filter((item) => place(patchPlaces, item) >= 0);
  const serverOnly = merged.filter((item) => place(patchPlaces, item) < 0);
  patched.sort((a, b) => place(patchPlaces, a) - place(patchPlaces, b));
  serverOnly.sort((a, b) => place(serverPlaces, a) - place(serverPlaces, b));
  const interleaved: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const serverPlace = place(serverPlaces, item);
    // An item that the server does not have comes before the remaining items that only the server has.
    while (next < serverOnly.length && serverPlace >= 0) {
      const otherPlace = place(serverPlaces, serverOnly[next]);
      if (otherPlace < 0 || otherPlace >= serverPlace) break;
      interleaved.push(serverOnly[next++]);
    }
    interleaved.push(item);
  }
  return [...interleaved, ...serverOnly.slice(next)];
}

/** Returns the identity of an item: its merge key's value, or the item itself. */
export function identity(item: unknown, mergeKey: string): unknown {
  if (!mergeKey) return item;
  return isObject(item) ? item[mergeKey] : undefined;
}

/** Returns the merge key's value. Throws if it is absent. */
export function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) throw wrongType("map", item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** Checks that the items of the patch stand in the order of `$setElementOrder`, which must name all of them. */
export function checkElementOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey ? patch.filter((item) => !(isObject(item) && item.$patch === "delete")) : patch;
  let index = 0;
  let next = 0;
  while (index < items.length && next < order.length) {
    const item = items[index];
    const isDirective = isObject(item) && Object.hasOwn(item, "$patch");
    if (isDirective || isSame(item, order[next], mergeKey)) index++;
    if (!isDirective) next++;
  }
  if (index >= items.length) return;
  throw failure(
    `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
  );
}

function isSame(item: unknown, target: unknown, mergeKey: string): boolean {
  return mergeKey ? keyOf(item, mergeKey) === keyOf(target, mergeKey) : item === target;
}

function places(list: readonly unknown[], mergeKey: string): ReadonlyMap<unknown, number> {
  const placeByKey = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const key = identity(item, mergeKey);
    if (!placeByKey.has(key)) placeByKey.set(key, index);
  }
  return placeByKey;
}
