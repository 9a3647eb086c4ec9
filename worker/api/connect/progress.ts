// The position of a reader in growing output. It is a time, because old output is dropped and pieces cannot be counted.
import { countBefore } from "../../../shared/base/partition.ts";
import type { Sent } from "../../../shared/contract/cluster-object.ts";

interface Piece {
  readonly atMs: number;
}

export const nothingSent: Sent = { atMs: 0, count: 0 };

/** Returns the index of the first unsent piece. `pieces` are in the order of time. */
export function firstUnsent(pieces: readonly Piece[], sent: Sent): number {
  const before = countBefore(pieces, ({ atMs }) => atMs < sent.atMs);
  const upTo = countBefore(pieces, ({ atMs }) => atMs <= sent.atMs);
  return Math.min(before + sent.count, upTo);
}

/** Returns the unsent pieces. `pieces` are in the order of time. */
export function unsent<T extends Piece>(pieces: readonly T[], sent: Sent): readonly T[] {
  return pieces.slice(firstUnsent(pieces, sent));
}

/** Returns the position after sending. `end` is the end of the sent pieces. */
export function sentOf(pieces: readonly Piece[], before: Sent, end = pieces.length): Sent {
  const lastMs = pieces[end - 1]?.atMs;
  if (lastMs === undefined || lastMs < before.atMs) return before;
  return { atMs: lastMs, count: end - countBefore(pieces, ({ atMs }) => atMs < lastMs) };
}
