// The seeds that the simulations run: those that failed once in the test, then as many as it wants. `SANDBAR_SEEDS` names others: a count (`200`), a range
// (`201..400`) or one seed and no other (`39..39`).

export function seeds(count: number, failedOnce: readonly number[] = [153, 290]): number[] {
  const [first = "", last] = (process.env["SANDBAR_SEEDS"] ?? String(count)).split("..");
  if (last !== undefined) return rangeOf(Number(first), Number(last));
  return [...new Set([...failedOnce, ...rangeOf(1, Number(first))])];
}

function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
