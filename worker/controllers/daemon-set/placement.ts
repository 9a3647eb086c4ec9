// On which nodes a DaemonSet wants a pod, and on which it lets one stay.
import type { DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Node, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { requiredNodeMatch } from "../common/node-selector.ts";
import { keepsAway, tolerates } from "../common/tolerations.ts";
import { daemonTolerations } from "./template.ts";

export interface Placement {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

const nowhere: Placement = { shouldRun: false, mayStay: false };

/** Upstream's `NodeShouldRunDaemonPod`, for many nodes. */
export function placementOf({ apiVersion, metadata, spec }: DaemonSet): (node: Node) => Placement {
  const { template } = spec;
  const tolerations = daemonTolerations(template.spec);
  const matches = requiredNodeMatch({ apiVersion, kind: "Pod", metadata, spec: template.spec, status: {} });
  return (node) => {
    const { name = "", labels = {} } = node.metadata;
    if (template.spec.nodeName && template.spec.nodeName !== name) return nowhere;
    if (matches && !matches({ name, facts: { labels } })) return nowhere;
    const repels = (taint: Taint) => keepsAway(taint) && !tolerates(tolerations, taint);
    const repelling = (node.spec.taints ?? []).filter(repels);
    return {
      shouldRun: repelling.length === 0,
      mayStay: !repelling.some(({ effect }) => effect === "NoExecute"),
    };
  };
}
