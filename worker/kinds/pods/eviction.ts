// POST pods/{name}/eviction: deletes the pod as a disruption (upstream: EvictionREST). Budgets are not asked yet.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Eviction } from "../../../shared/k8s/api/policy-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Action } from "../kind.ts";

export const eviction: Action<Pod> = {
  type: "io.k8s.api.policy.v1.Eviction",
  run: (pod, body, { nowMs }) => {
    // The action's type names what was decoded.
    const { deleteOptions, metadata } = body as Eviction;
    if (metadata.name && metadata.name !== pod.metadata.name) {
      throw ApiError.badRequest("name in URL does not match name in Eviction object");
    }
    const { gracePeriodSeconds, preconditions } = deleteOptions ?? {};
    const deletion = {
      gracePeriodSeconds,
      uid: preconditions?.uid,
      // The condition below raises the resourceVersion, so a given one is checked here.
      resourceVersion: undefined,
    };
    if (preconditions?.resourceVersion && preconditions.resourceVersion !== pod.metadata.resourceVersion) {
      const why = `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${pod.metadata.resourceVersion ?? ""}`;
      throw ApiError.conflict({ group: "", name: "pods" }, pod.metadata.name ?? "", why);
    }
    if (pod.metadata.deletionTimestamp || isFinished(pod) || pod.status.phase === "Pending")
      return { delete: deletion };
    const others = (pod.status.conditions ?? []).filter((condition) => condition.type !== "DisruptionTarget");
    const observedGeneration = pod.metadata.generation;
    others.push({
      type: "DisruptionTarget",
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: rfc3339(nowMs),
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    });
    pod.status.conditions = others;
    return { store: pod, delete: deletion };
  },
};

function isFinished(pod: Pod): boolean {
  return pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
}
