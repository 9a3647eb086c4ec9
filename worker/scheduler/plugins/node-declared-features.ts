// NodeDeclaredFeatures: what a pod can only do where the node says that it can.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type Plugin, unresolvable } from "../framework.ts";

const rejection = unresolvable("node(s) didn't match Pod's required features");

export const nodeDeclaredFeatures: Plugin = {
  name: "NodeDeclaredFeatures",
  filter({ pod }) {
    const needed = neededFeatures(pod);
    if (needed.length === 0) return undefined;
    return {
      check: ({ facts }) => (needed.every((one) => facts.declaredFeatures.includes(one)) ? undefined : rejection),
    };
  },
  wakesOn: ["Node/add", "Node/features", "Pod/update"],
  wakes({ pod }, change) {
    if (change.kind !== "Pod") return true;
    const { after, before } = change;
    if (!after || !before || after.metadata.uid !== pod.metadata.uid) return false;
    return !semanticEqual(neededFeatures(after), neededFeatures(before));
  },
};

/** Upstream's `InferForPodScheduling`. */
function neededFeatures({ spec }: Pod): readonly string[] {
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
