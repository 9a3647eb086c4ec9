// Which part of a log is in the file that a kubelet reads: it begins another one when it finds the last one full (upstream:
// `containerLogManager`). Worked out from how much was written by when.

/** `containerLogMaxSize` and `containerLogMonitorInterval` of a kubelet's configuration. */
export const mostFileBytes = 10 * 1024 * 1024;
export const monitorMs = 10_000;
/** `containerLogMaxFiles`. */
export const mostFiles = 5;

/** When each file but the first was begun, in order. `bytesBy`: what was written by a moment; it never becomes less. */
export function rotationsOf(bytesBy: (atMs: number) => number, startMs: number, untilMs: number): number[] {
  const found: number[] = [];
  const all = bytesBy(untilMs);
  let before = 0;
  let first = Math.floor(startMs / monitorMs);
  const last = Math.floor(untilMs / monitorMs);
  while (all - before >= mostFileBytes) {
    // By halving: the first look at which the file is full.
    let high = last;
    for (let low = first; low < high; ) {
      const middle = Math.floor((low + high) / 2);
      if (bytesBy(middle * monitorMs) - before >= mostFileBytes) high = middle;
      else low = middle + 1;
    }
    const written = bytesBy(high * monitorMs);
    if (written - before < mostFileBytes) break;
    found.push(high * monitorMs);
    [before, first] = [written, high + 1];
    if (first > last) break;
  }
  return found;
}
