// NodeUnschedulable: a cordoned node takes only pods that tolerate that.
import type { Taint } from "../../../../shared/k8s/api/core-v1.ts";
import type { Plugin, Rejection } from "./plugin.ts";
import { tolerates } from "./tolerations.ts";

const cordoned: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const rejection: Rejection = { reasons: ["node(s) were unschedulable"], isResolvable: false };

export const nodeUnschedulable: Plugin = {
  name: "NodeUnschedulable",
  filter({ pod }) {
    if (tolerates(pod.spec.tolerations, cordoned)) return undefined;
    return { check: ({ facts }) => (facts.isUnschedulable ? rejection : undefined) };
  },
};
