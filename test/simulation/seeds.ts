// Which seeds are run: those that once failed, always; then as many as are asked for.

/** Each failed once. */
const kept: readonly number[] = [153, 290];

export function seeds(count: number): number[] {
  const more = Number(process.env["SANDBAR_SEEDS"] ?? count);
  return [...new Set([...kept, ...Array.from({ length: more }, (_, index) => index + 1)])];
}
