// The StatefulSet controller: pods with stable names and claims, created, updated and deleted in order.
import type { StatefulSet, StatefulSetStatus } from "../../../shared/k8s/api/apps-v1.ts";
import type { PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { controllerRevisions } from "../../kinds/apps/controller-revision.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";
import {
  type ReconcileContext,
  type Result,
  controllerOwner,
  defineController,
  requestOf,
  self,
  watch,
} from "../../runtime/controller.ts";
import { type Owner, claim } from "../common/controller-ref.ts";
import { defineSpecAdoption } from "../common/orphan-adoption.ts";
import { findMinNextPodAvailabilityCheckMs, isPodAvailable, isPodReady } from "../common/pod-ready.ts";
import { ownRevisions, templateOf } from "../common/revisions.ts";
import { setsOfClaim } from "./claims.ts";
import { updateStatefulSet } from "./control.ts";
import { isMemberOf, revisionOf, wantedReplicas } from "./identity.ts";
import { type Revisions, getStatefulSetRevisions, truncateHistory } from "./revisions.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";

export const statefulSetController = defineController({
  name: "statefulset-controller",
  component: "statefulset-controller",
  watches: [
    self(statefulSets),
    controllerOwner(pods, statefulSets),
    // A conflicting claim was deleted, or a claim that a pod waits for changed.
    watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next, previous, client) {
      if (next || !previous) return;
      const sets = client.list(statefulSets, { namespace: previous.metadata.namespace ?? "" });
      for (const set of setsOfClaim(sets, previous)) yield requestOf(set);
    }),
  ],
  reconcile({ namespace, name }, context) {
    const set = context.client.get(statefulSets, namespace, name);
    return set ? reconcile(set, context) : undefined;
  },
});

/** Adopts pods without a controller that a StatefulSet selects, if their names belong to the set. */
export const statefulSetPodAdoption = defineSpecAdoption({
  name: "statefulset-pod-adoption",
  identity: "statefulset-controller",
  kind: pods,
  owner: statefulSets,
  belongs: isMemberOf,
});

/** Adopts revisions, whatever their names. */
export const statefulSetRevisionAdoption = defineSpecAdoption({
  name: "statefulset-revision-adoption",
  identity: "statefulset-controller",
  kind: controllerRevisions,
  owner: statefulSets,
});

function reconcile(set: StatefulSet, context: ReconcileContext): Result | undefined {
  const { client, nowMs } = context;
  const owner: Owner = { object: set, kind: statefulSets, selector: labelSelectorAsSelector(set.spec.selector) };
  const isFirstTime = set.status.observedGeneration === undefined;
  const revisions = getStatefulSetRevisions(client, set, ownRevisions(client, owner, isFirstTime));
  // Pods with other names do not belong to the set.
  const claimed = claim(client, pods, owner, { isFirstTime, belongs: (pod) => isMemberOf(pod, set) });
  const failure = tryToAdvance(set, revisions, claimed, context);
  // Reads are never stale, so after the changes one write sets the final status.
  const owned = client.controlledBy(pods, set.metadata.uid ?? "").filter((pod) => isOurs(pod, set, owner));
  const status = statefulSetStatus(set, owned, revisions, nowMs);
  client.updateStatus(statefulSets, { ...set, status });
  truncateHistory(client, set, revisions, owned);
  if (failure) throw failure;
  const afterMs = findMinNextPodAvailabilityCheckMs(owned, set.spec.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

function tryToAdvance(
  set: StatefulSet,
  { current, update }: Revisions,
  claimed: readonly Pod[],
  context: ReconcileContext,
): ApiError | undefined {
  if (set.metadata.deletionTimestamp) return undefined;
  const namedRevision = (revision: typeof current) => ({
    revision: revision.metadata.name ?? "",
    template: templateOf(revision),
  });
  try {
    updateStatefulSet({ set, current: namedRevision(current), updated: namedRevision(update), context }, claimed);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function isOurs(pod: Pod, set: StatefulSet, { selector }: Owner): boolean {
  return selector.matches(pod.metadata.labels) && isMemberOf(pod, set);
}

function statefulSetStatus(
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
  const desired = wantedReplicas(set);
  const isComplete =
    updateStrategy.type === "RollingUpdate" &&
    updatedReplicas === desired &&
    ready.length === desired &&
    pods.length === desired;
  return isComplete ? { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision } : status;
}
