// Sets a condition in the status of a pod.
import type { PodCondition } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

/** Sets a condition. The transition time changes only with the status. Returns the same array if nothing changed. */
export function updatePodCondition(
  conditions: readonly PodCondition[] | undefined,
  condition: PodCondition,
  nowMs: number,
): readonly PodCondition[] {
  const current = conditions ?? [];
  const old = current.find(({ type }) => type === condition.type);
  if (!old) return [...current, { lastProbeTime: null, lastTransitionTime: rfc3339(nowMs), ...condition }];
  const keepsTime = old.status === condition.status;
  const lastTransitionTime = keepsTime ? (old.lastTransitionTime ?? null) : rfc3339(nowMs);
  const isSame =
    keepsTime &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    old.observedGeneration === condition.observedGeneration;
  if (isSame) return current;
  const next = { lastProbeTime: null, ...condition, lastTransitionTime };
  return current.map((candidate) => (candidate === old ? next : candidate));
}
