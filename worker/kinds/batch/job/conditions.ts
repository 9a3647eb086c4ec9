// What a job's conditions say.
import type { Job } from "../../../../shared/k8s/api/batch-v1.ts";

/** Whether the condition is there with this status. */
export function hasCondition({ status }: Job, type: string, value = "True"): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === value);
}

export function isFinished(job: Job): boolean {
  return hasCondition(job, "Complete") || hasCondition(job, "Failed");
}
