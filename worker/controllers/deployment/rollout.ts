// The state of one reconcile of a Deployment, and the single write of its status at the end.
import type { Deployment, DeploymentStatus, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import type { ReconcileContext, Result } from "../../runtime/controller.ts";
import { annotations, replicasAnnotations } from "./annotations.ts";
import { progressCheckMs, rolloutStatus } from "./progress.ts";
import { maxSurge, wantedReplicas } from "./rolling.ts";
import { calculateStatus } from "./status.ts";

export interface Rollout {
  readonly context: ReconcileContext;
  /** The stored Deployment, with the status and the revision that the final write is based on. */
  deployment: Deployment;
  /** The ReplicaSet of the current template. */
  newSet: ReplicaSet | undefined;
  oldSets: ReplicaSet[];
}

export function startRollout(deployment: Deployment, context: ReconcileContext): Rollout {
  return { context, deployment, newSet: undefined, oldSets: [] };
}

export function allSets({ newSet, oldSets }: Rollout): ReplicaSet[] {
  return newSet ? [...oldSets, newSet] : [...oldSets];
}

export function setStatus(rollout: Rollout, status: DeploymentStatus): void {
  rollout.deployment = { ...rollout.deployment, status };
}

export function setRevision(rollout: Rollout, revision: string): void {
  const { metadata } = rollout.deployment;
  if (metadata.annotations?.[annotations.revision] === revision) return;
  const next = { ...metadata.annotations, [annotations.revision]: revision };
  rollout.deployment = { ...rollout.deployment, metadata: { ...metadata, annotations: next } };
}

/** Scales a ReplicaSet. Returns whether the size changed. Changes of annotations alone are written only with `force`. */
export function scaleReplicaSet(rollout: Rollout, name: string, replicas: number, force?: "annotations too"): boolean {
  const { deployment, context } = rollout;
  const set = allSets(rollout).find(({ metadata }) => metadata.name === name);
  if (!set) return false;
  const before = wantedReplicas(set);
  const desired = wantedReplicas(deployment);
  const next = { ...set.metadata.annotations, ...replicasAnnotations(desired, desired + maxSurge(deployment)) };
  const annotationsDiffer = !semanticEqual(next, set.metadata.annotations);
  if (before === replicas && !(force && annotationsDiffer)) return false;
  const spec = { ...set.spec, replicas };
  const written = context.client.update(replicaSets, {
    ...set,
    metadata: { ...set.metadata, annotations: next },
    spec,
  });
  replaceSet(rollout, written);
  if (before === replicas) return false;
  const direction = before < replicas ? "up" : "down";
  const message = `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`;
  context.event(deployment, "Normal", "ScalingReplicaSet", message);
  return true;
}

export function replaceSet(rollout: Rollout, written: ReplicaSet): void {
  const { uid } = written.metadata;
  if (rollout.newSet?.metadata.uid === uid) rollout.newSet = written;
  rollout.oldSets = rollout.oldSets.map((set) => (set.metadata.uid === uid ? written : set));
}

/** Writes the status without progress conditions: after a scaling, while paused, or during deletion. */
export function finish(rollout: Rollout): Result | undefined {
  const { deployment, newSet, oldSets, context } = rollout;
  setStatus(rollout, calculateStatus(deployment, newSet, oldSets, context.nowMs, context.client.features));
  save(rollout);
  return undefined;
}

/** Writes the status of a rollout, and requests a reconcile at its deadline. */
export function finishRollout(rollout: Rollout): Result | undefined {
  const { deployment, newSet, oldSets, context } = rollout;
  const calculated = calculateStatus(deployment, newSet, oldSets, context.nowMs, context.client.features);
  setStatus(rollout, rolloutStatus(deployment, calculated, newSet, oldSets, context.nowMs));
  save(rollout);
  const afterMs = progressCheckMs(rollout.deployment, rollout.deployment.status, context.nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

/** Writes the status. The registry ignores a write without changes. */
export function save(rollout: Rollout): void {
  rollout.deployment = rollout.context.client.updateStatus(deployments, rollout.deployment);
}
