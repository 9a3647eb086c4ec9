// Which start of a CronJob is due, and when the next one is.
import type { CronJob } from "../../../shared/k8s/api/batch-v1.ts";
import { type CronSchedule, parseCron } from "../../../shared/k8s/cron/cron.ts";
import { nextCronMs } from "../../../shared/k8s/cron/cron-next.ts";
import { parseTime } from "../../../shared/k8s/time.ts";

/** No start is missed for a clock that is a little slow. */
const nextScheduleDeltaMs = 100;
/** More missed starts than these are worth a warning. */
const manyMissed = 100;

export interface Starts {
  /** The latest start that is due and was not made; undefined where there is none. */
  readonly dueMs: number | undefined;
  readonly missedMany: boolean;
  /** Why this schedule makes no sense, though it can be read. */
  readonly error: string | undefined;
}

export function scheduleOf({ spec }: CronJob): CronSchedule | { readonly error: string } {
  return parseCron(spec.schedule);
}

/** Nothing that should have begun before the starting deadline. */
export function nextScheduleTime(cronJob: CronJob, schedule: CronSchedule, nowMs: number): Starts {
  const { dueMs, missed, error } = mostRecentScheduleTime(cronJob, schedule, nowMs, true);
  return { dueMs, missedMany: dueMs !== undefined && missed > manyMissed, error };
}

/** How long until the start after the latest one. */
export function nextScheduleTimeDurationMs(
  cronJob: CronJob,
  schedule: CronSchedule,
  nowMs: number,
): number | undefined {
  const { earliestMs, dueMs, missed, error } = mostRecentScheduleTime(cronJob, schedule, nowMs, false);
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
  withDeadline: boolean,
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
  // Roughly, since starts may be differently far apart; from one before the last, the exact last one is found.
  const missed = Math.floor(Math.floor((nowMs - first) / 1000) / apartSeconds) + 1;
  let dueMs: number | undefined;
  for (let at = next(first + (missed - 2) * apartSeconds * 1000); at !== undefined && at <= nowMs; at = next(at)) {
    dueMs = at;
  }
  return { earliestMs, dueMs, missed, error: undefined };
}
