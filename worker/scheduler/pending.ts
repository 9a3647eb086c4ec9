// Classifies pods by scheduling state.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

export const schedulerName = "default-scheduler";

/** Reports whether a pod has no node and belongs to this scheduler. */
export function isPending({ metadata, spec, status }: Pod): boolean {
  if (spec.nodeName || metadata.deletionTimestamp !== undefined) return false;
  if (status.phase === "Succeeded" || status.phase === "Failed") return false;
  return (spec.schedulerName ?? schedulerName) === schedulerName;
}

/** Reports whether a pod has a node or a nominated node. */
export function isPlaced({ spec, status }: Pod): boolean {
  return Boolean(spec.nodeName) || Boolean(status.nominatedNodeName);
}

/** Returns the message of the last attempt, if it found no node. */
export function failureOf({ status }: Pod): string | undefined {
  const condition = status.conditions?.find(({ type }) => type === "PodScheduled");
  return condition?.status === "False" && condition.reason === "Unschedulable" ? (condition.message ?? "") : undefined;
}
