// TaintToleration: taints that the pod does not tolerate keep it away, or count against the node.
import { type Plugin, type Rejection, normalizeByMax } from "./plugin.ts";
import { keepsAway, tolerates } from "./tolerations.ts";

const rejection: Rejection = { reasons: ["node(s) had untolerated taint(s)"], isResolvable: false };

export const taintToleration: Plugin = {
  name: "TaintToleration",
  weight: 3,
  filter({ pod: { spec } }) {
    return {
      check: ({ facts: { taints } }) =>
        taints.some((taint) => keepsAway(taint) && !tolerates(spec.tolerations, taint)) ? rejection : undefined,
    };
  },
  score({ pod: { spec } }, feasible) {
    // Without such a taint all nodes score alike.
    if (!feasible.some(({ facts }) => facts.taints.some(({ effect }) => effect === "PreferNoSchedule")))
      return undefined;
    const advising = spec.tolerations?.filter(({ effect }) => !effect || effect === "PreferNoSchedule");
    return {
      score: ({ facts: { taints } }) =>
        taints.filter((taint) => taint.effect === "PreferNoSchedule" && !tolerates(advising, taint)).length,
      normalize: (scores) => normalizeByMax(scores, true),
    };
  },
};
