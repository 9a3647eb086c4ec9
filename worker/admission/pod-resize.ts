// PodResizeValidator: rejects a resize beyond the allocatable resources of the pod's node.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from "../../shared/k8s/quantity.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { podAmounts } from "../kinds/core/resource-quota/pod-evaluator.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";

export const podResize: AdmissionPlugin = {
  name: "PodResizeValidator",
  firstMinor: 36,
  validate(request) {
    const { kind, operation, subresource, context } = request;
    if (kind.resource !== pods.resource || operation !== "UPDATE" || subresource !== "resize") return;
    // The resource determines the type.
    const pod = request.object as Pod;
    const { nodeName } = pod.spec;
    if (!nodeName || pod.metadata.generation === request.oldObject?.metadata.generation) return;
    const node = context.get(nodes, "", nodeName);
    if (!node) throw newForbidden(request, `node ${JSON.stringify(nodeName)} not found`);
    const refuse = (why: string, reason: string) => {
      const { code, message, details, reason: general } = newForbidden(request, why);
      return new ApiError(code, general, message, { ...details, causes: [{ reason }] });
    };
    const os = node.metadata.labels?.["kubernetes.io/os"] ?? "linux";
    if (os !== "linux") {
      const why = `pod resize is only supported on linux nodes, node ${JSON.stringify(nodeName)} is ${JSON.stringify(os)}`;
      throw refuse(why, "UnsupportedPlatform");
    }
    const lacking = lackingOn(node, pod);
    if (lacking.length === 0) return;
    throw refuse(`node didn't have enough allocatable resources: ${lacking.join("; ")}`, "NodeCapacity");
  },
};

function lackingOn({ status }: Node, pod: Pod): string[] {
  const amounts = podAmounts(pod, "requests");
  return (["cpu", "memory"] as const).flatMap((name) => {
    const requested = amounts.get(name) ?? zeroQuantity;
    const allocatable = parseQuantity(status.allocatable?.[name] ?? "0") ?? zeroQuantity;
    if (compareQuantities(requested, allocatable) <= 0) return [];
    const count = name === "cpu" ? quantityMilliValue : quantityValue;
    const [requestedText, allocatableText] = [requested, allocatable].map((quantity) =>
      count(formatQuantity(quantity)),
    );
    return [`${name}, requested: ${requestedText}, allocatable: ${allocatableText}`];
  });
}
