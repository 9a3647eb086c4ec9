// Whether the budget of a pod allows its eviction, and what is left of the budget then (upstream: `checkAndDecrement`).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget } from "../../../shared/k8s/api/policy-v1.ts";
import { selectorFrom } from "../../../shared/k8s/labels.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { disruptionCondition, withDisruptionAllowed } from "../disruption/condition.ts";
import type { WriteContext } from "../kind.ts";
import { podDisruptionBudgets } from "../pod-disruption-budgets.ts";

/** More evictions than these are not waited for at once. */
const maxDisruptedPods = 2000;
const budgets = { group: "policy", name: "poddisruptionbudget" };
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

/** The budget as it is after the eviction; undefined where no budget is touched. Throws where it does not allow the eviction. */
export function budgetAfterEviction(pod: Pod, context: WriteContext): PodDisruptionBudget | undefined {
  const { namespace = "", labels } = pod.metadata;
  const all = [...context.list(podDisruptionBudgets, namespace)];
  const [budget, ...more] = all.filter(({ spec }) => selectorFrom(spec.selector).matches(labels));
  if (more.length > 0) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiError(500, "", message);
  }
  if (!budget || mayGoUnready(pod, budget)) return undefined;
  check(budget);
  return decremented(budget, pod, context.nowMs);
}

/** A pod that is not ready is not part of what is available: it may go if the others are enough, or in any case if so told. */
function mayGoUnready({ status: { conditions } }: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (conditions?.some(({ type, status: value }) => type === "Ready" && value === "True")) return false;
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

function check({ metadata, status }: PodDisruptionBudget): void {
  const name = metadata.name ?? "";
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (status.disruptionsAllowed < 0) throw ApiError.forbidden(budgets, name, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisruptedPods) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw ApiError.forbidden(budgets, name, why);
  }
  if (status.disruptionsAllowed === 0) throw tooMany(whyNot(name, status), 0);
}

function whyNot(name: string, status: PodDisruptionBudget["status"]): string {
  const { currentHealthy, desiredHealthy } = status;
  const { status: value, reason, message = "" } = disruptionCondition(status) ?? {};
  const isTold = value === "False" && message !== "";
  const notNow = `The disruption budget ${name} does not allow evicting pods currently`;
  if (isTold && reason === "SyncFailed") return `${notNow} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return isTold ? `${notNow} (${reason ?? ""}): ${message}` : notNow;
}

/** The controller counts the pod as gone from now on, though it is still there. */
function decremented(budget: PodDisruptionBudget, { metadata }: Pod, nowMs: number): PodDisruptionBudget {
  const status = {
    ...budget.status,
    disruptionsAllowed: budget.status.disruptionsAllowed - 1,
    disruptedPods: { ...budget.status.disruptedPods, [metadata.name ?? ""]: rfc3339(nowMs) },
  };
  return { ...budget, status: status.disruptionsAllowed === 0 ? withDisruptionAllowed(status, nowMs) : status };
}

/** `DisruptionBudget` is the cause by which drains know that trying again helps. */
function tooMany(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, "TooManyRequests", refusal, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });
}
