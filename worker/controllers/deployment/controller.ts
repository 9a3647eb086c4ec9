// The Deployment controller: which ReplicaSets there are, how large each is, and how the rollout goes.
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
    // A Deployment that recreates waits for the last old pod to be gone.
    watch(pods, function* (next, previous, client) {
      if (next || !previous) return;
      const owner = getControllerOf(previous);
      const { namespace = "" } = previous.metadata;
      const replicaSet = owner?.kind === "ReplicaSet" ? client.get(replicaSets, namespace, owner.name) : undefined;
      const deployment = replicaSet && getControllerOf(replicaSet);
      if (deployment?.kind !== "Deployment") return;
      const found = client.get(deployments, namespace, deployment.name);
      if (found && !isRollingUpdate(found)) yield { namespace, name: deployment.name };
    }),
  ],
  reconcile({ namespace, name }, context) {
    const deployment = context.client.get(deployments, namespace, name);
    return deployment ? reconcile(deployment, context) : undefined;
  },
});

/** Gives a ReplicaSet without a controller to the Deployment that selects it. */
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

/** An active ReplicaSet remembers that another number was wanted. */
function isScalingEvent(rollout: Rollout): boolean {
  const wanted = wantedReplicas(rollout.deployment);
  return activeSets(allSets(rollout)).some((set) => {
    const desired = desiredReplicasOf(set);
    return desired !== undefined && desired !== wanted;
  });
}

/** Upstream's `sync`: follows a change of the wanted number, or does only that while paused. */
function rescale(rollout: Rollout): Result | undefined {
  const { deployment, newSet } = rollout;
  const wanted = wantedReplicas(deployment);
  const only = findActiveOrLatest(rollout);
  if (only) {
    scaleReplicaSet(rollout, only, wanted);
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

/** The name of the one ReplicaSet to scale, if there is no more than one. */
function findActiveOrLatest(rollout: Rollout): string | undefined {
  const active = activeSets(allSets(rollout));
  if (active.length > 1) return undefined;
  const latest = rollout.newSet ?? [...rollout.oldSets].sort(byCreation).at(-1);
  return (active[0] ?? latest)?.metadata.name;
}

/** The new ReplicaSet has all that is wanted, knows it, and all of it is available. */
function isSaturated({ deployment, newSet }: Rollout): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    newSet !== undefined &&
    wantedReplicas(newSet) === wanted &&
    desiredReplicasOf(newSet) === wanted &&
    (newSet.status.availableReplicas ?? 0) === wanted
  );
}

/** Up if there is room, else down if enough is available. */
function rolloutRolling(rollout: Rollout): Result | undefined {
  const { deployment } = rollout;
  const newSet = rollout.newSet ?? makeNewSet(rollout);
  // Reads are never stale, so nothing is gained by going on before the pods follow the last step; and so neither bound is
  // overstepped, not even for the moment between a scaling and its pods.
  if (allSets(rollout).some(isBehind)) return finishRollout(rollout);
  const name = newSet.metadata.name ?? "";
  const current = wantedReplicas(newSet);
  const wanted = wantedReplicas(deployment);
  const next =
    current > wanted ? wanted : newRSNewReplicas(deployment, current, sumOf(allSets(rollout), wantedReplicas));
  if (scaleReplicaSet(rollout, name, next)) return finishRollout(rollout);
  const steps = scaleDownOldSets(deployment, newSet, rollout.oldSets);
  for (const { name: old, replicas } of steps) scaleReplicaSet(rollout, old, replicas);
  if (steps.length === 0 && isComplete(deployment, deployment.status)) cleanupDeployment(rollout);
  return finishRollout(rollout);
}

/** Its controller has not yet acted on what it was last told. */
function isBehind({ metadata, status }: ReplicaSet): boolean {
  return (status.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

/** Nothing new before the last old pod is gone. */
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

/** Pods that are being deleted run until they are gone. */
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
  // Lack of progress that was reported stays reported.
  if (reason === "ProgressDeadlineExceeded") return;
  const wasPaused = reason === "DeploymentPaused";
  const isPaused = deployment.spec.paused ?? false;
  if (isPaused === wasPaused) return;
  const next = isPaused
    ? condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", context.nowMs)
    : condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", context.nowMs);
  setStatus(rollout, setDeploymentCondition(deployment.status, next));
}
