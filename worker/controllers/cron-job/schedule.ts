// Computes the due start of a CronJob and the time of the next one.
import type { CronJob } from "../../../shared/k8s/api/batch-v1.ts";
import { type CronSchedule, parseCron } from "../../../shared/k8s/cron/cron.ts";
import { nextCronMs } from "../../../shared/k8s/cron/cron-next.ts";
import { parseTime } from "../../../shared/k8s/time.ts";

/** The time by which a reconcile may be early, so that a slow clock misses no start. */
const nextScheduleDeltaMs = 100;
/** The number of missed starts above which a warning is recorded. */
const manyMissed = 100;

export interface Starts {
  /** The latest due start that was not made. Undefined if there is none. */
  readonly dueMs: number | undefined;
  readonly missedMany: boolean;
  /** The reason why a valid schedule has no meaning. */
  readonly error: string | undefined;
}

export function scheduleOf({ spec }: CronJob): CronSchedule | { readonly error: string } {
  return parseCron(spec.schedule);
}

/** Computes the due start, ignoring times before the starting deadline. */
export function nextScheduleTime(cronJob: CronJob, schedule: CronSchedule, nowMs: number): Starts {
  const { dueMs, missed, error } = mostRecentScheduleTime(cronJob, schedule, nowMs, { withDeadline: true });
  return { dueMs, missedMany: dueMs !== undefined && missed > manyMissed, error };
}

/** Returns the time until the start after the latest one. */
export function nextScheduleTimeDurationMs(
  cronJob: CronJob,
  schedule: CronSchedule,
  nowMs: number,
): number | undefined {
  const { earliestMs, dueMs, missed, error } = mostRecentScheduleTime(cronJob, schedule, nowMs, {
    withDeadline: false,
  });
  const fromMs = error === undefined ? (dueMs ?? (missed > 0 ? nowMs : earliestMs)) : nowMs;
  const next = nextCronMs(schedule, fromMs, cronJob.spec.timeZone);
  return next === undefined ? undefined : next + nextScheduleDeltaMs - nowMs;
}

interface Recent {
  readonly earliestMs: number;
  readonly dueMs: number | undefined;
  readonly missed: number;
  readonly error: string | undefined;
}

function mostRecentScheduleTime(
  { metadata, spec, status }: CronJob,
  schedule: CronSchedule,
  nowMs: number,
  { withDeadline }: { readonly withDeadline: boolean },
): Recent {
  const { startingDeadlineSeconds: deadline } = spec;
  const next = (ms: number) => nextCronMs(schedule, ms, spec.timeZone);
  const sinceMs = parseTime(status.lastScheduleTime ?? metadata.creationTimestamp ?? "");
  const deadlineMs = withDeadline && deadline !== undefined ? nowMs - deadline * 1000 : sinceMs;
  const earliestMs = Math.max(sinceMs, deadlineMs);
  const none = { earliestMs, dueMs: undefined, missed: 0, error: undefined };
  const first = next(earliestMs);
  const second = first === undefined ? undefined : next(first);
  if (first !== undefined && nowMs < first) return none;
  if (first !== undefined && second !== undefined && nowMs < second) return { ...none, dueMs: first };
  const apartSeconds = first === undefined || second === undefined ? 0 : Math.round((second - first) / 1000);
  if (first === undefined || apartSeconds < 1) {
    return { ...none, error: "time difference between two schedules is less than 1 second" };
  }
  // An estimate, since the distances of starts may vary. The exact last start is searched from one before it.
  const missed = Math.floor(Math.floor((nowMs - first) / 1000) / apartSeconds) + 1;
  let dueMs: number | undefined;
  for (let at = next(first + (missed - 2) * apartSeconds * 1000); at !== undefined && at <= nowMs; at = next(at)) {
    dueMs = at;
  }
  return { earliestMs, dueMs, missed, error: undefined };
}
