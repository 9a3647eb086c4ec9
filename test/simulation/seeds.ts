// Which seeds are run: those that once failed, always; then as many as are asked for.

/** Each found a bug once. */
const kept: readonly number[] = [];

export function seeds(count: number): number[] {
  const more = Number(process.env["SANDBAR_SEEDS"] ?? count);
  return [...new Set([...kept, ...Array.from({ length: more }, (_, index) => index + 1)])];
}
