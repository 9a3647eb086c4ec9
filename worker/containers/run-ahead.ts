// Follows a run ahead of now for clients that wait for its output, so that they need not poll while nothing is printed.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nextOf } from "../../shared/k8s/cron/recurring.ts";
import { type FoundLog, logOfStatus, runOfStatus } from "./output.ts";
import type { ClusterView } from "./run/world.ts";

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
  const past = exact.run.chunks.filter(({ atMs }) => atMs <= nowMs);
  const probedMs = Math.min(...[...probed.lines, ...probed.visits].map((series) => nextOf(series, nowMs)));
  for (const horizonMs of horizonsMs) {
    const untilMs = Math.min(nowMs + horizonMs, probed.knownMs);
    const longer =
      probed.visits.length > 0
        ? logOfStatus(pod, name, view, nowMs, previous, horizonMs)
        : runOfStatus(pod, name, view, untilMs, previous);
    // The next output may be among the skipped rounds.
    if (!longer || longer.run.skippedMs > nowMs) break;
    const next = longer.run.chunks.filter(({ atMs }) => atMs > nowMs);
    ahead = { ...exact, run: { ...longer.run, chunks: [...past, ...next] }, knownMs: untilMs };
    if (longer.run.end || probedMs <= untilMs || next.length > 0) break;
  }
  return ahead;
}

/** Returns when something is printed next, or when the run must be followed again; undefined if that is not known. */
export function nextOutputMs({ run, probed, knownMs }: RunAhead, nowMs: number): number | undefined {
  if (knownMs <= nowMs) return undefined;
  const printedMs = run.chunks.find(({ atMs }) => atMs > nowMs)?.atMs ?? Number.POSITIVE_INFINITY;
  return Math.min(knownMs, printedMs, ...probed.lines.map((series) => nextOf(series, nowMs)));
}
