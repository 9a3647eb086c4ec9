// Whether the indexes that succeeded are enough for a job's success policy.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import { type Intervals, countOf, countShared, parseIntervals } from "./intervals.ts";

/** Upstream's `matchSuccessPolicy`: which rule is met, in words. */
export function metRule({ spec }: Job, succeeded: Intervals): string | undefined {
  if (succeeded.length === 0) return undefined;
  const met = (spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    }
    const wanted = parseIntervals(succeededIndexes, spec.completions ?? 0);
    if (wanted.length === 0) return false;
    const shared = countShared(wanted, succeeded);
    return shared === countOf(wanted) || (succeededCount !== undefined && shared >= succeededCount);
  });
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}
