// POST pods/{name}/eviction: deletes the pod if its disruption budget allows it (upstream: EvictionREST).
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import type { DeleteOptions } from "../../../../shared/k8s/api/meta-v1.ts";
import type { Eviction, PodDisruptionBudget } from "../../../../shared/k8s/api/policy-v1.ts";
import { deleteQueryOf, refuseOtherThan } from "../../../../shared/k8s/delete-options.ts";
import { invalid, path } from "../../../../shared/k8s/field.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import type { Action, WriteContext } from "../../kind.ts";
import {
  podDisruptionBudgets,
  disruptionCondition,
  updateDisruptionAllowedCondition,
} from "../../policy/pod-disruption-budget.ts";
import { labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";

/** The maximum number of pending evictions of a budget. */
const maxDisruptedPods = 2000;
const budgets = { group: "policy", name: "poddisruptionbudget" };
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

const kind = { group: "", name: "Pod" };

export const eviction: Action<Pod> = {
  type: "io.k8s.api.policy.v1.Eviction",
  check(name, body, { dryRun: isDry }) {
    if (body.metadata.name !== name) {
      throw ApiError.badRequest("name in URL does not match name in Eviction object");
    }
    // The action's type determines the type of the body.
    const { ignoreStoreReadErrorWithClusterBreakingPotential: ignores, dryRun = [] } =
      (body as Eviction).deleteOptions ?? {};
    if (ignores) {
      const field = path("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential");
      const why = "can not be set for pod eviction, try after removing the option";
      throw ApiError.invalid({ group: "policy", name: "Eviction" }, name, [invalid(field, true, why)]);
    }
    if (isDry && dryRun.length > 0 && dryRun.join() !== "All") {
      const text = "Non-matching dry-run options in request and content";
      throw ApiError.badRequest(`${text}: [All] and [${dryRun.join(" ")}]`);
    }
  },
  run: (pod, body, context) => {
    // The action's type determines the type of the body.
    const deleteOptions: Partial<DeleteOptions> = (body as Eviction).deleteOptions ?? {};
    const budget = isBeyondBudgets(pod) ? undefined : budgetAfterEviction(pod, context);
    const query = deleteQueryOf(deleteOptions);
    const status = budget ? { status: { kind: podDisruptionBudgets, object: budget } } : {};
    if (context.dryRun || deleteOptions.dryRun?.length) return { ...status, delete: query, dryRun: true };
    // The pod is read first and updated, so it is deleted at the new version.
    const { resourceVersion, ...deleteQuery } = query;
    refuseOtherThan(pod.metadata, { uid: query.uid || undefined, resourceVersion: resourceVersion || undefined }, kind);
    return { ...status, store: withDisruptionTarget(pod, context.nowMs), delete: deleteQuery };
  },
};

/** Reports whether a pod has ended, is pending, or is being deleted, so that its deletion disrupts nothing. */
function isBeyondBudgets({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp !== undefined ||
    status.phase === "Succeeded" ||
    status.phase === "Failed" ||
    status.phase === "Pending"
  );
}

function withDisruptionTarget(pod: Pod, nowMs: number): Pod {
  const conditions = pod.status.conditions ?? [];
  const old = conditions.find(({ type }) => type === "DisruptionTarget");
  const next = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: old?.status === "True" ? (old.lastTransitionTime ?? null) : rfc3339(nowMs),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const all = old ? conditions.map((condition) => (condition === old ? next : condition)) : [...conditions, next];
  return { ...pod, status: { ...pod.status, conditions: all } };
}

/** Returns the budget after the eviction; undefined if no budget applies. Throws if the budget does not allow the eviction. */
function budgetAfterEviction(pod: Pod, context: WriteContext): PodDisruptionBudget | undefined {
  const { namespace = "", labels } = pod.metadata;
  const all = [...context.list(podDisruptionBudgets, namespace)];
  const [budget, ...more] = all.filter(({ spec }) => labelSelectorAsSelector(spec.selector).matches(labels));
  if (more.length > 0) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiError(500, "", message);
  }
  if (!budget || mayGoUnready(pod, budget)) return undefined;
  check(budget);
  return withDisruptedPod(budget, pod, context.nowMs);
}

/** Reports whether a pod that is not ready may be evicted: the healthy pods suffice, or the policy always allows it. */
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

/** Returns the budget with the pod as disrupted, so the controller counts it as gone. */
function withDisruptedPod(budget: PodDisruptionBudget, { metadata }: Pod, nowMs: number): PodDisruptionBudget {
  const status = {
    ...budget.status,
    disruptionsAllowed: budget.status.disruptionsAllowed - 1,
    disruptedPods: { ...budget.status.disruptedPods, [metadata.name ?? ""]: rfc3339(nowMs) },
  };
  return {
    ...budget,
    status: status.disruptionsAllowed === 0 ? updateDisruptionAllowedCondition(status, nowMs) : status,
  };
}

/** Returns the 429 of an eviction. Clients retry if its cause is `DisruptionBudget`. */
function tooMany(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, "TooManyRequests", refusal, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });
}
