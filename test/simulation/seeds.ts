// The seeds that the simulations run: those that failed once, then as many as a test wants. `SANDBAR_SEEDS` names others: a count (`200`), a range
// (`201..400`) or one seed and no other (`39..39`).

const failedOnce: readonly number[] = [26, 39, 153, 290];

export function seeds(count: number): number[] {
  const [first = "", last] = (process.env["SANDBAR_SEEDS"] ?? String(count)).split("..");
  if (last !== undefined) return rangeOf(Number(first), Number(last));
  return [...new Set([...failedOnce, ...rangeOf(1, Number(first))])];
}

function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
