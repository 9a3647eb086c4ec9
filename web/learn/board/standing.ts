// What a board makes of results: who needs help, in which order learners stand, and what a class has reached together.
import type { Result } from "../../../shared/contract/lesson.ts";

/** So long at one step, and at least one attempt that did not pass it. */
export const stuckMs = 10 * 60_000;
const stuckAttempts = 5;

export function isStuck({ state, step, steps, stepStartedAt }: Result, nowMs: number): boolean {
  if (state !== "running") return false;
  const attempts = steps[step - 1]?.attempts ?? 0;
  return attempts >= stuckAttempts || (attempts > 0 && nowMs - Date.parse(stepStartedAt) >= stuckMs);
}

export const orders = ["help", "learner", "points"] as const;
export type Order = (typeof orders)[number];

/** `help`: who is stuck first, then who is at a step for the longest time; those who are done last. */
export function inOrder(results: readonly Result[], order: Order, nowMs: number): Result[] {
  const byName = (a: Result, b: Result) => a.learner.localeCompare(b.learner);
  if (order === "learner") return [...results].sort(byName);
  if (order === "points") return [...results].sort((a, b) => b.points - a.points || byName(a, b));
  const rank = (one: Result) =>
    isStuck(one, nowMs) ? 0 : one.state === "running" ? 1 : one.state === "finished" ? 2 : 3;
  return [...results].sort(
    (a, b) => rank(a) - rank(b) || Date.parse(a.stepStartedAt) - Date.parse(b.stepStartedAt) || byName(a, b),
  );
}

export interface Totals {
  readonly running: number;
  readonly stuck: number;
  readonly finished: number;
  /** Of all that could have been scored, in percent; undefined where there is nothing to score. */
  readonly percent: number | undefined;
}

export function totalsOf(results: readonly Result[], nowMs: number): Totals {
  const count = (holds: (one: Result) => boolean) => results.filter(holds).length;
  const [made, most] = results.reduce(([a, b], { points, maxPoints }) => [a + points, b + maxPoints], [0, 0]);
  return {
    running: count(({ state }) => state === "running"),
    stuck: count((one) => isStuck(one, nowMs)),
    finished: count(({ state }) => state === "finished"),
    percent: most === 0 ? undefined : Math.round((100 * made) / most),
  };
}
