// Binary search in a sorted list.

/** Returns the number of leading items for which `isBefore` is true. It must be false for all others. */
export function countBefore<T>(list: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = list[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
