// How far somebody has read what goes on being printed. By time, for of what is alike only the last is kept and nothing can be counted.
import type { Sent } from "../../../shared/contract/cluster-object.ts";

interface Piece {
  readonly atMs: number;
}

export const nothingSent: Sent = { atMs: 0, count: 0 };

/** `pieces` in the order of time. */
export function unsent<T extends Piece>(pieces: readonly T[], { atMs, count }: Sent): readonly T[] {
  const same = pieces.filter((one) => one.atMs === atMs).slice(count);
  return [...same, ...pieces.filter((one) => one.atMs > atMs)];
}

export function sentOf(pieces: readonly Piece[], before: Sent): Sent {
  const atMs = pieces.at(-1)?.atMs;
  if (atMs === undefined || atMs < before.atMs) return before;
  return { atMs, count: pieces.filter((one) => one.atMs === atMs).length };
}
