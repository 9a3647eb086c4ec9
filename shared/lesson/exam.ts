// Exam mode of a lesson: its steps are tasks that are solved in any order, graded together at the end, and reported by domain.
import * as z from "zod";

/** The time after the end of an exam in which it can be graded. */
export const gradingMinutes = 30;

export const exam = z.strictObject({
  /** The percentage of the points at which the exam is passed. */
  passPercent: z.int().min(1).max(100).default(66),
});

export interface DomainResult {
  readonly domain: string;
  readonly points: number;
  readonly maxPoints: number;
}

interface Task {
  readonly domain?: string | undefined;
  readonly points: number;
  readonly maxPoints: number;
}

/** Sums points by domain, in the order of the domains' first tasks. */
export function resultsByDomain(tasks: readonly Task[]): DomainResult[] {
  const sums = new Map<string, DomainResult>();
  for (const { domain = "", points, maxPoints } of tasks) {
    const sum = sums.get(domain) ?? { domain, points: 0, maxPoints: 0 };
    sums.set(domain, { domain, points: sum.points + points, maxPoints: sum.maxPoints + maxPoints });
  }
  return [...sums.values()];
}

/** Returns a share in whole percent, rounded down, so that nobody passes by rounding. */
export function percentOf(points: number, maxPoints: number): number {
  return maxPoints === 0 ? 0 : Math.floor((points * 100) / maxPoints);
}
