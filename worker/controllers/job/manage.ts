// Creates and deletes the pods of an active job.
import type { Pod, PodPhase, Container } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { pods as podKind } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import { type Failed, createPod, deletePod, type Workload, getPodFromTemplate } from "../common/pod-control.ts";
import { isPodTerminating, isPodReady, readyTransitionMs } from "../common/pod-ready.ts";
import { slowStartBatch } from "../common/slow-start.ts";
import { remainingMs, remainingOfIndexMs } from "./backoff.ts";
import { firstPendingIndexes, getNewIndexFailureCounts } from "./indexes.ts";
import {
  isIndexed,
  isTracked,
  onlyReplaceFailedPods,
  jobTrackingFinalizer,
  validIndex,
  completionIndexKey,
  ignoredIndexFailuresKey,
  indexFailuresKey,
} from "./pods.ts";
import { type Sync, isSuspended, lookAfter } from "./sync.ts";
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";

const maxPodCreateDeletePerSync = 500;
/** The minimum backoff. */
const syncJobBatchPeriodMs = 1_000;

export function manageJob(sync: Sync): Failed | undefined {
  const { job, active } = sync;
  if (isSuspended(job)) return deleteJobPods(sync, activePodsForRemoval(job, active, active.length));
  const desired = wantedActive(sync);
  const surplus = activePodsForRemoval(job, active, Math.max(0, active.length - desired)).slice(
    0,
    maxPodCreateDeletePerSync,
  );
  // One reconcile either creates or deletes pods, never both.
  if (surplus.length > 0) return deleteJobPods(sync, surplus);
  const terminating = onlyReplaceFailedPods(job) ? sync.pods.filter(isPodTerminating).length : 0;
  const missing = desired - terminating - active.length;
  return missing > 0 ? makePods(sync, Math.min(missing, maxPodCreateDeletePerSync)) : undefined;
}

/** Removes the tracking finalizer of a pod. */
export function untrack(client: Client, { metadata }: Pod): void {
  const pod = client.get(podKind, metadata.namespace ?? "", metadata.name ?? "");
  if (!pod || pod.metadata.uid !== metadata.uid || !isTracked(pod)) return;
  const finalizers = (pod.metadata.finalizers ?? []).filter((finalizer) => finalizer !== jobTrackingFinalizer);
  client.update(podKind, { ...pod, metadata: { ...pod.metadata, finalizers } });
}

function wantedActive({ job, active, succeeded }: Sync): number {
  const { completions, parallelism = 1 } = job.spec;
  // After any success, no more pods are started.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Deletes surplus pods, which do not count as failed. */
function deleteJobPods({ workload, context }: Sync, pods: readonly Pod[]): Failed | undefined {
  let failed: Failed | undefined;
  for (const pod of pods) {
    try {
      untrack(context.client, pod);
      failed = deletePod(workload, pod, context) ?? failed;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed = { cause: error, text: error.message };
    }
  }
  return failed;
}

function makePods(sync: Sync, count: number): Failed | undefined {
  const { job, workload, context, replaced } = sync;
  if (!isIndexed(job)) {
    return mustWait(sync)
      ? undefined
      : slowStartBatch(count, () => createPod(workload, jobPod(workload, job), context));
  }
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  if (!perIndex && mustWait(sync)) return undefined;
  const indexes = perIndex
    ? getPodCreationInfoForIndependentIndexes(sync, firstPendingIndexes(sync, count))
    : firstPendingIndexes(sync, count);
  const rest = indexes.values();
  return slowStartBatch(indexes.length, () => {
    const index = rest.next().value ?? 0;
    return createPod(workload, indexedPod(workload, job, index, replaced.get(index)), context);
  });
}

function mustWait(sync: Sync): boolean {
  const waitMs = remainingMs(sync.backoff, sync.context.nowMs);
  if (waitMs > 0) lookAfter(sync, Math.max(waitMs, syncJobBatchPeriodMs));
  return waitMs > 0;
}

/** Returns the indexes that can get a pod. If none can, it returns when to check again. */
function getPodCreationInfoForIndependentIndexes(sync: Sync, indexes: readonly number[]): number[] {
  const { replaced, context } = sync;
  const waits = indexes.map((index) => remainingOfIndexMs(replaced.get(index), context.nowMs));
  const ready = indexes.filter((_, at) => waits[at] === 0);
  const waiting = waits.filter((ms) => ms > 0);
  if (waiting.length > 0) lookAfter(sync, Math.max(Math.min(...waiting), syncJobBatchPeriodMs));
  return ready;
}

/** Returns the pods to delete: misplaced ones first, then the least useful. */
function activePodsForRemoval(job: Job, active: readonly Pod[], atLeast: number): Pod[] {
  const { misplaced, left } = isIndexed(job) ? byPlace(job, active) : { misplaced: [], left: [...active] };
  const more = Math.max(0, atLeast - misplaced.length);
  return [...misplaced, ...left.sort(leastUsefulFirst).slice(0, more)];
}

/** Separates pods by index. Of several pods of one index the most useful stays. Pods without a valid index are misplaced. */
function byPlace(job: Job, active: readonly Pod[]): { misplaced: Pod[]; left: Pod[] } {
  const best = new Map<number, Pod>();
  for (const pod of [...active].sort(leastUsefulFirst)) {
    const index = validIndex(pod, job);
    if (index !== undefined) best.set(index, pod);
  }
  const left = new Set(best.values());
  return { misplaced: active.filter((pod) => !left.has(pod)), left: [...left] };
}

/** Compares pods as upstream's `controller.ActivePods`. A line decides only if all lines above are equal. */
function leastUsefulFirst(a: Pod, b: Pod): number {
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    phaseOrder(a.status.phase) - phaseOrder(b.status.phase) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    (readySince(b) ?? 0) - (readySince(a) ?? 0) ||
    restarts(b) - restarts(a) ||
    compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp)
  );
}

function phaseOrder(phase: PodPhase | undefined): number {
  if (phase === "Running") return 2;
  return phase === "Unknown" ? 1 : 0;
}

function readySince(pod: Pod): number | undefined {
  return isPodReady(pod) ? readyTransitionMs(pod) : undefined;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const indexVariable = "JOB_COMPLETION_INDEX";
/** The maximum length of the prefix of a generated name. */
const longestPrefix = 58;

function jobPod(workload: Workload, job: Job): Draft<Pod> {
  const draft = getPodFromTemplate(workload, job.spec.template);
  const otherFinalizers = (draft.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== jobTrackingFinalizer);
  return { ...draft, metadata: { ...draft.metadata, finalizers: [...otherFinalizers, jobTrackingFinalizer] } };
}

/** Builds the pod of an index. `replaced` is the failed pod of the same index that it replaces. */
function indexedPod(workload: Workload, job: Job, index: number, replaced: Pod | undefined): Draft<Pod> {
  const { metadata } = jobPod(workload, job);
  const { spec } = job.spec.template;
  const suffix = `-${index}-`;
  const name = job.metadata.name ?? "";
  const place = { [completionIndexKey]: String(index) };
  const containers = spec.containers.map(withIndexVariable);
  return {
    metadata: {
      ...metadata,
      generateName: `${name.slice(0, longestPrefix - suffix.length)}${suffix}`,
      labels: { ...metadata?.labels, ...place },
      annotations: { ...metadata?.annotations, ...place, ...failureAnnotations(job, replaced) },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers,
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(withIndexVariable) } : {}),
    },
  };
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  const { counted, ignored } = getNewIndexFailureCounts(replaced, job);
  return {
    [indexFailuresKey]: String(counted),
    ...(ignored > 0 ? { [ignoredIndexFailuresKey]: String(ignored) } : {}),
  };
}

function withIndexVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.labels['${completionIndexKey}']`;
  return {
    ...container,
    env: [...(container.env ?? []), { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }],
  };
}
