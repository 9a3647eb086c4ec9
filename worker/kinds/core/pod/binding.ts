// POST pods/{name}/binding: assigns the pod to a node (upstream: BindingREST and ValidatePodBinding).
import type { Binding, Pod } from "../../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";
import { notSupportedInOrder, path, required } from "../../../../shared/k8s/field.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import type { Action } from "../../kind.ts";

const resource = { group: "", name: "pods/binding" };

export const binding: Action<Pod> = {
  type: "io.k8s.api.core.v1.Binding",
  check(name, body) {
    // The action's type determines the type of the body.
    const { target, metadata } = body as Binding;
    if ((metadata.name ?? "") !== name) throw ApiError.badRequest("name in URL does not match name in Binding object");
    const errors = [];
    if (target.kind && target.kind !== "Node") {
      errors.push(notSupportedInOrder(path("target", "kind"), target.kind, ["Node", "<empty>"]));
    }
    if (!target.name) errors.push(required(path("target", "name")));
    // Upstream's errors have no kind here: plain text.
    const texts = errors.map(({ field, message }) => `${field}: ${message}`);
    if (errors.length > 0) throw ApiError.badRequest(texts.length > 1 ? `[${texts.join(", ")}]` : texts.join(""));
  },
  run: (pod, body, { nowMs, dryRun }) => {
    const { target, metadata } = body as Binding;
    const name = pod.metadata.name ?? "";
    checkPreconditions(pod, metadata, dryRun);
    refuseUnbindable(pod, name);
    pod.spec.nodeName = target.name ?? "";
    const otherConditions = (pod.status.conditions ?? []).filter((condition) => condition.type !== "PodScheduled");
    otherConditions.push({
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: rfc3339(nowMs),
    });
    pod.status.conditions = otherConditions;
    delete pod.status.nominatedNodeName;
    for (const field of ["annotations", "labels"] as const) {
      const more = metadata[field];
      if (more) pod.metadata[field] = { ...pod.metadata[field], ...more };
    }
    return { store: pod };
  },
};

function checkPreconditions(
  { metadata: podMetadata }: Pod,
  { uid, resourceVersion }: ObjectMeta,
  dryRun: boolean,
): void {
  const { namespace = "", name = "" } = podMetadata;
  const check = (what: string, expected: string, actual = "") => {
    // In a dry run, upstream answers above the layer that adds the prefix of keys.
    const key = `${dryRun ? "" : "/registry"}/pods/${namespace}/${name}`;
    const pods = { group: "", name: "pods" };
    if (expected && expected !== actual)
      throw ApiError.failedPrecondition(pods, name, { key, what, wanted: expected, found: actual });
  };
  check("UID", uid ?? "", podMetadata.uid);
  check("ResourceVersion", resourceVersion ?? "", podMetadata.resourceVersion);
}

function refuseUnbindable(pod: Pod, name: string): void {
  const conflict = (why: string) => ApiError.conflict(resource, name, why);
  if (pod.metadata.deletionTimestamp) throw conflict(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw conflict(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if (pod.spec.schedulingGates?.length) throw conflict(`pod ${name} has non-empty .spec.schedulingGates`);
}
