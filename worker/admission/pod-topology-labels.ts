// PodTopologyLabels: copies the zone and region labels of the node to the pod that is bound to it.
import type { Binding, Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";

const copied = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  mutate({ kind, operation, subresource, object, context }) {
    if (kind.resource !== pods.resource || operation !== "CREATE" || !object) return;
    if (!context.features.PodTopologyLabelsAdmission) return;
    // The resource determines the type.
    const node = subresource === "" ? (object as Pod).spec.nodeName : nodeOfBinding(subresource, object as Binding);
    const labels = node ? context.get(nodes, "", node)?.metadata.labels : undefined;
    const topologyLabels = copied.flatMap((key) => (labels?.[key] === undefined ? [] : [[key, labels[key]] as const]));
    if (topologyLabels.length > 0)
      object.metadata.labels = { ...object.metadata.labels, ...Object.fromEntries(topologyLabels) };
  },
};

function nodeOfBinding(subresource: string, { target }: Binding): string | undefined {
  return subresource === "binding" && target.kind === "Node" ? target.name : undefined;
}
