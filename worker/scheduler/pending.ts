// Which pods wait for the scheduler, and what it has said of them.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

export const schedulerName = "default-scheduler";

/** Without a node, and this scheduler's to place. */
export function isPending({ metadata, spec, status }: Pod): boolean {
  if (spec.nodeName || metadata.deletionTimestamp !== undefined) return false;
  if (status.phase === "Succeeded" || status.phase === "Failed") return false;
  return (spec.schedulerName ?? schedulerName) === schedulerName;
}

/** Has a node, or one is kept for it. */
export function isPlaced({ spec, status }: Pod): boolean {
  return Boolean(spec.nodeName) || Boolean(status.nominatedNodeName);
}

/** What the last try said, if it found no node. */
export function failureOf({ status }: Pod): string | undefined {
  const condition = status.conditions?.find(({ type }) => type === "PodScheduled");
  return condition?.status === "False" && condition.reason === "Unschedulable" ? (condition.message ?? "") : undefined;
}
