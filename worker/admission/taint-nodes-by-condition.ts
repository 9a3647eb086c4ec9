// TaintNodesByCondition: taints a new node as not ready until its condition is known.
import { nodes } from "../kinds/core/node/node.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { writtenObject } from "./common/handled.ts";

const key = "node.kubernetes.io/not-ready";
const effect = "NoSchedule";

export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate(request) {
    const node = writtenObject(nodes, request, "CREATE")?.object;
    if (!node) return;
    const taints = node.spec.taints ?? [];
    if (taints.some((taint) => taint.key === key && taint.effect === effect)) return;
    node.spec.taints = [...taints, { key, effect }];
  },
};
