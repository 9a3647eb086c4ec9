// How far somebody has read what goes on being printed. By time, for of what is alike only the last is kept and nothing can be counted.
import { countBefore } from "../../../shared/base/partition.ts";
import type { Sent } from "../../../shared/contract/cluster-object.ts";

interface Piece {
  readonly atMs: number;
}

export const nothingSent: Sent = { atMs: 0, count: 0 };

/** The index of the first piece that was not sent; `pieces` are in the order of time. */
export function firstUnsent(pieces: readonly Piece[], sent: Sent): number {
  const before = countBefore(pieces, ({ atMs }) => atMs < sent.atMs);
  const upTo = countBefore(pieces, ({ atMs }) => atMs <= sent.atMs);
  return Math.min(before + sent.count, upTo);
}

/** `pieces` in the order of time. */
export function unsent<T extends Piece>(pieces: readonly T[], sent: Sent): readonly T[] {
  return pieces.slice(firstUnsent(pieces, sent));
}

/** `end`: only the pieces before it. */
export function sentOf(pieces: readonly Piece[], before: Sent, end = pieces.length): Sent {
  const lastMs = pieces[end - 1]?.atMs;
  if (lastMs === undefined || lastMs < before.atMs) return before;
  return { atMs: lastMs, count: end - countBefore(pieces, ({ atMs }) => atMs < lastMs) };
}
