// POST pods/{name}/eviction: deletes the pod as a disruption, if its budget allows that (upstream: EvictionREST).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { DeleteOptions } from "../../../shared/k8s/api/meta-v1.ts";
import type { Eviction } from "../../../shared/k8s/api/policy-v1.ts";
import { deleteQueryOf, refuseOtherThan } from "../../../shared/k8s/delete-options.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Action } from "../kind.ts";
import { podDisruptionBudgets } from "../pod-disruption-budgets.ts";
import { budgetAfterEviction } from "./eviction-budget.ts";

const kind = { group: "", name: "Pod" };

export const eviction: Action<Pod> = {
  type: "io.k8s.api.policy.v1.Eviction",
  check(name, body, { dryRun: isDry }) {
    if (body.metadata.name !== name) {
      throw ApiError.badRequest("name in URL does not match name in Eviction object");
    }
    // The action's type names what was decoded.
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
    // The action's type names what was decoded.
    const deleteOptions: Partial<DeleteOptions> = (body as Eviction).deleteOptions ?? {};
    const budget = isBeyondBudgets(pod) ? undefined : budgetAfterEviction(pod, context);
    const query = deleteQueryOf(deleteOptions);
    const status = budget ? { status: { kind: podDisruptionBudgets, object: budget } } : {};
    if (context.dryRun || deleteOptions.dryRun?.length) return { ...status, delete: query, isTried: true };
    // What is to be disrupted is read first, and changed: of that version it is deleted.
    const { resourceVersion, ...asked } = query;
    refuseOtherThan(pod.metadata, { uid: query.uid || undefined, resourceVersion: resourceVersion || undefined }, kind);
    return { ...status, store: disrupted(pod, context.nowMs), delete: asked };
  },
};

/** It has ended, has not begun or is going already: nothing more is disrupted. */
function isBeyondBudgets({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp !== undefined ||
    status.phase === "Succeeded" ||
    status.phase === "Failed" ||
    status.phase === "Pending"
  );
}

function disrupted(pod: Pod, nowMs: number): Pod {
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
  const all = old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
  return { ...pod, status: { ...pod.status, conditions: all } };
}
