// One condition set in a pod's list of conditions.
import type { PodCondition } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

/** The time of transition moves only with the status. The same array if nothing changed. */
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
  return current.map((one) => (one === old ? next : one));
}
