// Which node's pods make room, of those where it would help (upstream: `pickOneNodeForPreemption`).
import { parseTime } from "../../shared/k8s/time.ts";
import type { PodInfo } from "./pod-info.ts";

export interface Candidate {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly PodInfo[];
  /** Victims whose leaving breaks a disruption budget. */
  readonly violations: number;
}

/** What a victim's priority counts as: none is negative, so that more victims are always worse. */
const priorityOffset = 2 ** 31;

/** The first that differs decides: less is better. */
const costs: readonly ((candidate: Candidate, nowMs: number) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + priorityOffset, 0),
  ({ victims }) => victims.length,
  // Those that have run for the shortest time lose the least.
  (candidate, nowMs) => -earliestStartMs(candidate, nowMs),
];

export function pickCandidate(candidates: readonly Candidate[], nowMs: number): Candidate | undefined {
  let left = candidates;
  for (const cost of costs) {
    if (left.length < 2) break;
    const all = left.map((one) => cost(one, nowMs));
    const least = Math.min(...all);
    left = left.filter((_, at) => all[at] === least);
  }
  return left[0];
}

/** Upstream's `GetEarliestPodStartTime`: among the most important victims. */
function earliestStartMs({ victims }: Candidate, nowMs: number): number {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  return Math.min(...victims.filter(({ priority }) => priority === highest).map((pod) => startMs(pod, nowMs)));
}

/** A pod that has not started counts as if it did now. */
export function startMs({ startTime }: PodInfo, nowMs: number): number {
  return startTime === "" ? nowMs : parseTime(startTime);
}
