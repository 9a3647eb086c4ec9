// NodeDeclaredFeatureValidator: rejects an update of a pod that needs a feature which its node does not declare.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { isSidecar } from "../kinds/core/pod/resources.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newForbidden } from "./common/errors.ts";

export const nodeDeclaredFeatures: AdmissionPlugin = {
  name: "NodeDeclaredFeatureValidator",
  gate: "NodeDeclaredFeatures",
  validate(request) {
    const { kind, operation, subresource, context } = request;
    if (kind.resource !== pods.resource || operation !== "UPDATE") return;
    if (subresource !== "" && subresource !== "resize") return;
    // The resource determines the type.
    const [next, previous] = [request.object as Pod, request.oldObject as Pod];
    const { nodeName } = next.spec;
    if (!nodeName || next.metadata.generation === previous.metadata.generation) return;
    const needed = inferForPodUpdate(next, previous);
    if (needed.length === 0) return;
    const node = context.get(nodes, "", nodeName);
    if (!node) throw newForbidden(request, `node ${JSON.stringify(nodeName)} not found`);
    const missing = needed.filter((feature) => !node.status.declaredFeatures?.includes(feature));
    if (missing.length === 0) return;
    const why = `pod update requires features ${missing.join(", ")} which are not available on node ${JSON.stringify(nodeName)}`;
    throw newForbidden(request, why);
  },
};

function inferForPodUpdate({ spec: next }: Pod, { spec: previous }: Pod): string[] {
  const resizesInit = (previous.initContainers ?? []).some(
    (container, index) =>
      !isSidecar(container) && !semanticEqual(container.resources, next.initContainers?.[index]?.resources),
  );
  return [
    ...(semanticEqual(previous.resources, next.resources) ? [] : ["InPlacePodLevelResourcesVerticalScaling"]),
    ...(resizesInit ? ["InPlacePodVerticalScalingInitContainers"] : []),
  ];
}
