// NodeDeclaredFeatures: filters nodes that do not declare the features which a pod needs.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type Plugin, unschedulableAndUnresolvable } from "../framework.ts";

const status = unschedulableAndUnresolvable("node(s) didn't match Pod's required features");

export const nodeDeclaredFeatures: Plugin = {
  name: "NodeDeclaredFeatures",
  preFilter({ pod }) {
    const needed = inferForPodScheduling(pod);
    if (needed.length === 0) return undefined;
    return {
      filter: ({ facts }) => (needed.every((feature) => facts.declaredFeatures.includes(feature)) ? undefined : status),
    };
  },
  eventsToRegister: ["Node/Add", "Node/UpdateNodeDeclaredFeature", "Pod/Update"],
  queueingHint({ pod }, change) {
    if (change.resource !== "Pod") return true;
    const { newObj, oldObj } = change;
    if (!newObj || !oldObj || newObj.metadata.uid !== pod.metadata.uid) return false;
    return !semanticEqual(inferForPodScheduling(newObj), inferForPodScheduling(oldObj));
  },
};

function inferForPodScheduling({ spec }: Pod): readonly string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const restartsAll = containers.some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"),
  );
  const sharesNetwork = spec.hostNetwork === true && spec.hostUsers === false;
  return [
    ...(restartsAll ? ["RestartAllContainersOnContainerExits"] : []),
    ...(sharesNetwork ? ["UserNamespacesHostNetworkSupport"] : []),
  ];
}
