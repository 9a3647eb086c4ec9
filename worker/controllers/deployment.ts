// The Deployment controller: which ReplicaSets there are, how large each is, and how the rollout goes.
import type { Deployment, ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { controllerOf } from "../../shared/k8s/meta.ts";
import { deployments } from "../kinds/apps/deployment.ts";
import type { Kind } from "../kinds/kind.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { replicaSets } from "../kinds/apps/replica-set.ts";
import {
  type ReconcileContext,
  type Result,
  controllerOwner,
  defineController,
  self,
  watch,
} from "../runtime/controller.ts";
import { desiredReplicasOf } from "./parts/deployment-annotations.ts";
import { markPaused } from "./parts/deployment-pause.ts";
import { proportionalSizes } from "./parts/deployment-proportion.ts";
import { rollBack, rollbackRevision } from "./parts/deployment-rollback.ts";
import {
  activeSets,
  isRollingUpdate,
  newSetReplicas,
  scaleDownOldSets,
  sumOf,
  wantedReplicas,
} from "./parts/deployment-rolling.ts";
import { cleanUp, findSets, makeNewSet, syncRevision } from "./parts/deployment-sets.ts";
import { isComplete } from "./parts/deployment-status.ts";
import { type Rollout, allSets, finish, finishRollout, scale, startRollout } from "./parts/deployment-rollout.ts";
import { defineSpecAdoption } from "./parts/orphan-adoption.ts";
import { isPodTerminal } from "./parts/pod-ready.ts";
import { byCreation } from "./parts/replica-set-order.ts";

export const deploymentController = defineController({
  name: "deployment-controller",
  component: "deployment-controller",
  watches: [
    self(deployments),
    controllerOwner(replicaSets, deployments as Kind),
    // A Deployment that recreates waits for the last old pod to be gone.
    watch(pods, function* (next, previous, client) {
      if (next || !previous) return;
      const owner = controllerOf(previous);
      const { namespace = "" } = previous.metadata;
      const replicaSet = owner?.kind === "ReplicaSet" ? client.get(replicaSets, namespace, owner.name) : undefined;
      const deployment = replicaSet && controllerOf(replicaSet);
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
  if (selectorFrom(deployment.spec.selector).empty) {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    context.event(deployment, "Warning", "SelectingAll", message);
    return undefined;
  }
  findSets(rollout);
  if (deployment.metadata.deletionTimestamp) {
    syncRevision(rollout);
    return finish(rollout);
  }
  markPaused(rollout);
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
  if (wasScaled(rollout)) return rescale(rollout);
  return isRollingUpdate(deployment) ? roll(rollout) : recreate(rollout);
}

/** Upstream's `isScalingEvent`: an active ReplicaSet remembers that another number was wanted. */
function wasScaled(rollout: Rollout): boolean {
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
  const only = activeOrLatest(rollout);
  if (only) {
    scale(rollout, only, wanted);
  } else if (newSet && isSaturated(rollout)) {
    for (const old of activeSets(rollout.oldSets)) scale(rollout, old.metadata.name ?? "", 0);
  } else if (isRollingUpdate(deployment)) {
    for (const { name, replicas } of proportionalSizes(deployment, allSets(rollout))) {
      scale(rollout, name, replicas, "annotations too");
    }
  }
  if (deployment.spec.paused && rollbackRevision(deployment) === undefined) cleanUp(rollout);
  return finish(rollout);
}

/** Upstream's `FindActiveOrLatest`: the name of the one ReplicaSet to scale, if there is no more than one. */
function activeOrLatest(rollout: Rollout): string | undefined {
  const active = activeSets(allSets(rollout));
  if (active.length > 1) return undefined;
  const latest = rollout.newSet ?? [...rollout.oldSets].sort(byCreation).at(-1);
  return (active[0] ?? latest)?.metadata.name;
}

/** Upstream's `IsSaturated`: the new ReplicaSet has all that is wanted, knows it, and all of it is available. */
function isSaturated({ deployment, newSet }: Rollout): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    newSet !== undefined &&
    wantedReplicas(newSet) === wanted &&
    desiredReplicasOf(newSet) === wanted &&
    (newSet.status.availableReplicas ?? 0) === wanted
  );
}

/** Upstream's `rolloutRolling`: up if there is room, else down if enough is available. */
function roll(rollout: Rollout): Result | undefined {
  const { deployment } = rollout;
  const newSet = rollout.newSet ?? makeNewSet(rollout);
  // Reads are never stale, so nothing is gained by going on before the pods follow the last step; and so neither bound is
  // overstepped, not even for the moment between a scaling and its pods.
  if (allSets(rollout).some(isBehind)) return finishRollout(rollout);
  const name = newSet.metadata.name ?? "";
  const current = wantedReplicas(newSet);
  const wanted = wantedReplicas(deployment);
  const next = current > wanted ? wanted : newSetReplicas(deployment, current, sumOf(allSets(rollout), wantedReplicas));
  if (scale(rollout, name, next)) return finishRollout(rollout);
  const steps = scaleDownOldSets(deployment, newSet, rollout.oldSets);
  for (const { name: old, replicas } of steps) scale(rollout, old, replicas);
  if (steps.length === 0 && isComplete(deployment, deployment.status)) cleanUp(rollout);
  return finishRollout(rollout);
}

/** Its controller has not yet acted on what it was last told. */
function isBehind({ metadata, status }: ReplicaSet): boolean {
  return (status.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

/** Upstream's `rolloutRecreate`: nothing new before the last old pod is gone. */
function recreate(rollout: Rollout): Result | undefined {
  const { deployment } = rollout;
  const active = activeSets(rollout.oldSets);
  for (const old of active) scale(rollout, old.metadata.name ?? "", 0);
  if (active.length > 0 || oldPodsRun(rollout)) return finishRollout(rollout);
  const newSet = rollout.newSet ?? makeNewSet(rollout);
  scale(rollout, newSet.metadata.name ?? "", wantedReplicas(deployment));
  if (isComplete(deployment, deployment.status)) cleanUp(rollout);
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
