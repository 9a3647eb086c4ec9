// The CronJob controller: creates a job at each scheduled time, and waits for the next one without polling.
import type { CronJob, CronJobStatus, Job } from "../../../shared/k8s/api/batch-v1.ts";
import { isBeingDeleted, keyOf } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { CronSchedule } from "../../../shared/k8s/cron/cron.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { knownTimeZone } from "../../../shared/k8s/cron/time-zones.ts";
import { cronJobs } from "../../kinds/batch/cron-job.ts";
import { jobs as jobKind } from "../../kinds/batch/job/job.ts";
import {
  type ReconcileContext,
  type Result,
  controllerOwner,
  defineController,
  requestOf,
  watch,
} from "../../runtime/controller.ts";
import { cleanupFinishedJobs, deleteJob, followJobs, getJobFromTemplate2, getJobName } from "./jobs.ts";
import { scheduleOf, nextScheduleTime, nextScheduleTimeDurationMs } from "./schedule.ts";
import { isNamespaceTerminating } from "../common/namespaces.ts";

interface Memory {
  /** The keys of CronJobs whose schedule changed since their last reconcile. */
  readonly rescheduled: Set<string>;
}

export const cronJobController = defineController({
  name: "cronjob-controller",
  component: "cronjob-controller",
  memory: (): Memory => ({ rescheduled: new Set() }),
  watches: [
    watch<CronJob, Memory>(cronJobs, function* (next, previous, _client, { rescheduled }) {
      if (!next) return;
      if (previous && isRescheduled(next, previous)) rescheduled.add(keyOf(next));
      yield requestOf(next);
    }),
    controllerOwner(jobKind, cronJobs),
  ],
  reconcile({ namespace, name }, context) {
    const cronJob = context.client.get(cronJobs, namespace, name);
    return cronJob ? reconcile(cronJob, context) : undefined;
  },
});

function isRescheduled(next: CronJob, previous: CronJob): boolean {
  return next.spec.schedule !== previous.spec.schedule || next.spec.timeZone !== previous.spec.timeZone;
}

/** The state of one reconcile of a CronJob, with its next status. */
interface Sync {
  readonly cronJob: CronJob;
  readonly context: ReconcileContext<Memory>;
  status: CronJobStatus;
}

function reconcile(cronJob: CronJob, context: ReconcileContext<Memory>): Result | undefined {
  const { client } = context;
  const ownedJobs = client.controlledBy(jobKind, cronJob.metadata.uid ?? "");
  const left = cleanupFinishedJobs(cronJob, ownedJobs, context);
  const sync: Sync = { cronJob, context, status: followJobs(cronJob, left, context) };
  const outcome = startDue(sync);
  client.updateStatus(cronJobs, { ...cronJob, status: sync.status });
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

/** Starts the due job. Returns when the next one is due, or the error of creating this one. */
function startDue(sync: Sync): Result | ApiError | undefined {
  const { cronJob, context } = sync;
  const { event, nowMs, memory } = context;
  const { timeZone, suspend, schedule: text } = cronJob.spec;
  if (isBeingDeleted(cronJob)) return undefined;
  if (timeZone !== undefined && !knownTimeZone(timeZone)) {
    const message = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`;
    event(cronJob, "Warning", "UnknownTimeZone", message);
    return undefined;
  }
  if (suspend) return undefined;
  const schedule = scheduleOf(cronJob);
  if ("error" in schedule) {
    const message = `unparseable schedule: ${JSON.stringify(text)} : ${schedule.error}`;
    event(cronJob, "Warning", "UnparseableSchedule", message);
    return undefined;
  }
  // A new schedule starts with its next time. Earlier times of it do not count as missed.
  if (memory.rescheduled.delete(keyOf(cronJob))) return waitForNext(sync, schedule);
  const { dueMs, missedMany, error } = nextScheduleTime(cronJob, schedule, nowMs);
  if (error !== undefined) {
    event(cronJob, "Warning", "InvalidSchedule", `invalid schedule: ${text} : ${error}`);
    return undefined;
  }
  if (dueMs === undefined) return waitForNext(sync, schedule);
  if (missedMany) {
    const message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    event(cronJob, "Warning", "TooManyMissedTimes", message);
  }
  const failure = mayStart(sync, dueMs) ? start(sync, dueMs) : undefined;
  return failure ?? waitForNext(sync, schedule);
}

function waitForNext({ cronJob, status, context }: Sync, schedule: CronSchedule): Result | undefined {
  const afterMs = nextScheduleTimeDurationMs({ ...cronJob, status }, schedule, context.nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

/** Reports whether a start is not too late, not done already, and not forbidden by a running job. */
function mayStart({ cronJob, status, context }: Sync, dueMs: number): boolean {
  const { event, nowMs } = context;
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cronJob.spec;
  if (deadline !== undefined && dueMs + deadline * 1000 < nowMs) {
    // In the format of `time.RFC1123Z`.
    const when = new Date(dueMs).toUTCString().replace("GMT", "+0000");
    event(cronJob, "Warning", "MissSchedule", `Missed scheduled time to start a job: ${when}`);
    return false;
  }
  const { active = [], lastScheduleTime } = status;
  if (active.some(({ name }) => name === getJobName(cronJob, dueMs)) || lastScheduleTime === rfc3339(dueMs))
    return false;
  if (concurrencyPolicy !== "Forbid" || active.length === 0) return true;
  const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
  event(cronJob, "Normal", "JobAlreadyActive", message);
  return false;
}

/** Creates the job after deleting the jobs that it replaces. Returns the error, if any. */
function start(sync: Sync, dueMs: number): ApiError | undefined {
  const { cronJob, context } = sync;
  if (cronJob.spec.concurrencyPolicy === "Replace") {
    const failure = endActive(sync);
    if (failure) return failure;
  }
  const job = makeJob(cronJob, dueMs, context);
  if (!job || job instanceof ApiError) return job;
  const { apiVersion, kind, metadata } = job;
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  const { active = [] } = sync.status;
  if (active.some((reference) => reference.uid === uid)) return undefined;
  sync.status = {
    ...sync.status,
    active: [...active, { kind, namespace, name, uid, apiVersion, resourceVersion }],
    lastScheduleTime: rfc3339(dueMs),
  };
  return undefined;
}

function endActive(sync: Sync): ApiError | undefined {
  const { cronJob, context } = sync;
  for (const { uid, name = "", namespace = "" } of sync.status.active ?? []) {
    const job = context.client.get(jobKind, namespace, name);
    if (!job) {
      const error = ApiError.notFound(jobKind.groupResource, name);
      context.event(cronJob, "Warning", "FailedGet", `Get job: ${error.message}`);
      return error;
    }
    const failure = deleteJob(cronJob, job, context);
    if (failure) return failure;
    sync.status = { ...sync.status, active: (sync.status.active ?? []).filter((reference) => reference.uid !== uid) };
  }
  return undefined;
}

/** Creates the job, or finds it if it was created before and not recorded. Returns undefined if the name belongs to another object. */
function makeJob(cronJob: CronJob, dueMs: number, { client, event }: ReconcileContext): Job | ApiError | undefined {
  const draft = getJobFromTemplate2(cronJob, dueMs);
  try {
    const job = client.create(jobKind, draft);
    event(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata.name ?? ""}`);
    return job;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason === "AlreadyExists") {
      const existing = client.get(jobKind, cronJob.metadata.namespace ?? "", draft.metadata?.name ?? "");
      const isOurs = existing?.metadata.ownerReferences?.some(
        ({ uid, controller }) => controller === true && uid === cronJob.metadata.uid,
      );
      return isOurs ? existing : undefined;
    }
    if (!isNamespaceTerminating(error))
      event(cronJob, "Warning", "FailedCreate", `Error creating job: ${error.message}`);
    return error;
  }
}
