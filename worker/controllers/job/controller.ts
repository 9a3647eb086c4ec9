// The Job controller: runs pods to completion with the requested parallelism, and counts each once.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { getControllerOf, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { jobs } from "../../kinds/batch/job/job.ts";
import { isFinished } from "../../kinds/batch/job/conditions.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import {
  type ReconcileContext,
  type Result,
  controllerOwner,
  defineController,
  mapFormat,
  requestOf,
  self,
  watch,
} from "../../runtime/controller.ts";
import { type Owner, claim } from "../common/controller-ref.ts";
import { trackJobStatusAndRemoveFinalizers } from "./accounting.ts";
import type { BackoffRecords } from "./backoff.ts";
import { condition, ensureJobConditionStatus } from "./conditions.ts";
import { completion, decide, isComplete } from "./ending.ts";
import { manageJob, untrack } from "./manage.ts";
import { isTracked, jobTrackingFinalizer } from "./pods.ts";
import { type Sync, countPods, isSuspended, startSync } from "./sync.ts";
import { defineSpecAdoption } from "../common/orphan-adoption.ts";
import { type Failed, deletePod } from "../common/pod-control.ts";
import { isPodActive } from "../common/pod-ready.ts";

/** The name of this controller. Jobs that are managed by another name are ignored. */
const jobControllerName = "kubernetes.io/job-controller";

export const jobController = defineController({
  name: "job-controller",
  component: "job-controller",
  memory: (): BackoffRecords => new Map(),
  memoryFormat: mapFormat((records: BackoffRecords) => records),
  watches: [self(jobs), controllerOwner(pods, jobs)],
  reconcile({ namespace, name }, context) {
    const job = context.client.get(jobs, namespace, name);
    if (!job || isForeign(job)) return undefined;
    if (!isFinished(job)) return reconcile(job, context);
    context.memory.delete(job.metadata.uid ?? "");
    return undefined;
  },
});

/** Adopts pods without a controller that a job selects. */
export const jobPodAdoption = defineSpecAdoption({
  name: "job-pod-adoption",
  identity: "job-controller",
  kind: pods,
  owner: jobs,
  belongs: (_, job) => !isForeign(job) && !isFinished(job),
  finalizer: jobTrackingFinalizer,
});

/** Removes the finalizer of pods that no job will count: their job is gone or has ended. */
export const jobOrphanController = defineController({
  name: "job-orphan-pods",
  user: "system:serviceaccount:kube-system:job-controller",
  component: "job-controller",
  watches: [
    watch<Pod>(pods, function* (next, _, client) {
      if (next && isTracked(next) && isUncounted(next, client)) yield requestOf(next);
    }),
    watch<Job>(jobs, function* (next, previous, client) {
      const job = next ?? previous;
      if (!job || (next && !isFinished(next))) return;
      for (const pod of client.controlledBy(pods, job.metadata.uid ?? "")) if (isTracked(pod)) yield requestOf(pod);
    }),
  ],
  reconcile({ namespace, name }, { client }) {
    const pod = client.get(pods, namespace, name);
    if (pod && isUncounted(pod, client)) untrack(client, pod);
    return undefined;
  },
});

/** Reports whether a pod has no job, or a job of this controller that has ended. */
function isUncounted(pod: Pod, client: Client): boolean {
  const owner = getControllerOf(pod);
  if (!owner) return true;
  if (owner.kind !== jobs.kind || owner.apiVersion !== jobs.apiVersion) return false;
  const job = client.get(jobs, pod.metadata.namespace ?? "", owner.name);
  if (job?.metadata.uid !== owner.uid) return true;
  return isFinished(job) && !isForeign(job);
}

function isForeign({ spec }: Job): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== jobControllerName;
}

function reconcile(job: Job, context: ReconcileContext<BackoffRecords>): Result | undefined {
  const sync = startSync(job, claimPods(job, context.client), context);
  if (job.status.startTime === undefined && !isSuspended(job)) {
    sync.status = { ...sync.status, startTime: rfc3339(context.nowMs) };
  }
  decide(sync);
  const failed = sync.finished ? endPods(sync) : goOn(sync);
  trackJobStatusAndRemoveFinalizers(sync);
  if (failed) throw failed.cause;
  return sync.afterMs === undefined ? undefined : { afterMs: sync.afterMs };
}

function claimPods(job: Job, client: Client): Pod[] {
  const owner: Owner = { object: job, kind: jobs, selector: labelSelectorAsSelector(job.spec.selector) };
  const isFirstTime = job.status.uncountedTerminatedPods === undefined;
  return claim(client, pods, owner, { isFirstTime, finalizer: jobTrackingFinalizer });
}

/** Ends the job by deleting its active pods. The end is declared when none is active. */
function endPods(sync: Sync): Failed | undefined {
  const { workload, context, active } = sync;
  const failed = active.map((pod) => deletePod(workload, pod, context)).find((failure) => failure !== undefined);
  const left = podsNow(sync);
  countPods(sync, left);
  if (left.some(isPodActive)) sync.finished = undefined;
  return failed;
}

function goOn(sync: Sync): Failed | undefined {
  const { job, context } = sync;
  const isManaged = !isBeingDeleted(job);
  const failed = isManaged ? manageJob(sync) : undefined;
  countPods(sync, podsNow(sync));
  if (isComplete(sync, sync.status.active ?? 0)) sync.finished = completion(context.nowMs);
  else if (isManaged) tellSuspension(sync);
  return failed;
}

function podsNow({ job, context }: Sync): readonly Pod[] {
  return context.client.controlledBy(pods, job.metadata.uid ?? "");
}

/** Sets or clears the start time. A resumed job starts again, and so does its deadline. */
function tellSuspension(sync: Sync): void {
  const { job, context } = sync;
  const { nowMs } = context;
  const suspended = isSuspended(job);
  const next = suspended
    ? condition("Suspended", "JobSuspended", "Job suspended", nowMs)
    : condition("Suspended", "JobResumed", "Job resumed", nowMs, "False");
  const old = sync.status.conditions ?? [];
  const conditions = ensureJobConditionStatus(old, next);
  if (conditions === old) return;
  const { startTime: _start, ...rest } = sync.status;
  const startTime = suspended ? {} : { startTime: rfc3339(nowMs) };
  sync.status = { ...rest, ...startTime, conditions: [...conditions] };
  context.event(job, "Normal", suspended ? "Suspended" : "Resumed", suspended ? "Job suspended" : "Job resumed");
}
