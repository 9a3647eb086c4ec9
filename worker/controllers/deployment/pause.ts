// Pausing and resuming: so that a rollout that was paused for long is not held to have missed its deadline.
import { hasProgressDeadline } from "./progress.ts";
import { type Rollout, setStatus } from "./rollout.ts";
import { condition, conditionOf, withCondition } from "./status.ts";

/** Upstream's `checkPausedConditions`. */
export function markPaused(rollout: Rollout): void {
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
  setStatus(rollout, withCondition(deployment.status, next));
}
