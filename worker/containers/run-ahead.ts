// Follows a run ahead of now for clients that wait for its output, so that they need not poll while nothing is printed.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nextOf } from "../../shared/k8s/cron/recurring.ts";
import { type FoundLog, type FoundRun, logOfStatus, runOfStatus } from "./output.ts";
import type { ClusterView } from "./run/world.ts";
import type { Edit } from "./shell/files.ts";
import type { Chunk } from "./shell/process.ts";

export interface RunAhead extends FoundLog {
  /** Everything that the run does before this time is known; Infinity if it has ended. */
  readonly knownMs: number;
}

/** How far a run is followed ahead. The second horizon is used if nothing is printed within the first. */
const horizonsMs = [15_000, 3_600_000];

/** Follows a run ahead. Returns undefined if there was no run. */
export function runAhead(
  pod: Pod,
  name: string,
  view: ClusterView,
  nowMs: number,
  previous: boolean,
): RunAhead | undefined {
  const exact = logOfStatus(pod, name, view, nowMs, previous);
  if (!exact) return undefined;
  if (exact.ended) return { ...exact, knownMs: Number.POSITIVE_INFINITY };
  let ahead: RunAhead = { ...exact, knownMs: nowMs };
  const { probed } = exact;
  const probedMs = Math.min(...[...probed.lines, ...probed.visits].map((series) => nextOf(series, nowMs)));
  for (const horizonMs of horizonsMs) {
    const untilMs = Math.min(nowMs + horizonMs, probed.knownMs);
    const longer =
      probed.visits.length > 0
        ? logOfStatus(pod, name, view, nowMs, previous, horizonMs)
        : runOfStatus(pod, name, view, untilMs, previous);
    // A run that is followed further may skip equal rounds and close pipes. If that changes its past, it says nothing about the future.
    if (!longer || !isSamePast(exact, longer, nowMs)) break;
    ahead = { ...exact, ...longer, probed, knownMs: untilMs };
    if (longer.run.end || probedMs <= untilMs || longer.run.chunks.some(({ atMs }) => atMs > nowMs)) break;
  }
  return ahead;
}

/** Returns when something is printed next, or when the run must be followed again; undefined if that is not known. */
export function newsMs({ run, probed, knownMs }: RunAhead, nowMs: number): number | undefined {
  if (knownMs <= nowMs) return undefined;
  const printedMs = run.chunks.find(({ atMs }) => atMs > nowMs)?.atMs ?? Number.POSITIVE_INFINITY;
  return Math.min(knownMs, printedMs, ...probed.lines.map((series) => nextOf(series, nowMs)));
}

function isSamePast({ run: a }: FoundRun, { run: b }: FoundRun, nowMs: number): boolean {
  const isSameChunk = (a: Chunk, b: Chunk) => a.atMs === b.atMs && a.stream === b.stream && a.text === b.text;
  const isSameEdit = (a: Edit, b: Edit) => a.atMs === b.atMs && a.path === b.path && a.text === b.text;
  return alike(a.chunks, b.chunks, nowMs, isSameChunk) && alike(a.edits, b.edits, nowMs, isSameEdit);
}

/** Compares two lists in the order of time, up to `nowMs`. */
function alike<T extends { readonly atMs: number }>(
  first: readonly T[],
  second: readonly T[],
  nowMs: number,
  isSame: (a: T, b: T) => boolean,
): boolean {
  for (let at = 0; ; at++) {
    const [a, b] = [first[at], second[at]].map((each) => (each && each.atMs <= nowMs ? each : undefined));
    if (!a || !b) return a === b;
    if (!isSame(a, b)) return false;
  }
}
