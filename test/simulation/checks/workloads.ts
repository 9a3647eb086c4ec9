// Invariants of ReplicaSets and Deployments in an idle cluster.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { getScaledValueFromIntOrPercent } from "../../../shared/k8s/intstr.ts";
import { called, conditionOf, differences, hasAll, isActive, isReady, ownedBy, type View } from "./view.ts";

const revisionAnnotation = "deployment.kubernetes.io/revision";
const hashLabel = "pod-template-hash";

/** Checks that a ReplicaSet has its number of matching pods, and a correct status. */
export function* replicaSetProblems(view: View): Generator<string> {
  for (const set of view.replicaSets) {
    const owned = ownedBy(view.pods, set).filter(isActive);
    const desired = set.spec.replicas ?? 0;
    if (owned.length !== desired) yield `${called(set)}: ${owned.length} pods, not ${desired}`;
    for (const pod of owned) {
      if (!hasAll(pod.metadata.labels, set.spec.selector?.matchLabels ?? {}))
        yield `${called(set)}: keeps ${called(pod)}`;
    }
    const ready = owned.filter(isReady).length;
    const { status } = set;
    yield* differences(called(set), zeros(status), {
      replicas: owned.length,
      fullyLabeledReplicas: owned.filter(({ metadata }) =>
        hasAll(metadata.labels, set.spec.template.metadata.labels ?? {}),
      ).length,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: set.metadata.generation ?? 0,
      conditions: [],
    });
  }
  yield* unclaimed(view);
}

/** Finds pods without owner that a ReplicaSet selects and has not adopted. */
function* unclaimed({ pods, replicaSets }: View): Generator<string> {
  for (const pod of pods) {
    const { metadata } = pod;
    if (!isActive(pod) || metadata.ownerReferences?.some((ownerReference) => ownerReference.controller)) continue;
    const heir = replicaSets.find(
      (set) =>
        set.metadata.namespace === metadata.namespace &&
        !set.metadata.deletionTimestamp &&
        hasAll(metadata.labels, set.spec.selector?.matchLabels ?? {}),
    );
    if (heir) yield `${called(pod)} belongs to ${called(heir)}`;
  }
}

function zeros(status: object) {
  return {
    replicas: 0,
    fullyLabeledReplicas: 0,
    readyReplicas: 0,
    availableReplicas: 0,
    updatedReplicas: 0,
    unavailableReplicas: 0,
    conditions: [],
    ...status,
  };
}

export function* deploymentProblems(view: View): Generator<string> {
  for (const deployment of view.deployments) {
    if (deployment.metadata.deletionTimestamp) {
      yield `${called(deployment)} is still going`;
      continue;
    }
    yield* problemsOf(deployment, ownedBy(view.replicaSets, deployment), view);
  }
}

function* problemsOf(deployment: Deployment, sets: readonly ReplicaSet[], view: View): Generator<string> {
  const label = called(deployment);
  const owned = sets.flatMap((set) => ownedBy(view.pods, set)).filter(isActive);
  const current = sets.filter((set) => hasTemplateOf(set, deployment));
  if (current.length !== 1) yield `${label}: ${current.length} ReplicaSets with its template`;
  const [newSet] = current;
  if (!newSet) return;
  const ready = owned.filter(isReady).length;
  const desired = deployment.spec.replicas ?? 0;
  const { maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {};
  const tolerated =
    deployment.spec.strategy.type === "RollingUpdate"
      ? Math.min(desired, unavailable(maxUnavailable, desired, deployment))
      : 0;
  yield* differences(label, zeros(deployment.status), {
    observedGeneration: deployment.metadata.generation,
    replicas: owned.length,
    updatedReplicas: newSet.status.replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, sumOf(sets) - ready),
  });
  const available = conditionOf(deployment.status.conditions, "Available")?.status;
  if (available !== (ready >= desired - tolerated ? "True" : "False"))
    yield `${label}: Available is ${String(available)} with ${ready} of ${desired}`;
  yield* revisionProblems(deployment, newSet, sets);
  // A rollout may end unfinished only where pods find no node.
  const isStuck = owned.some((pod) => pod.spec.nodeName === undefined);
  if (isStuck) return;
  if (newSet.spec.replicas !== desired || sumOf(sets) !== desired)
    yield `${label}: rollout stands at ${String(newSet.spec.replicas)} of ${desired} with ${sumOf(sets)} in all`;
  const progressing = conditionOf(deployment.status.conditions, "Progressing");
  if (progressing?.reason !== "NewReplicaSetAvailable") yield `${label}: Progressing is ${String(progressing?.reason)}`;
}

function* revisionProblems(deployment: Deployment, newSet: ReplicaSet, sets: readonly ReplicaSet[]): Generator<string> {
  const label = called(deployment);
  const revisions = sets.map(revisionOf);
  if (new Set(revisions).size !== revisions.length) yield `${label}: revisions ${revisions.join()}`;
  if (Math.max(...revisions) !== revisionOf(newSet))
    yield `${label}: its ReplicaSet has not the newest of revisions ${revisions.join()}`;
  const ownRevision = Number(deployment.metadata.annotations?.[revisionAnnotation]);
  if (ownRevision !== revisionOf(newSet))
    yield `${label}: revision ${ownRevision}, its ReplicaSet's is ${revisionOf(newSet)}`;
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[revisionAnnotation]);
}

function hasTemplateOf(set: ReplicaSet, deployment: Deployment): boolean {
  const template = structuredClone(set.spec.template);
  delete template.metadata.labels?.[hashLabel];
  return JSON.stringify(template) === JSON.stringify(deployment.spec.template);
}

function sumOf(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
}

/** Upstream's ResolveFenceposts: if neither may be used, one pod may be unavailable. */
function unavailable(value: number | string, desired: number, { spec }: Deployment): number {
  const scaled = getScaledValueFromIntOrPercent(value, desired, false);
  const surge = getScaledValueFromIntOrPercent(spec.strategy.rollingUpdate?.maxSurge ?? 0, desired, true);
  return scaled === 0 && surge === 0 ? 1 : scaled;
}
