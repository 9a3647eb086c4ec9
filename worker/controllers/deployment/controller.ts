// The Deployment controller: manages ReplicaSets and their sizes, and the progress of rollouts.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import type { Kind } from "../../kinds/kind.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import {
  type ReconcileContext,
  type Result,
  controllerOwner,
  defineController,
  self,
  watch,
} from "../../runtime/controller.ts";
import { desiredReplicasOf } from "./annotations.ts";
import {
  proportionalSizes,
  activeSets,
  isRollingUpdate,
  newRSNewReplicas,
  scaleDownOldSets,
  sumOf,
  wantedReplicas,
} from "./rolling.ts";
import { rollBack, rollbackRevision } from "./rollback.ts";
import { cleanupDeployment, findSets, makeNewSet, syncRevision } from "./replica-sets.ts";
import { isComplete, condition, conditionOf, setDeploymentCondition } from "./status.ts";
import { type Rollout, allSets, finish, finishRollout, scaleReplicaSet, startRollout, setStatus } from "./rollout.ts";
import { defineSpecAdoption } from "../common/orphan-adoption.ts";
import { isPodTerminal } from "../common/pod-ready.ts";
import { byCreation } from "./replica-set-order.ts";
import { hasProgressDeadline } from "./progress.ts";

export const deploymentController = defineController({
  name: "deployment-controller",
  component: "deployment-controller",
  watches: [
    self(deployments),
    controllerOwner(replicaSets, deployments as Kind),
    // A Deployment with the strategy Recreate waits until the last old pod is gone.
    watch(pods, function* (next, previous, client) {
      if (next || !previous) return;
      const owner = getControllerOf(previous);
      const { namespace = "" } = previous.metadata;
      const replicaSet = owner?.kind === "ReplicaSet" ? client.get(replicaSets, namespace, owner.name) : undefined;
      const deployment = replicaSet && getControllerOf(replicaSet);
      if (deployment?.kind !== "Deployment") return;
      const deploymentOfPod = client.get(deployments, namespace, deployment.name);
      if (deploymentOfPod && !isRollingUpdate(deploymentOfPod)) yield { namespace, name: deployment.name };
    }),
  ],
  reconcile({ namespace, name }, context) {
    const deployment = context.client.get(deployments, namespace, name);
    return deployment ? reconcile(deployment, context) : undefined;
  },
});

/** Adopts ReplicaSets without a controller that a Deployment selects. */
export const deploymentAdoption = defineSpecAdoption({
  name: "deployment-adoption",
  identity: "deployment-controller",
  kind: replicaSets,
  owner: deployments,
});

function reconcile(deployment: Deployment, context: ReconcileContext): Result | undefined {
  const rollout = startRollout(deployment, context);
  if (labelSelectorAsSelector(deployment.spec.selector).empty) {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    context.event(deployment, "Warning", "SelectingAll", message);
    return undefined;
  }
  findSets(rollout);
  if (deployment.metadata.deletionTimestamp) {
    syncRevision(rollout);
    return finish(rollout);
  }
  checkPausedConditions(rollout);
  if (deployment.spec.paused) {
    syncRevision(rollout);
    return rescale(rollout);
  }
  const revision = rollbackRevision(deployment);
  if (revision !== undefined) {
    if (!syncRevision(rollout)) makeNewSet(rollout);
    rollBack(rollout, revision);
    return undefined;
  }
  syncRevision(rollout);
  if (isScalingEvent(rollout)) return rescale(rollout);
  return isRollingUpdate(deployment) ? rolloutRolling(rollout) : rolloutRecreate(rollout);
}

/** Reports whether an active ReplicaSet has an annotation with another desired size. */
function isScalingEvent(rollout: Rollout): boolean {
  const desiredReplicas = wantedReplicas(rollout.deployment);
  return activeSets(allSets(rollout)).some((set) => {
    const desired = desiredReplicasOf(set);
    return desired !== undefined && desired !== desiredReplicas;
  });
}

/** Applies a change of the desired size, or only that while paused (upstream's `sync`). */
function rescale(rollout: Rollout): Result | undefined {
  const { deployment, newSet } = rollout;
  const desired = wantedReplicas(deployment);
  const only = findActiveOrLatest(rollout);
  if (only) {
    scaleReplicaSet(rollout, only, desired);
  } else if (newSet && isSaturated(rollout)) {
    for (const old of activeSets(rollout.oldSets)) scaleReplicaSet(rollout, old.metadata.name ?? "", 0);
  } else if (isRollingUpdate(deployment)) {
    for (const { name, replicas } of proportionalSizes(deployment, allSets(rollout))) {
      scaleReplicaSet(rollout, name, replicas, "annotations too");
    }
  }
  if (deployment.spec.paused && rollbackRevision(deployment) === undefined) cleanupDeployment(rollout);
  return finish(rollout);
}

/** Returns the name of the ReplicaSet to scale, if there is at most one. */
function findActiveOrLatest(rollout: Rollout): string | undefined {
  const active = activeSets(allSets(rollout));
  if (active.length > 1) return undefined;
  const latest = rollout.newSet ?? [...rollout.oldSets].sort(byCreation).at(-1);
  return (active[0] ?? latest)?.metadata.name;
}

/** Reports whether the new ReplicaSet has the desired size, has its annotation, and is fully available. */
function isSaturated({ deployment, newSet }: Rollout): boolean {
  const desired = wantedReplicas(deployment);
  return (
    newSet !== undefined &&
    wantedReplicas(newSet) === desired &&
    desiredReplicasOf(newSet) === desired &&
    (newSet.status.availableReplicas ?? 0) === desired
  );
}

/** Scales the new ReplicaSet up if there is room, otherwise scales old ones down if enough pods are available. */
function rolloutRolling(rollout: Rollout): Result | undefined {
  const { deployment } = rollout;
  const newSet = rollout.newSet ?? makeNewSet(rollout);
  // Reads are never stale, so the rollout waits until pods follow the last step. So neither bound is exceeded, not even between a scaling
  // and its pods.
  if (allSets(rollout).some(isBehind)) return finishRollout(rollout);
  const name = newSet.metadata.name ?? "";
  const current = wantedReplicas(newSet);
  const desired = wantedReplicas(deployment);
  const next =
    current > desired ? desired : newRSNewReplicas(deployment, current, sumOf(allSets(rollout), wantedReplicas));
  if (scaleReplicaSet(rollout, name, next)) return finishRollout(rollout);
  const steps = scaleDownOldSets(deployment, newSet, rollout.oldSets);
  for (const { name: old, replicas } of steps) scaleReplicaSet(rollout, old, replicas);
  if (steps.length === 0 && isComplete(deployment, deployment.status)) cleanupDeployment(rollout);
  return finishRollout(rollout);
}

/** Reports whether a ReplicaSet's controller has not observed its last change. */
function isBehind({ metadata, status }: ReplicaSet): boolean {
  return (status.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

/** Creates no new pods before the last old pod is gone. */
function rolloutRecreate(rollout: Rollout): Result | undefined {
  const { deployment } = rollout;
  const active = activeSets(rollout.oldSets);
  for (const old of active) scaleReplicaSet(rollout, old.metadata.name ?? "", 0);
  if (active.length > 0 || oldPodsRun(rollout)) return finishRollout(rollout);
  const newSet = rollout.newSet ?? makeNewSet(rollout);
  scaleReplicaSet(rollout, newSet.metadata.name ?? "", wantedReplicas(deployment));
  if (isComplete(deployment, deployment.status)) cleanupDeployment(rollout);
  return finishRollout(rollout);
}

/** Reports whether old pods run. Terminating pods count until they are gone. */
function oldPodsRun({ oldSets, context }: Rollout): boolean {
  return oldSets.some(
    (set) =>
      set.status.replicas > 0 ||
      context.client.controlledBy(pods, set.metadata.uid ?? "").some((pod) => !isPodTerminal(pod)),
  );
}

function checkPausedConditions(rollout: Rollout): void {
  const { deployment, context } = rollout;
  if (!hasProgressDeadline(deployment)) return;
  const reason = conditionOf(deployment.status, "Progressing")?.reason;
  // A reported lack of progress stays reported.
  if (reason === "ProgressDeadlineExceeded") return;
  const wasPaused = reason === "DeploymentPaused";
  const isPaused = deployment.spec.paused ?? false;
  if (isPaused === wasPaused) return;
  const next = isPaused
    ? condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", context.nowMs)
    : condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", context.nowMs);
  setStatus(rollout, setDeploymentCondition(deployment.status, next));
}
