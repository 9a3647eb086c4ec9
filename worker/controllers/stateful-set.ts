// The StatefulSet controller: pods with names and claims that stay, made, updated and ended in order.
import type { StatefulSet } from "../../shared/k8s/api/apps-v1.ts";
import type { PersistentVolumeClaim, Pod } from "../../shared/k8s/api/core-v1.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { controllerRevisions } from "../kinds/apps/controller-revision.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { statefulSets } from "../kinds/apps/stateful-set.ts";
import {
  type ReconcileContext,
  type Result,
  controllerOwner,
  defineController,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";
import { type Owner, claim } from "./parts/controller-ref.ts";
import { defineSpecAdoption } from "./parts/orphan-adoption.ts";
import { nextAvailabilityMs } from "./parts/pod-ready.ts";
import { ownRevisions, templateOf } from "./parts/revisions.ts";
import { setsOfClaim } from "./parts/stateful-set/claims.ts";
import { advance } from "./parts/stateful-set/control.ts";
import { isMember } from "./parts/stateful-set/identity.ts";
import { type Revisions, revisionsOf, truncateHistory } from "./parts/stateful-set/revisions.ts";
import { statefulSetStatus } from "./parts/stateful-set/status.ts";

export const statefulSetController = defineController({
  name: "statefulset-controller",
  component: "statefulset-controller",
  watches: [
    self(statefulSets),
    controllerOwner(pods, statefulSets),
    // A claim that was in the way is gone; or one that a waiting pod needs.
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

/** Gives a pod without a controller to the StatefulSet that selects it, if it has a name that the set would give. */
export const statefulSetPodAdoption = defineSpecAdoption({
  name: "statefulset-pod-adoption",
  identity: "statefulset-controller",
  kind: pods,
  owner: statefulSets,
  belongs: isMember,
});

/** The same for a revision, whatever its name. */
export const statefulSetRevisionAdoption = defineSpecAdoption({
  name: "statefulset-revision-adoption",
  identity: "statefulset-controller",
  kind: controllerRevisions,
  owner: statefulSets,
});

function reconcile(set: StatefulSet, context: ReconcileContext): Result | undefined {
  const { client, nowMs } = context;
  const owner: Owner = { object: set, kind: statefulSets, selector: selectorFrom(set.spec.selector) };
  const isFirstTime = set.status.observedGeneration === undefined;
  const revisions = revisionsOf(client, set, ownRevisions(client, owner, isFirstTime));
  // Pods that are named otherwise are none of the set's, whoever made them.
  const claimed = claim(client, pods, owner, { isFirstTime, belongs: (pod) => isMember(pod, set) });
  const failure = tryToAdvance(set, revisions, claimed, context);
  // Read again: one write of the status says what is there after pods were made or removed.
  const owned = client.controlledBy(pods, set.metadata.uid ?? "").filter((pod) => isOurs(pod, set, owner));
  const status = statefulSetStatus(set, owned, revisions, nowMs);
  client.updateStatus(statefulSets, { ...set, status });
  truncateHistory(client, set, revisions, owned);
  if (failure) throw failure;
  const afterMs = nextAvailabilityMs(owned, set.spec.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

function tryToAdvance(
  set: StatefulSet,
  { current, update }: Revisions,
  claimed: readonly Pod[],
  context: ReconcileContext,
): ApiError | undefined {
  if (set.metadata.deletionTimestamp) return undefined;
  const named = (revision: typeof current) => ({
    revision: revision.metadata.name ?? "",
    template: templateOf(revision),
  });
  try {
    advance({ set, current: named(current), updated: named(update), context }, claimed);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function isOurs(pod: Pod, set: StatefulSet, { selector }: Owner): boolean {
  return selector.matches(pod.metadata.labels) && isMember(pod, set);
}
