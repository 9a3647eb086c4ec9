// Which active pods of a job go when there are too many.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod, PodPhase } from "../../../shared/k8s/api/core-v1.ts";
import { isPodReady, readyTransitionMs } from "../common/pod-ready.ts";
import { isIndexed, validIndex } from "./pods.ts";

/** Upstream's `activePodsForRemoval`: pods without a place of their own in any case, then the least useful. */
export function podsToRemove(job: Job, active: readonly Pod[], atLeast: number): Pod[] {
  const { misplaced, left } = isIndexed(job) ? byPlace(job, active) : { misplaced: [], left: [...active] };
  const more = Math.max(0, atLeast - misplaced.length);
  return [...misplaced, ...left.sort(leastUsefulFirst).slice(0, more)];
}

/** Of several pods of one index the most useful stays; none without an index, or with one beyond the completions. */
function byPlace(job: Job, active: readonly Pod[]): { misplaced: Pod[]; left: Pod[] } {
  const best = new Map<number, Pod>();
  for (const pod of [...active].sort(leastUsefulFirst)) {
    const index = validIndex(pod, job);
    if (index !== undefined) best.set(index, pod);
  }
  const left = new Set(best.values());
  return { misplaced: active.filter((pod) => !left.has(pod)), left: [...left] };
}

/** Upstream's `controller.ActivePods`. Each line decides only where all lines above say nothing. */
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
