// NodeUnschedulable: a cordoned node takes only pods that tolerate that.
import type { Pod, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { type Plugin, unresolvable } from "../framework.ts";
import { tolerates } from "../../controllers/common/tolerations.ts";

const cordoned: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const rejection = unresolvable("node(s) were unschedulable");

export const nodeUnschedulable: Plugin = {
  name: "NodeUnschedulable",
  filter({ pod }) {
    if (isTolerated(pod)) return undefined;
    return { check: ({ facts }) => (facts.isUnschedulable ? rejection : undefined) };
  },
  wakesOn: ["Node/add", "Node/taint", "Pod/tolerations"],
  wakes({ pod }, change) {
    if (change.kind === "Pod") return change.after?.metadata.uid === pod.metadata.uid && isTolerated(pod);
    if (change.kind !== "Node" || change.after?.spec.unschedulable) return false;
    return change.before === undefined || change.before.spec.unschedulable === true;
  },
};

function isTolerated({ spec }: Pod): boolean {
  return tolerates(spec.tolerations, cordoned);
}
