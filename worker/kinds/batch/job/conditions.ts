// Reads the conditions of a job.
import type { Job } from "../../../../shared/k8s/api/batch-v1.ts";

export function hasCondition({ status }: Job, type: string, value = "True"): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === value);
}

export function isFinished(job: Job): boolean {
  return hasCondition(job, "Complete") || hasCondition(job, "Failed");
}
