// NodeUnschedulable: a cordoned node takes only pods that tolerate it.
import type { Pod, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { type Plugin, unschedulableAndUnresolvable } from "../framework.ts";
import { tolerates } from "../../controllers/common/tolerations.ts";

const cordoned: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const status = unschedulableAndUnresolvable("node(s) were unschedulable");

export const nodeUnschedulable: Plugin = {
  name: "NodeUnschedulable",
  preFilter({ pod }) {
    if (isTolerated(pod)) return undefined;
    return { filter: ({ facts }) => (facts.isUnschedulable ? status : undefined) };
  },
  eventsToRegister: ["Node/Add", "Node/UpdateNodeTaint", "Pod/UpdatePodToleration"],
  queueingHint({ pod }, change) {
    if (change.resource === "Pod") return change.newObj?.metadata.uid === pod.metadata.uid && isTolerated(pod);
    if (change.resource !== "Node" || change.newObj?.spec.unschedulable) return false;
    return change.oldObj === undefined || change.oldObj.spec.unschedulable === true;
  },
};

function isTolerated({ spec }: Pod): boolean {
  return tolerates(spec.tolerations, cordoned);
}
