// The jobs of a CronJob: names, creates, tracks and cleans them up.
import type { CronJob, CronJobStatus, Job } from "../../../shared/k8s/api/batch-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { rfc3339In } from "../../../shared/k8s/cron/zoned-time.ts";
import { cronJobs } from "../../kinds/batch/cron-job.ts";
import { jobs as jobKind } from "../../kinds/batch/job/job.ts";
import { hasCondition, isFinished } from "../../kinds/batch/job/conditions.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { newControllerRef } from "../common/controller-ref.ts";

const scheduledTimeAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** Returns the name of a job. It is equal within a minute, so that no start happens twice. */
export function getJobName({ metadata }: CronJob, startMs: number): string {
  return `${metadata.name ?? ""}-${Math.floor(startMs / 60_000)}`;
}

export function getJobFromTemplate2(cronJob: CronJob, startMs: number): Draft<Job> {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const scheduled = rfc3339In(cronJob.spec.timeZone ?? "", startMs);
  return {
    metadata: {
      name: getJobName(cronJob, startMs),
      namespace: cronJob.metadata.namespace ?? "",
      labels: metadata.labels ?? {},
      annotations: { ...metadata.annotations, [scheduledTimeAnnotation]: scheduled },
      ownerReferences: [newControllerRef(cronJob, cronJobs)],
    },
    spec,
  };
}

/** Returns the status after changes of the jobs, and records their events. */
export function followJobs(cronJob: CronJob, jobs: readonly Job[], { client, event }: ReconcileContext): CronJobStatus {
  let { active = [], lastSuccessfulTime } = cronJob.status;
  for (const job of jobs) {
    const { name = "", uid = "" } = job.metadata;
    const isKnown = active.some((reference) => reference.uid === uid);
    if (!isFinished(job)) {
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      if (!isKnown) event(cronJob, "Warning", "UnexpectedJob", message);
      continue;
    }
    const end = hasCondition(job, "Complete") ? "Complete" : "Failed";
    if (isKnown) {
      active = active.filter((reference) => reference.uid !== uid);
      event(cronJob, "Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${end}`);
    }
    const { completionTime } = job.status;
    if (end !== "Complete" || completionTime === undefined) continue;
    if (lastSuccessfulTime === undefined || parseTime(completionTime) > parseTime(lastSuccessfulTime)) {
      lastSuccessfulTime = completionTime;
    }
  }
  for (const { uid, name = "", namespace = "" } of active) {
    if (jobs.some(({ metadata }) => metadata.uid === uid) || client.get(jobKind, namespace, name)) continue;
    event(cronJob, "Normal", "MissingJob", `Active job went missing: ${name}`);
    active = active.filter((reference) => reference.uid !== uid);
  }
  return { ...cronJob.status, active, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) };
}

/** Deletes old finished jobs. Returns the remaining ones. */
export function cleanupFinishedJobs(cronJob: CronJob, jobs: readonly Job[], context: ReconcileContext): readonly Job[] {
  const { successfulJobsHistoryLimit: successes, failedJobsHistoryLimit: failures } = cronJob.spec;
  const gone = [
    ...beyond(
      jobs.filter((job) => hasCondition(job, "Complete")),
      successes,
    ),
    ...beyond(
      jobs.filter((job) => !hasCondition(job, "Complete") && hasCondition(job, "Failed")),
      failures,
    ),
  ].filter((job) => deleteJob(cronJob, job, context) === undefined);
  return jobs.filter((job) => !gone.includes(job));
}

/** Deletes a job. Returns the error, if any. */
export function deleteJob(
  cronJob: CronJob,
  { metadata }: Job,
  { client, event }: ReconcileContext,
): ApiError | undefined {
  const { namespace = "", name = "" } = metadata;
  try {
    client.delete(jobKind, namespace, name, { propagation: "Background" });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    event(cronJob, "Warning", "FailedDelete", `Deleted job: ${error.message}`);
    return error;
  }
  event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
  return undefined;
}

/** Returns the oldest jobs beyond the limit. Jobs that are being deleted count, and are not deleted again. */
function beyond(jobs: readonly Job[], limit: number | undefined): Job[] {
  if (limit === undefined) return [];
  const alive = jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [...alive].sort(byStart).slice(0, Math.max(0, alive.length - limit));
}

/** Compares by start time, jobs without one last, then by name. */
function byStart(a: Job, b: Job): number {
  return (
    compareText(a.status.startTime ?? "~", b.status.startTime ?? "~") || compareText(a.metadata.name, b.metadata.name)
  );
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
