// Computes the status of a Deployment and its conditions from its ReplicaSets.
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { maxUnavailable, sumOf, wantedReplicas } from "./rolling.ts";

export function calculateStatus(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  nowMs: number,
  { DeploymentReplicaSetTerminatingReplicas: tellsTerminating }: Features,
): DeploymentStatus {
  const sets = newSet ? [...oldSets, newSet] : oldSets;
  const availableReplicas = sumOf(sets, ({ status }) => status.availableReplicas);
  const terminatingReplicas = tellsTerminating ? terminating(sets) : undefined;
  const { collisionCount, conditions = [] } = deployment.status;
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sumOf(sets, ({ status }) => status.replicas),
    updatedReplicas: newSet?.status.replicas ?? 0,
    readyReplicas: sumOf(sets, ({ status }) => status.readyReplicas),
    availableReplicas,
    // After scaling down, more pods than desired may be available.
    unavailableReplicas: Math.max(0, sumOf(sets, wantedReplicas) - availableReplicas),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    conditions,
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
  const isAvailable = availableReplicas >= wantedReplicas(deployment) - maxUnavailable(deployment);
  return setDeploymentCondition(status, isAvailable ? minimumAvailable(nowMs) : minimumUnavailable(nowMs));
}

export function condition(
  type: "Available" | "Progressing",
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  nowMs: number,
): DeploymentCondition {
  const now = rfc3339(nowMs);
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

export function conditionOf(
  status: DeploymentStatus,
  type: "Available" | "Progressing" | "ReplicaFailure",
): DeploymentCondition | undefined {
  return status.conditions?.find((candidate) => candidate.type === type);
}

/** Sets a condition. Nothing changes if status and reason are equal; the transition time changes only with the status. */
export function setDeploymentCondition(status: DeploymentStatus, next: DeploymentCondition): DeploymentStatus {
  const current = status.conditions?.find(({ type }) => type === next.type);
  if (current?.status === next.status && current.reason === next.reason) return status;
  const transition =
    current?.status === next.status ? { lastTransitionTime: current.lastTransitionTime ?? null } : undefined;
  const otherConditions = withoutCondition(status, next.type).conditions ?? [];
  return { ...status, conditions: [...otherConditions, { ...next, ...transition }] };
}

export function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  return { ...status, conditions: (status.conditions ?? []).filter((candidate) => candidate.type !== type) };
}

/** Reports whether all desired pods are updated and available, and no old pods are left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = wantedReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Sums the terminating pods. Undefined if an observed ReplicaSet does not report the number. */
function terminating(sets: readonly ReplicaSet[]): number | undefined {
  const observed = sets.filter(({ status }) => status.observedGeneration || status.terminatingReplicas !== undefined);
  if (observed.some(({ status }) => status.terminatingReplicas === undefined)) return undefined;
  return sumOf(observed, ({ status }) => status.terminatingReplicas);
}

const minimumAvailable = (nowMs: number) =>
  condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", nowMs);

const minimumUnavailable = (nowMs: number) =>
  condition(
    "Available",
    "False",
    "MinimumReplicasUnavailable",
    "Deployment does not have minimum availability.",
    nowMs,
  );
