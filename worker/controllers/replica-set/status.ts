// The status of a ReplicaSet from its pods (upstream: replica_set_utils.go).
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { selectorFromSet } from "../../../shared/k8s/labels.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { isPodAvailable, isPodReady } from "../common/pod-ready.ts";

/** Why pods could not be made or removed. */
export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

export function replicaSetStatus(
  replicaSet: ReplicaSet,
  active: readonly Pod[],
  terminating: readonly Pod[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): ReplicaSetStatus {
  const { spec, status, metadata } = replicaSet;
  const template = selectorFromSet(spec.template.metadata.labels);
  const count = (when: (pod: Pod) => boolean) => active.filter(when).length;
  return {
    ...status,
    replicas: active.length,
    fullyLabeledReplicas: count((pod) => template.matches(pod.metadata.labels)),
    readyReplicas: count(isPodReady),
    availableReplicas: count((pod) => isPodAvailable(pod, spec.minReadySeconds ?? 0, nowMs)),
    terminatingReplicas: terminating.length,
    observedGeneration: metadata.generation ?? 0,
    conditions: conditions(status.conditions ?? [], failure, nowMs),
  };
}

/** A failure that is already reported stays as it was first reported. */
function conditions(
  old: readonly ReplicaSetCondition[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): ReplicaSetCondition[] {
  const isReported = old.some(({ type }) => type === "ReplicaFailure");
  if (failure && isReported) return [...old];
  const others = old.filter(({ type }) => type !== "ReplicaFailure");
  if (!failure) return others;
  const { reason, message } = failure;
  return [...others, { type: "ReplicaFailure", status: "True", lastTransitionTime: rfc3339(nowMs), reason, message }];
}
