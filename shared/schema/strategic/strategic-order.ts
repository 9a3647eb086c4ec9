// The order of a merged list: what the patch names stands in the patch's order, what only the server has keeps its own
// order, and the two are woven together by their places in the server's list.
import { isObject } from "../json-values.ts";
import { goText, noMergeKey, failure, wrongType } from "./strategic-schema.ts";

/** `merged` in the order of `patchOrder`, then that of `serverOrder`. Items are objects where there is a merge key. */
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
  const woven: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const here = place(serverPlaces, item);
    // An item that the server does not have is put before the rest of what only the server has.
    while (next < serverOnly.length && here >= 0) {
      const other = place(serverPlaces, serverOnly[next]);
      if (other < 0 || other >= here) break;
      woven.push(serverOnly[next++]);
    }
    woven.push(item);
  }
  return [...woven, ...serverOnly.slice(next)];
}

/** What tells an item from others: its merge key's value, or itself. */
export function identity(item: unknown, mergeKey: string): unknown {
  if (!mergeKey) return item;
  return isObject(item) ? item[mergeKey] : undefined;
}

/** The merge key's value, which must be there. */
export function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) throw wrongType("map", item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** The items of the patch must stand in the order that `$setElementOrder` gives, and all be named there. */
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

function isSame(item: unknown, wanted: unknown, mergeKey: string): boolean {
  return mergeKey ? keyOf(item, mergeKey) === keyOf(wanted, mergeKey) : item === wanted;
}

function places(list: readonly unknown[], mergeKey: string): ReadonlyMap<unknown, number> {
  const found = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const key = identity(item, mergeKey);
    if (!found.has(key)) found.set(key, index);
  }
  return found;
}
