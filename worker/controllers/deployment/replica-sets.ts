// The ReplicaSets of a Deployment: finds and creates the new one, numbers revisions, and cleans up old ones.
import type { ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { type Draft, getControllerOf } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import type { Kind } from "../../kinds/kind.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import { claim, newControllerRef } from "../common/controller-ref.ts";
import { annotations, maxRevision, newSetAnnotations, replicasAnnotations } from "./annotations.ts";
import { hasProgressDeadline } from "./progress.ts";
import { maxSurge, newRSNewReplicas, sumOf, wantedReplicas } from "./rolling.ts";
import { type Rollout, allSets, save, setRevision, setStatus } from "./rollout.ts";
import { condition, conditionOf, setDeploymentCondition } from "./status.ts";
import { isNamespaceTerminating } from "../common/namespaces.ts";
import { computeHash, defaultDeploymentUniqueLabelKey } from "../common/pod-hash.ts";
import { byCreation, byRevision } from "./replica-set-order.ts";

const maxInt32 = 2 ** 31 - 1;
const dns1123SubdomainMaxLength = 253;

export function equalIgnoreHash(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return semanticEqual(withoutHash(a), withoutHash(b));
}

export function withoutHash({ metadata, spec }: PodTemplateSpec): PodTemplateSpec {
  const { [defaultDeploymentUniqueLabelKey]: _hash, ...labels } = metadata.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}

/** Claims the ReplicaSets and separates the new one (the oldest of the current template) from the old ones. */
export function findSets(rollout: Rollout): void {
  const { deployment, context } = rollout;
  const { client } = context;
  const owner = {
    object: deployment,
    kind: deployments as Kind,
    selector: labelSelectorAsSelector(deployment.spec.selector),
  };
  const isFirstTime = deployment.status.observedGeneration === undefined;
  const sets = claim(client, replicaSets, owner, { isFirstTime }).sort(byCreation);
  rollout.newSet = sets.find((set) => equalIgnoreHash(set.spec.template, deployment.spec.template));
  rollout.oldSets = sets.filter((set) => set !== rollout.newSet);
}

/** Updates the new ReplicaSet's annotations and the Deployment's revision. Returns false if there is no new ReplicaSet yet. */
export function syncRevision(rollout: Rollout): boolean {
  const { deployment, newSet, oldSets, context } = rollout;
  if (!newSet) return false;
  const { metadata, spec } = newSet;
  const next = newSetAnnotations(deployment, metadata.annotations ?? {}, maxRevision(oldSets) + 1n);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (!semanticEqual(next, metadata.annotations ?? {}) || (spec.minReadySeconds ?? 0) !== minReadySeconds) {
    const draft = { ...newSet, metadata: { ...metadata, annotations: next }, spec: { ...spec, minReadySeconds } };
    rollout.newSet = context.client.update(replicaSets, draft);
  }
  setRevision(rollout, next[annotations.revision] ?? "");
  if (hasProgressDeadline(deployment) && !conditionOf(deployment.status, "Progressing")) {
    const message = `Found new replica set ${JSON.stringify(metadata.name)}`;
    setProgressing(rollout, "True", "FoundNewReplicaSet", message);
  }
  return true;
}

/** Creates the ReplicaSet of the current template with the size that is allowed now. */
export function makeNewSet(rollout: Rollout): ReplicaSet {
  const { deployment, context, oldSets } = rollout;
  const revision = maxRevision(oldSets) + 1n;
  const draft = newSetDraft(rollout, revision);
  const name = draft.metadata?.name ?? "";
  const replicas = draft.spec?.replicas ?? 0;
  const { set, isNew } = createSet(rollout, draft, name);
  rollout.newSet = set;
  rollout.oldSets = oldSets.filter(({ metadata }) => metadata.uid !== set.metadata.uid);
  if (isNew && replicas > 0) {
    const message = `Scaled up replica set ${name} from 0 to ${replicas}`;
    context.event(deployment, "Normal", "ScalingReplicaSet", message);
  }
  setRevision(rollout, String(revision));
  if (isNew && hasProgressDeadline(deployment)) {
    setProgressing(rollout, "True", "NewReplicaSetCreated", `Created new replica set ${JSON.stringify(name)}`);
  }
  return set;
}

function newSetDraft(rollout: Rollout, revision: bigint): Draft<ReplicaSet> {
  const { deployment } = rollout;
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = computeHash(template, deployment.status.collisionCount);
  const labels = { ...template.metadata.labels, [defaultDeploymentUniqueLabelKey]: hash };
  const desired = wantedReplicas(deployment);
  return {
    metadata: {
      // The name follows from the template, so a retry finds the ReplicaSet.
      name: `${(deployment.metadata.name ?? "").slice(0, dns1123SubdomainMaxLength - 1 - hash.length)}-${hash}`,
      namespace: deployment.metadata.namespace ?? "",
      labels,
      annotations: {
        ...newSetAnnotations(deployment, {}, revision),
        ...replicasAnnotations(desired, desired + maxSurge(deployment)),
      },
      ownerReferences: [newControllerRef(deployment, deployments)],
    },
    spec: {
      replicas: newRSNewReplicas(deployment, 0, sumOf(allSets(rollout), wantedReplicas)),
      minReadySeconds: minReadySeconds ?? 0,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [defaultDeploymentUniqueLabelKey]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/**
 * Creates the ReplicaSet. If one with its name belongs to the Deployment and has the current template, it is used. Any other is a hash
 * collision.
 */
function createSet(rollout: Rollout, draft: Draft<ReplicaSet>, name: string): { set: ReplicaSet; isNew: boolean } {
  const { deployment, context } = rollout;
  try {
    return { set: context.client.create(replicaSets, draft), isNew: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason === "AlreadyExists") {
      const existing = must(context.client.get(replicaSets, deployment.metadata.namespace ?? "", name), name);
      const isOurs = getControllerOf(existing)?.uid === deployment.metadata.uid;
      if (isOurs && equalIgnoreHash(existing.spec.template, deployment.spec.template))
        return { set: existing, isNew: false };
      setStatus(rollout, { ...deployment.status, collisionCount: (deployment.status.collisionCount ?? 0) + 1 });
      save(rollout);
      throw error;
    }
    if (!isNamespaceTerminating(error)) reportFailedCreate(rollout, name, error);
    throw error;
  }
}

function reportFailedCreate(rollout: Rollout, name: string, error: ApiError): void {
  const message = `Failed to create new replica set ${JSON.stringify(name)}: ${error.message}`;
  if (hasProgressDeadline(rollout.deployment)) {
    setProgressing(rollout, "False", "ReplicaSetCreateError", message);
    save(rollout);
  }
  rollout.context.event(rollout.deployment, "Warning", "ReplicaSetCreateError", message);
}

function setProgressing(rollout: Rollout, status: "True" | "False", reason: string, message: string): void {
  const next = condition("Progressing", status, reason, message, rollout.context.nowMs);
  setStatus(rollout, setDeploymentCondition(rollout.deployment.status, next));
}

/** Deletes empty old ReplicaSets beyond the history limit. */
export function cleanupDeployment({ deployment, oldSets, context }: Rollout): void {
  const limit = deployment.spec.revisionHistoryLimit;
  if (limit === undefined || limit === maxInt32) return;
  const alive = oldSets.filter(({ metadata }) => !metadata.deletionTimestamp).sort(byRevision);
  for (const { metadata, spec, status } of alive.slice(0, Math.max(0, alive.length - limit))) {
    const isObserved = (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
    if (status.replicas !== 0 || spec.replicas !== 0 || !isObserved) continue;
    context.client.tryDelete(replicaSets, metadata.namespace ?? "", metadata.name ?? "");
  }
}
