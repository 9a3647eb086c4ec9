// Finds the items of a list that have the key of an earlier item, in one pass, because a list can have tens of thousands of items.

/** Returns for each item whether an earlier item has its key. Keys are compared as in a `Map`. */
export function repeatsOf<T>(list: readonly T[], keyOf: (item: T) => unknown): readonly boolean[] {
  const earlierKeys = new Set<unknown>();
  return list.map((item) => {
    const key = keyOf(item);
    if (earlierKeys.has(key)) return true;
    earlierKeys.add(key);
    return false;
  });
}
