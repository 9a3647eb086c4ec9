// A run followed ahead of those who wait for what it prints, so that they need not ask while nothing comes.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nextOf } from "../../shared/k8s/cron/recurring.ts";
import { type FoundLog, type FoundRun, logOfStatus, runOfStatus } from "./output.ts";
import type { ClusterView } from "./run/world.ts";
import type { Edit } from "./shell/files.ts";
import type { Chunk } from "./shell/process.ts";

export interface RunAhead extends FoundLog {
  /** All that it does before this moment is known; Infinity if it has ended. */
  readonly knownMs: number;
}

/** The second if nothing is printed within the first. */
const horizonsMs = [15_000, 3_600_000];

/** Undefined if there was no run. */
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
  const probedMs = Math.min(...[...probed.lines, ...probed.visits].map((one) => nextOf(one, nowMs)));
  for (const horizonMs of horizonsMs) {
    const untilMs = Math.min(nowMs + horizonMs, probed.knownMs);
    const longer =
      probed.visits.length > 0
        ? logOfStatus(pod, name, view, nowMs, previous, horizonMs)
        : runOfStatus(pod, name, view, untilMs, previous);
    // Of what is alike only the last is run, and pipes are read when they end: a run that is another because of that tells nothing.
    if (!longer || !isSamePast(exact, longer, nowMs)) break;
    ahead = { ...exact, ...longer, probed, knownMs: untilMs };
    if (longer.run.end || probedMs <= untilMs || longer.run.chunks.some(({ atMs }) => atMs > nowMs)) break;
  }
  return ahead;
}

/** When something is printed next, or when it must be looked again; undefined if that is not known. */
export function newsMs({ run, probed, knownMs }: RunAhead, nowMs: number): number | undefined {
  if (knownMs <= nowMs) return undefined;
  const printedMs = run.chunks.find(({ atMs }) => atMs > nowMs)?.atMs ?? Number.POSITIVE_INFINITY;
  return Math.min(knownMs, printedMs, ...probed.lines.map((one) => nextOf(one, nowMs)));
}

function isSamePast({ run: one }: FoundRun, { run: other }: FoundRun, nowMs: number): boolean {
  const isSameChunk = (a: Chunk, b: Chunk) => a.atMs === b.atMs && a.stream === b.stream && a.text === b.text;
  const isSameEdit = (a: Edit, b: Edit) => a.atMs === b.atMs && a.path === b.path && a.text === b.text;
  return alike(one.chunks, other.chunks, nowMs, isSameChunk) && alike(one.edits, other.edits, nowMs, isSameEdit);
}

/** Both are in the order of time. */
function alike<T extends { readonly atMs: number }>(
  one: readonly T[],
  other: readonly T[],
  nowMs: number,
  isSame: (a: T, b: T) => boolean,
): boolean {
  for (let at = 0; ; at++) {
    const [a, b] = [one[at], other[at]].map((each) => (each && each.atMs <= nowMs ? each : undefined));
    if (!a || !b) return a === b;
    if (!isSame(a, b)) return false;
  }
}
