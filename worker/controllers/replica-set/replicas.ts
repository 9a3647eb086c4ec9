// Maintains a number of pods for ReplicaSets and ReplicationControllers (upstream: `replicaset.BaseControllerLogic`).
import type { ReplicaSet, ReplicaSetStatus, ReplicaSetCondition } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import type { ReconcileContext, Result } from "../../runtime/controller.ts";
import { podsToDelete } from "./active-pods-ranking.ts";
import { type Owner, claim } from "../common/controller-ref.ts";
import { type Failed, createPod, deletePod, getPodFromTemplate } from "../common/pod-control.ts";
import {
  isPodActive,
  isPodTerminating,
  findMinNextPodAvailabilityCheckMs,
  isPodAvailable,
  isPodReady,
} from "../common/pod-ready.ts";
import { slowStartBatch } from "../common/slow-start.ts";
import { selectorFromSet } from "../../../shared/k8s/selectors/labels.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

/** The maximum number of pods that one reconcile creates or deletes. Their changes trigger the next one. */
const burstReplicas = 500;

export interface Replicas {
  readonly context: ReconcileContext;
  /** The owner of the pods. */
  readonly owner: Owner;
  /** The owner in the form of a ReplicaSet. */
  readonly replicaSet: ReplicaSet;
  save(status: ReplicaSetStatus): void;
}

export function keepReplicas(replicas: Replicas): Result | undefined {
  const { context, owner, replicaSet, save } = replicas;
  const { client, nowMs } = context;
  const { uid = "", deletionTimestamp } = replicaSet.metadata;
  const active = claimPods(replicas);
  const error = deletionTimestamp ? undefined : manageReplicas(replicas, active);
  // Reads are never stale, so after the changes one write sets the final status.
  const owned = client.controlledBy(pods, uid).filter((pod) => owner.selector.matches(pod.metadata.labels));
  const nowActive = owned.filter(isPodActive);
  const failure = error && {
    reason: active.length < desiredReplicas(replicaSet) ? ("FailedCreate" as const) : ("FailedDelete" as const),
    message: error.text,
  };
  const terminating = client.features.DeploymentReplicaSetTerminatingReplicas
    ? { terminatingReplicas: owned.filter(isPodTerminating).length }
    : {};
  save({ ...replicaSetStatus(replicaSet, nowActive, failure, nowMs), ...terminating });
  if (error) throw error.cause;
  const afterMs = findMinNextPodAvailabilityCheckMs(nowActive, replicaSet.spec.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

function desiredReplicas(replicaSet: ReplicaSet): number {
  return replicaSet.spec.replicas ?? 1;
}

/** Claims the active pods. */
function claimPods({ context, owner, replicaSet }: Replicas): Pod[] {
  const isFirstTime = replicaSet.status.observedGeneration === undefined;
  return claim(context.client, pods, owner, { isFirstTime, among: isPodActive });
}

/** Creates or deletes pods. Returns the first failure. */
function manageReplicas({ context, owner, replicaSet }: Replicas, active: readonly Pod[]): Failed | undefined {
  const missing = desiredReplicas(replicaSet) - active.length;
  if (missing > 0) {
    return slowStartBatch(Math.min(missing, burstReplicas), () =>
      createPod(owner, getPodFromTemplate(owner, replicaSet.spec.template), context),
    );
  }
  const surplus = Math.min(-missing, burstReplicas);
  if (surplus === 0) return undefined;
  const chosen = podsToDelete(active, relatedPods(replicaSet, context), surplus, context.nowMs);
  return chosen.map((pod) => deletePod(owner, pod, context)).find((failure) => failure !== undefined);
}

/** Returns the pods of all ReplicaSets with the same owner; none without an owner. */
function relatedPods(replicaSet: ReplicaSet, { client }: ReconcileContext): Pod[] {
  const owner = getControllerOf(replicaSet);
  if (!owner) return [];
  return client
    .controlledBy(replicaSets, owner.uid)
    .flatMap((sibling) => client.controlledBy(pods, sibling.metadata.uid ?? ""));
}

/** The reason why pods could not be created or deleted. */
interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

function replicaSetStatus(
  replicaSet: ReplicaSet,
  active: readonly Pod[],
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
    observedGeneration: metadata.generation ?? 0,
    conditions: conditions(status.conditions ?? [], failure, nowMs),
  };
}

/** Returns the conditions. A failure that is reported already stays as it is. */
function conditions(
  old: readonly ReplicaSetCondition[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): ReplicaSetCondition[] {
  const isReported = old.some(({ type }) => type === "ReplicaFailure");
  if (failure && isReported) return [...old];
  const otherConditions = old.filter(({ type }) => type !== "ReplicaFailure");
  if (!failure) return otherConditions;
  const { reason, message } = failure;
  return [
    ...otherConditions,
    { type: "ReplicaFailure", status: "True", lastTransitionTime: rfc3339(nowMs), reason, message },
  ];
}
