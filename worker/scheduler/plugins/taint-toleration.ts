// TaintToleration: filters nodes with taints that the pod does not tolerate, or lowers their score.
import type { Node, Pod, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { type Plugin, defaultNormalizeScore, unschedulableAndUnresolvable } from "../framework.ts";
import { keepsAway, tolerates } from "../../controllers/common/tolerations.ts";

const status = unschedulableAndUnresolvable("node(s) had untolerated taint(s)");

export const taintToleration: Plugin = {
  name: "TaintToleration",
  weight: 3,
  preFilter({ pod }) {
    return { filter: ({ facts: { taints } }) => (isKeptAway(pod, taints) ? status : undefined) };
  },
  preScore({ pod: { spec } }) {
    const advising = spec.tolerations?.filter(({ effect }) => !effect || effect === "PreferNoSchedule");
    return {
      score: ({ facts: { taints } }) =>
        taints.filter((taint) => taint.effect === "PreferNoSchedule" && !tolerates(advising, taint)).length,
      normalizeScore: (scores) => defaultNormalizeScore(scores, { isReversed: true }),
    };
  },
  eventsToRegister: ["Node/Add", "Node/UpdateNodeTaint", "Pod/UpdatePodToleration"],
  queueingHint({ pod }, change) {
    if (change.resource === "Pod") return change.newObj?.metadata.uid === pod.metadata.uid;
    if (change.resource !== "Node" || !change.newObj) return false;
    return isKeptFrom(pod, change.oldObj) && !isKeptFrom(pod, change.newObj);
  },
};

function isKeptAway({ spec }: Pod, taints: readonly Taint[]): boolean {
  return taints.some((taint) => keepsAway(taint) && !tolerates(spec.tolerations, taint));
}

function isKeptFrom(pod: Pod, node: Node | undefined): boolean {
  return !node || isKeptAway(pod, node.spec.taints ?? []);
}
