// TaintToleration: taints that the pod does not tolerate keep it away, or count against the node.
import type { Node, Pod, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { type Plugin, normalizeByMax, unresolvable } from "../framework.ts";
import { keepsAway, tolerates } from "../../controllers/common/tolerations.ts";

const rejection = unresolvable("node(s) had untolerated taint(s)");

export const taintToleration: Plugin = {
  name: "TaintToleration",
  weight: 3,
  filter({ pod }) {
    return { check: ({ facts: { taints } }) => (isKeptAway(pod, taints) ? rejection : undefined) };
  },
  score({ pod: { spec } }) {
    const advising = spec.tolerations?.filter(({ effect }) => !effect || effect === "PreferNoSchedule");
    return {
      score: ({ facts: { taints } }) =>
        taints.filter((taint) => taint.effect === "PreferNoSchedule" && !tolerates(advising, taint)).length,
      normalize: (scores) => normalizeByMax(scores, true),
    };
  },
  wakesOn: ["Node/add", "Node/taint", "Pod/tolerations"],
  wakes({ pod }, change) {
    if (change.kind === "Pod") return change.after?.metadata.uid === pod.metadata.uid;
    if (change.kind !== "Node" || !change.after) return false;
    return isKeptFrom(pod, change.before) && !isKeptFrom(pod, change.after);
  },
};

function isKeptAway({ spec }: Pod, taints: readonly Taint[]): boolean {
  return taints.some((taint) => keepsAway(taint) && !tolerates(spec.tolerations, taint));
}

function isKeptFrom(pod: Pod, node: Node | undefined): boolean {
  return !node || isKeptAway(pod, node.spec.taints ?? []);
}
