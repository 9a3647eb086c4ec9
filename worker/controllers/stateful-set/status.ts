// The status of a StatefulSet from its pods (upstream: `updateStatus` and `completeRollingUpdate`).
import type { StatefulSet, StatefulSetStatus } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { isPodAvailable, isPodReady } from "../common/pod-ready.ts";
import { revisionOf, wantedReplicas } from "./identity.ts";
import type { Revisions } from "./revisions.ts";

export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, collisionCount }: Revisions,
  nowMs: number,
): StatefulSetStatus {
  const { minReadySeconds = 0, updateStrategy } = set.spec;
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isPodReady(pod));
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const ofRevision = (name: string) => staying.filter((pod) => revisionOf(pod) === name).length;
  const currentRevision = current.metadata.name ?? "";
  const updateRevision = update.metadata.name ?? "";
  const updatedReplicas = ofRevision(updateRevision);
  const status: StatefulSetStatus = {
    ...(set.status.conditions ? { conditions: set.status.conditions } : {}),
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length,
    currentReplicas: ofRevision(currentRevision),
    updatedReplicas,
    currentRevision,
    updateRevision,
    collisionCount,
  };
  const wanted = wantedReplicas(set);
  const isComplete =
    updateStrategy.type === "RollingUpdate" &&
    updatedReplicas === wanted &&
    ready.length === wanted &&
    pods.length === wanted;
  return isComplete ? { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision } : status;
}
