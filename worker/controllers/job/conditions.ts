// Reads and sets the conditions of a job.
import type { Job, JobCondition } from "../../../shared/k8s/api/batch-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

export type JobConditionType = "Suspended" | "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet";

export function condition(
  type: JobConditionType,
  reason: string,
  message: string,
  nowMs: number,
  status: "True" | "False" = "True",
): JobCondition {
  const time = rfc3339(nowMs);
  return {
    type,
    status,
    lastProbeTime: time,
    lastTransitionTime: time,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
}

export function trueCondition({ status }: Job, type: JobConditionType): JobCondition | undefined {
  return status.conditions?.find((candidate) => candidate.type === type && candidate.status === "True");
}

/** Sets the condition. A missing condition is not set to False. Returns the same array if nothing changed. */
export function ensureJobConditionStatus(list: readonly JobCondition[], next: JobCondition): readonly JobCondition[] {
  const old = list.find(({ type }) => type === next.type);
  if (!old) return next.status === "False" ? list : [...list, next];
  const isSame = old.status === next.status && old.reason === next.reason && old.message === next.message;
  return isSame ? list : list.map((candidate) => (candidate === old ? next : candidate));
}
