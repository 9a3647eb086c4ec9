// RuntimeClass: copies the overhead and the scheduling of a pod's runtime class to the pod.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { RuntimeClass } from "../../../shared/k8s/api/node-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { compareQuantities, parseQuantity } from "../../../shared/k8s/quantity.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { runtimeClasses } from "../../kinds/node/runtime-class.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { newForbidden } from "../common/errors.ts";
import { mergeTolerations } from "./tolerations.ts";
import { writtenObject } from "../common/handled.ts";

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  mutate(request) {
    const pod = writtenObject(pods, request, "CREATE")?.object;
    const podClass = pod && classOf(pod, request);
    if (!podClass) return;
    setOverhead(pod, podClass, request);
    setScheduling(pod, podClass, request);
  },
  validate(request) {
    const pod = writtenObject(pods, request, "CREATE")?.object;
    if (!pod) return;
    const overhead = classOf(pod, request)?.overhead;
    if (overhead) {
      if (!sameResources(overhead.podFixed, pod.spec.overhead)) throw newForbidden(request, otherOverhead);
    } else if (pod.spec.overhead) {
      const why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
      throw newForbidden(request, why);
    }
  },
};

function classOf({ spec: { runtimeClassName: name } }: Pod, request: AdmissionRequest): RuntimeClass | undefined {
  if (name === undefined) return undefined;
  // The client of upstream's plugin returns this error for an empty name.
  if (name === "") throw new ApiError(500, "", "resource name may not be empty");
  const podClass = request.context.get(runtimeClasses, "", name);
  if (!podClass) throw newForbidden(request, `pod rejected: RuntimeClass "${name}" not found`);
  return podClass;
}

function setOverhead({ spec }: Pod, { overhead }: RuntimeClass, request: AdmissionRequest): void {
  if (!overhead) return;
  const isGiven = Object.keys(spec.overhead ?? {}).length > 0;
  if (isGiven && !sameResources(overhead.podFixed, spec.overhead)) throw newForbidden(request, otherOverhead);
  if (overhead.podFixed) spec.overhead = { ...overhead.podFixed };
  else delete spec.overhead;
}

function setScheduling({ spec }: Pod, { scheduling }: RuntimeClass, request: AdmissionRequest): void {
  if (!scheduling) return;
  const nodeSelector = spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    if (nodeSelector[key] === undefined || nodeSelector[key] === value) continue;
    const ours = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
    throw newForbidden(request, `conflict: ${ours}; pod.spec.nodeSelector[${key}] = ${nodeSelector[key]}`);
  }
  spec.nodeSelector = { ...nodeSelector, ...scheduling.nodeSelector };
  spec.tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
}

type Resources = Readonly<Record<string, string>>;

function sameResources(a: Resources = {}, b: Resources = {}): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [x, y] = [parseQuantity(a[name] ?? ""), parseQuantity(b[name] ?? "")];
    return x !== undefined && y !== undefined && compareQuantities(x, y) === 0;
  });
}
