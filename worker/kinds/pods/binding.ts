// POST pods/{name}/binding: assigns the pod to a node (upstream: BindingREST and ValidatePodBinding).
import type { Binding, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { notSupported, path, required } from "../../../shared/k8s/field.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Action } from "../kind.ts";

const resource = { group: "", name: "pods/binding" };

export const binding: Action<Pod> = {
  type: "io.k8s.api.core.v1.Binding",
  run: (pod, body, { nowMs }) => {
    // The action's type names what was decoded.
    const { target, metadata } = body as Binding;
    const name = pod.metadata.name ?? "";
    const errors = [];
    if (target.kind && target.kind !== "Node") {
      errors.push(notSupported(path("target", "kind"), target.kind, ["Node", "<empty>"]));
    }
    if (!target.name) errors.push(required(path("target", "name")));
    if (errors.length > 0) throw ApiError.invalid({ group: "", name: "Binding" }, name, errors);
    refuseUnbindable(pod, name, metadata.uid);
    pod.spec.nodeName = target.name ?? "";
    const others = (pod.status.conditions ?? []).filter((condition) => condition.type !== "PodScheduled");
    const observedGeneration = pod.metadata.generation;
    others.push({
      type: "PodScheduled",
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: rfc3339(nowMs),
    });
    pod.status.conditions = others;
    delete pod.status.nominatedNodeName;
    for (const field of ["annotations", "labels"] as const) {
      const more = metadata[field];
      if (more) pod.metadata[field] = { ...pod.metadata[field], ...more };
    }
    return { store: pod };
  },
};

function refuseUnbindable(pod: Pod, name: string, uid: string | undefined): void {
  const conflict = (why: string) => ApiError.conflict(resource, name, why);
  if (uid && uid !== pod.metadata.uid) {
    throw conflict(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid ?? ""}`);
  }
  if (pod.metadata.deletionTimestamp) throw conflict(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw conflict(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if (pod.spec.schedulingGates?.length) throw conflict(`pod ${name} has non-empty .spec.schedulingGates`);
}
