// Computes when the kubelet rotates a log file (upstream: `containerLogManager`). Depends only on how much was written by when.
// The newest file is the part of the log that a kubelet reads.

/** `containerLogMaxSize` and `containerLogMonitorInterval` of a kubelet's configuration. */
export const mostFileBytes = 10 * 1024 * 1024;
export const monitorMs = 10_000;

/** Returns the start times of all files but the first, in order. `bytesBy`: the bytes written by a time; it never decreases. */
export function rotationsOf(bytesBy: (atMs: number) => number, startMs: number, untilMs: number): number[] {
  const rotations: number[] = [];
  const all = bytesBy(untilMs);
  let before = 0;
  let first = Math.floor(startMs / monitorMs);
  const last = Math.floor(untilMs / monitorMs);
  while (all - before >= mostFileBytes) {
    // Bisects for the first check at which the file is full.
    let high = last;
    for (let low = first; low < high; ) {
      const middle = Math.floor((low + high) / 2);
      if (bytesBy(middle * monitorMs) - before >= mostFileBytes) high = middle;
      else low = middle + 1;
    }
    const written = bytesBy(high * monitorMs);
    if (written - before < mostFileBytes) break;
    rotations.push(high * monitorMs);
    [before, first] = [written, high + 1];
    if (first > last) break;
  }
  return rotations;
}
