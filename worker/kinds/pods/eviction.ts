// POST pods/{name}/eviction: deletes the pod as a disruption, if its budget allows that (upstream: EvictionREST).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Eviction } from "../../../shared/k8s/api/policy-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Action } from "../kind.ts";
import { podDisruptionBudgets } from "../pod-disruption-budgets.ts";
import { budgetAfterEviction } from "./eviction-budget.ts";

export const eviction: Action<Pod> = {
  type: "io.k8s.api.policy.v1.Eviction",
  check(name, body) {
    if (body.metadata.name !== name) {
      throw ApiError.badRequest("name in URL does not match name in Eviction object");
    }
  },
  run: (pod, body, context) => {
    // The action's type names what was decoded.
    const { deleteOptions } = body as Eviction;
    const { name = "", uid, resourceVersion } = pod.metadata;
    const budget = isBeyondBudgets(pod) ? undefined : budgetAfterEviction(pod, context);
    const { gracePeriodSeconds, preconditions } = deleteOptions ?? {};
    if (preconditions?.uid && preconditions.uid !== uid) {
      const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid ?? ""}). The object might have been deleted and then recreated`;
      throw ApiError.conflict({ group: "", name: "Pod" }, name, why);
    }
    if (preconditions?.resourceVersion && preconditions.resourceVersion !== resourceVersion) {
      const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion ?? ""}). The object might have been modified`;
      throw ApiError.conflict({ group: "", name: "Pod" }, name, why);
    }
    return {
      ...(budget ? { status: { kind: podDisruptionBudgets, object: budget } } : {}),
      store: disrupted(pod, context.nowMs),
      // The resourceVersion was checked above: the condition has raised it.
      delete: { gracePeriodSeconds, uid: preconditions?.uid, resourceVersion: undefined },
    };
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
