// The progress of a rollout: the Progressing condition, its deadline, and failures of ReplicaSets (upstream: progress.go).
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { condition, conditionOf, isComplete, setDeploymentCondition, withoutCondition } from "./status.ts";

const maxInt32 = 2 ** 31 - 1;

/** Reports whether there is a deadline. The maximum value means none. */
export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== maxInt32;
}

/** Returns the next status of a rollout: `calculated` with the conditions about its progress. */
export function rolloutStatus(
  deployment: Deployment,
  calculated: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  nowMs: number,
): DeploymentStatus {
  const progressed = hasProgressDeadline(deployment)
    ? withProgress(deployment, calculated, newSet, nowMs)
    : withoutCondition(calculated, "Progressing");
  const failure = replicaFailure(newSet, oldSets);
  return failure ? setDeploymentCondition(progressed, failure) : withoutCondition(progressed, "ReplicaFailure");
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  nowMs: number,
): DeploymentStatus {
  const current = conditionOf(deployment.status, "Progressing");
  // After a complete rollout, later changes of its pods do not affect progress.
  const isDone =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === "NewReplicaSetAvailable";
  if (isDone) return status;
  const subject = newSet
    ? `ReplicaSet ${JSON.stringify(newSet.metadata.name)}`
    : `Deployment ${JSON.stringify(deployment.metadata.name)}`;
  const progressing = (value: "True" | "False", reason: string, what: string) =>
    condition("Progressing", value, reason, `${subject} ${what}`, nowMs);
  if (isComplete(deployment, status)) {
    return setDeploymentCondition(
      status,
      progressing("True", "NewReplicaSetAvailable", "has successfully progressed."),
    );
  }
  if (hasProgressed(deployment.status, status)) {
    const next = progressing("True", "ReplicaSetUpdated", "is progressing.");
    const since = current?.status === "True" ? { lastTransitionTime: current.lastTransitionTime ?? null } : undefined;
    // The old condition is removed first, so that the update time changes even if status and reason do not.
    return setDeploymentCondition(withoutCondition(status, "Progressing"), { ...next, ...since });
  }
  if (isTimedOut(deployment, status, nowMs)) {
    return setDeploymentCondition(
      status,
      progressing("False", "ProgressDeadlineExceeded", "has timed out progressing."),
    );
  }
  return status;
}

/** Reports whether there are more updated, ready or available pods, or fewer old ones. */
function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, status: DeploymentStatus, nowMs: number): boolean {
  const current = conditionOf(status, "Progressing");
  if (!current || current.reason === "NewReplicaSetAvailable") return false;
  if (current.reason === "ProgressDeadlineExceeded") return true;
  return deadlineMs(deployment, current) < nowMs;
}

/** Returns the time until the deadline must be checked; undefined if there is none. */
export function progressCheckMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const current = conditionOf(status, "Progressing");
  if (!hasProgressDeadline(deployment) || !current) return undefined;
  if (isComplete(deployment, status) || current.reason === "ProgressDeadlineExceeded") return undefined;
  // A complete rollout that later loses a pod has no deadline either.
  if (current.reason === "NewReplicaSetAvailable") return undefined;
  // One second is added, so that the deadline has passed at that time.
  return Math.max(0, deadlineMs(deployment, current) - nowMs) + 1000;
}

function deadlineMs(deployment: Deployment, progressing: DeploymentCondition): number {
  const since = progressing.lastUpdateTime ? parseTime(progressing.lastUpdateTime) : 0;
  return since + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;
}

/** Returns the failure of a ReplicaSet as a condition of the Deployment, the new one's first. */
function replicaFailure(
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): DeploymentCondition | undefined {
  const failures = [...(newSet ? [newSet] : []), ...oldSets]
    .flatMap(({ status }) => status.conditions ?? [])
    .filter(({ type }) => type === "ReplicaFailure");
  const first = failures[0];
  return first && { ...first, lastUpdateTime: first.lastTransitionTime ?? null };
}
