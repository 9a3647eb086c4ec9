// LimitRanger: sets the default resources of a namespace's containers, and enforces its bounds on pods and claims.
import type { Container, LimitRange, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { limitRanges } from "../../kinds/core/limit-range.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { claimProblems, podProblems } from "./constraints.ts";
import { newForbidden } from "../common/errors.ts";
import { writtenObject } from "../common/handled.ts";

const annotation = "kubernetes.io/limit-ranger";

export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  mutate(request) {
    const pod = podOf(request);
    if (pod) for (const range of rangesOf(request)) fillIn(pod, range);
  },
  validate(request) {
    const pod = podOf(request);
    const claim = writtenObject(persistentVolumeClaims, request, "CREATE", "UPDATE")?.object;
    for (const { spec } of pod || claim ? rangesOf(request) : []) {
      const violations = pod ? podProblems(pod, spec.limits) : claim ? claimProblems(claim, spec.limits) : [];
      const texts = [...new Set(violations)];
      if (texts.length === 0) continue;
      throw newForbidden(request, texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`);
    }
  },
};

/** Returns the pod of a creation or a resize. No other write changes resources. */
function podOf(request: AdmissionRequest): Pod | undefined {
  const { kind, subresource, operation, object } = request;
  const isResize = kind.resource === pods.resource && subresource === "resize" && operation === "UPDATE";
  // The resource determines the type.
  return isResize ? (object as Pod | undefined) : writtenObject(pods, request, "CREATE")?.object;
}

/** Returns the limit ranges of the namespace. Objects that are being deleted are not checked. */
function rangesOf({ context, namespace, oldObject }: AdmissionRequest): LimitRange[] {
  return oldObject?.metadata.deletionTimestamp ? [] : [...context.list(limitRanges, namespace)];
}

/** Sets the defaults, and records them in an annotation. */
function fillIn({ metadata, spec }: Pod, { spec: { limits } }: LimitRange): void {
  const items = limits.filter(({ type }) => type === "Container");
  const defaults = {
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest)) as Record<string, string>,
    limits: Object.assign({}, ...items.map((item) => item.default)) as Record<string, string>,
  };
  const texts = [
    ...spec.containers.flatMap((container) => fillContainer(container, "container", defaults)),
    ...(spec.initContainers ?? []).flatMap((container) => fillContainer(container, "init container", defaults)),
  ];
  if (texts.length === 0) return;
  const text = `LimitRanger plugin set: ${texts.join("; ")}`;
  metadata.annotations = { ...metadata.annotations, [annotation]: text };
}

function fillContainer(
  { name, resources }: Container,
  what: string,
  defaults: Readonly<Record<"limits" | "requests", Readonly<Record<string, string>>>>,
): string[] {
  return (["requests", "limits"] as const).flatMap((list) => {
    const amounts = resources[list] ?? {};
    const added = Object.keys(defaults[list]).filter((resource) => amounts[resource] === undefined);
    if (added.length === 0) return [];
    resources[list] = { ...defaults[list], ...amounts };
    return [`${added.sort().join(", ")} ${list === "requests" ? "request" : "limit"} for ${what} ${name}`];
  });
}
