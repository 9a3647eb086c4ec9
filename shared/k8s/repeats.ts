// Which items of a list have the key of an earlier one: in one pass, since a list may be as long as an object.

/** For each place of the list whether its key stands before it. Keys are told apart as a `Map` does. */
export function repeatsOf<T>(list: readonly T[], keyOf: (one: T) => unknown): readonly boolean[] {
  const seen = new Set<unknown>();
  return list.map((one) => {
    const key = keyOf(one);
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
}
