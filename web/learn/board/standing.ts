// Evaluates the results of a class: who needs help, the order of learners, and totals.
import type { Result } from "../../../shared/contract/lesson.ts";

/** A learner is stuck after this time at a step with at least one failed attempt. */
export const stuckMs = 10 * 60_000;
const stuckAttempts = 5;

export function isStuck({ state, step, steps, stepStartedAt }: Result, nowMs: number): boolean {
  if (state !== "running") return false;
  const attempts = steps[step - 1]?.attempts ?? 0;
  return attempts >= stuckAttempts || (attempts > 0 && nowMs - Date.parse(stepStartedAt) >= stuckMs);
}

/** Reports whether the run's cluster exists: a run that was finished in time ends, too. */
export function isLive({ state, expiresAt }: Pick<Result, "state" | "expiresAt">, nowMs: number): boolean {
  return state !== "expired" && Date.parse(expiresAt) > nowMs;
}

export const orders = ["help", "learner", "points"] as const;
export type Order = (typeof orders)[number];

/** Sorts results. `help` puts stuck learners first, then those who have been at a step for longest, and finished learners last. */
export function inOrder(results: readonly Result[], order: Order, nowMs: number): Result[] {
  const byName = (a: Result, b: Result) => a.learner.localeCompare(b.learner);
  if (order === "learner") return [...results].sort(byName);
  if (order === "points") return [...results].sort((a, b) => b.points - a.points || byName(a, b));
  const rank = (result: Result) =>
    isStuck(result, nowMs) ? 0 : result.state === "running" ? 1 : result.state === "finished" ? 2 : 3;
  return [...results].sort(
    (a, b) => rank(a) - rank(b) || Date.parse(a.stepStartedAt) - Date.parse(b.stepStartedAt) || byName(a, b),
  );
}

export interface Totals {
  readonly running: number;
  readonly stuck: number;
  readonly finished: number;
  /** The percentage of all possible points. Undefined if no points are possible. */
  readonly percent: number | undefined;
}

export function totalsOf(results: readonly Result[], nowMs: number): Totals {
  const count = (holds: (result: Result) => boolean) => results.filter(holds).length;
  const [totalPoints, most] = results.reduce(([a, b], { points, maxPoints }) => [a + points, b + maxPoints], [0, 0]);
  return {
    running: count(({ state }) => state === "running"),
    stuck: count((result) => isStuck(result, nowMs)),
    finished: count(({ state }) => state === "finished"),
    percent: most === 0 ? undefined : Math.round((100 * totalPoints) / most),
  };
}
