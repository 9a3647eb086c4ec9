// The ReplicaSet controller: as many pods of the template as are wanted, never others' pods.
import type { ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { controllerOf } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import { pods } from "../kinds/pods.ts";
import { replicaSets } from "../kinds/replica-sets.ts";
import { type ReconcileContext, controllerOwner, defineController, self } from "../runtime/controller.ts";
import { podsToDelete } from "./parts/active-pods-ranking.ts";
import { type Owner, adoptMatching, keepMatching } from "./parts/controller-ref.ts";
import { defineAdoption } from "./parts/orphan-adoption.ts";
import { type Failed, createPod, deletePod, podFromTemplate } from "./parts/pod-control.ts";
import { isPodActive, isPodTerminating, nextAvailabilityMs } from "./parts/pod-ready.ts";
import { replicaSetStatus } from "./parts/replica-set-status.ts";
import { slowStart } from "./parts/slow-start.ts";

/** Pods that one reconcile makes or removes at most (upstream's `BurstReplicas`); the changes bring it back for the rest. */
const burstReplicas = 500;

export const replicaSetController = defineController({
  name: "replicaset-controller",
  component: "replicaset-controller",
  watches: [self(replicaSets), controllerOwner(pods, replicaSets as Kind)],
  reconcile({ namespace, name }, context) {
    const replicaSet = context.client.get(replicaSets, namespace, name);
    return replicaSet ? reconcile(replicaSet, context) : undefined;
  },
});

/** Gives a pod without a controller to the ReplicaSet that selects it. */
export const replicaSetAdoption = defineAdoption({
  name: "replicaset-adoption",
  identity: "replicaset-controller",
  kind: pods,
  owner: replicaSets,
  selector: (replicaSet) => selectorFrom(replicaSet.spec.selector),
  when: isPodActive,
});

function reconcile(replicaSet: ReplicaSet, context: ReconcileContext) {
  const { client, nowMs } = context;
  const { uid = "", deletionTimestamp } = replicaSet.metadata;
  const owner: Owner = {
    object: replicaSet,
    kind: replicaSets,
    selector: selectorFrom(replicaSet.spec.selector),
  };
  const active = claimPods(owner, replicaSet, context);
  const error = deletionTimestamp ? undefined : manageReplicas(replicaSet, active, context);
  // Read again: reads are never stale, so one write of the status says what is there after the pods were made or removed.
  const owned = client.controlledBy(pods, uid).filter((pod) => owner.selector.matches(pod.metadata.labels));
  const nowActive = owned.filter(isPodActive);
  const failure = error && {
    reason: active.length < wanted(replicaSet) ? ("FailedCreate" as const) : ("FailedDelete" as const),
    message: error.text,
  };
  const status = replicaSetStatus(replicaSet, nowActive, owned.filter(isPodTerminating), failure, nowMs);
  // The registry writes nothing where nothing differs.
  client.updateStatus(replicaSets, { ...replicaSet, status });
  if (error) throw error.cause;
  const afterMs = nextAvailabilityMs(nowActive, replicaSet.spec.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

function wanted(replicaSet: ReplicaSet): number {
  return replicaSet.spec.replicas ?? 1;
}

/** The active pods that are ours. Orphans are looked for by the first reconcile; later ones come through `replicaSetAdoption`. */
function claimPods(owner: Owner, replicaSet: ReplicaSet, { client }: ReconcileContext): Pod[] {
  const owned = client.controlledBy(pods, replicaSet.metadata.uid ?? "").filter(isPodActive);
  const kept = keepMatching(client, pods, owner, owned);
  if (replicaSet.status.observedGeneration !== undefined) return kept;
  return [...kept, ...adoptMatching(client, pods, owner, isPodActive)];
}

/** Upstream's `manageReplicas`: makes or removes what differs; returns the first failure. */
function manageReplicas(replicaSet: ReplicaSet, active: readonly Pod[], context: ReconcileContext): Failed | undefined {
  const workload = { object: replicaSet, kind: replicaSets };
  const missing = wanted(replicaSet) - active.length;
  if (missing > 0) {
    return slowStart(Math.min(missing, burstReplicas), () =>
      createPod(workload, podFromTemplate(workload, replicaSet.spec.template), context),
    );
  }
  const surplus = Math.min(-missing, burstReplicas);
  if (surplus === 0) return undefined;
  const chosen = podsToDelete(active, relatedPods(replicaSet, context), surplus, context.nowMs);
  return chosen.map((pod) => deletePod(workload, pod, context)).find((failure) => failure !== undefined);
}

/** The pods of all ReplicaSets with the same owner; none where there is no owner. */
function relatedPods(replicaSet: ReplicaSet, { client }: ReconcileContext): Pod[] {
  const owner = controllerOf(replicaSet);
  if (!owner) return [];
  return client
    .controlledBy(replicaSets, owner.uid)
    .flatMap((one) => client.controlledBy(pods, one.metadata.uid ?? ""));
}
