// Which pods wait for the scheduler, and which of them it has tried in vain.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";

export const schedulerName = "default-scheduler";

/** Ours to place: upstream's `!assignedPod(pod) && responsibleForPod(pod)`. */
export function isPending({ metadata, spec, status }: Pod): boolean {
  if (spec.nodeName || metadata.deletionTimestamp !== undefined) return false;
  if (status.phase === "Succeeded" || status.phase === "Failed") return false;
  return (spec.schedulerName ?? schedulerName) === schedulerName;
}

export function isGated({ spec }: Pod): boolean {
  return (spec.schedulingGates?.length ?? 0) > 0;
}

/** The last try found no node. */
export function isUnschedulable(pod: Pod): boolean {
  return isPending(pod) && !isGated(pod) && failureOf(pod) !== undefined;
}

/** What the last try said. */
export function failureOf({ status }: Pod): string | undefined {
  const condition = status.conditions?.find(({ type }) => type === "PodScheduled");
  return condition?.status === "False" && condition.reason === "Unschedulable" ? (condition.message ?? "") : undefined;
}

/** Whether where other pods are decides where this one may go. */
export function hasPodConstraints({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const spreads = spec.topologySpreadConstraints?.some(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  return podAffinity !== undefined || podAntiAffinity !== undefined || spreads === true;
}
