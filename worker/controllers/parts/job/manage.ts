// Making and removing the pods of a job that goes on.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { pods as podKind } from "../../../kinds/core/pod/pod.ts";
import type { Client } from "../../../registry/client.ts";
import { type Failed, createPod, deletePod } from "../pod-control.ts";
import { isPodTerminating } from "../pod-ready.ts";
import { slowStart } from "../slow-start.ts";
import { remainingMs, remainingOfIndexMs } from "./backoff.ts";
import { nextIndexes } from "./indexes.ts";
import { isIndexed, isTracked, replacesOnlyFailed, trackingFinalizer } from "./pods.ts";
import { podsToRemove } from "./removal.ts";
import { type Sync, isSuspended, lookAfter } from "./sync.ts";
import { indexedPod, jobPod } from "./template.ts";

/** Upstream's `MaxPodCreateDeletePerSync`. */
const maxPerSync = 500;
/** Upstream's `SyncJobBatchPeriod`: no wait for a backoff is shorter. */
const shortestWaitMs = 1_000;

/** Upstream's `manageJob`. */
export function manage(sync: Sync): Failed | undefined {
  const { job, active } = sync;
  if (isSuspended(job)) return removeUncounted(sync, podsToRemove(job, active, active.length));
  const wanted = wantedActive(sync);
  const surplus = podsToRemove(job, active, Math.max(0, active.length - wanted)).slice(0, maxPerSync);
  // Either pods are made or removed in one reconcile, never both.
  if (surplus.length > 0) return removeUncounted(sync, surplus);
  const terminating = replacesOnlyFailed(job) ? sync.pods.filter(isPodTerminating).length : 0;
  const missing = wanted - terminating - active.length;
  return missing > 0 ? makePods(sync, Math.min(missing, maxPerSync)) : undefined;
}

/** Takes the mark off, so that nothing holds the pod. */
export function untrack(client: Client, { metadata }: Pod): void {
  const pod = client.get(podKind, metadata.namespace ?? "", metadata.name ?? "");
  if (!pod || pod.metadata.uid !== metadata.uid || !isTracked(pod)) return;
  const finalizers = (pod.metadata.finalizers ?? []).filter((one) => one !== trackingFinalizer);
  client.update(podKind, { ...pod, metadata: { ...pod.metadata, finalizers } });
}

function wantedActive({ job, active, succeeded }: Sync): number {
  const { completions, parallelism = 1 } = job.spec;
  // Any success says that there is nothing more to begin.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Upstream's `deleteJobPods`: not their fault, so they are not counted as failed. */
function removeUncounted({ workload, context }: Sync, pods: readonly Pod[]): Failed | undefined {
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
    return mustWait(sync) ? undefined : slowStart(count, () => createPod(workload, jobPod(workload, job), context));
  }
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  if (!perIndex && mustWait(sync)) return undefined;
  const indexes = perIndex ? readyIndexes(sync, nextIndexes(sync, count)) : nextIndexes(sync, count);
  const rest = indexes.values();
  return slowStart(indexes.length, () => {
    const index = rest.next().value ?? 0;
    return createPod(workload, indexedPod(workload, job, index, replaced.get(index)), context);
  });
}

function mustWait(sync: Sync): boolean {
  const waitMs = remainingMs(sync.backoff, sync.context.nowMs);
  if (waitMs > 0) lookAfter(sync, Math.max(waitMs, shortestWaitMs));
  return waitMs > 0;
}

/** Upstream's `getPodCreationInfoForIndependentIndexes`, which looks again only when none is ready. */
function readyIndexes(sync: Sync, indexes: readonly number[]): number[] {
  const { replaced, context } = sync;
  const waits = indexes.map((index) => remainingOfIndexMs(replaced.get(index), context.nowMs));
  const ready = indexes.filter((_, at) => waits[at] === 0);
  const waiting = waits.filter((ms) => ms > 0);
  if (waiting.length > 0) lookAfter(sync, Math.max(Math.min(...waiting), shortestWaitMs));
  return ready;
}
