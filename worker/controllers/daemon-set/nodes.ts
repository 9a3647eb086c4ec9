// Decides on which nodes a DaemonSet runs a pod, and on which an existing pod may stay.
import type { DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Taint, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { requiredNodeMatch } from "../common/node-selector.ts";
import { keepsAway, tolerates } from "../common/tolerations.ts";
import type { NodeFacts } from "./node-facts.ts";
import { addOrUpdateDaemonPodTolerations, getTargetNodeName } from "./template.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { isPodTerminal } from "../common/pod-ready.ts";

export interface Placement {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

const nowhere: Placement = { shouldRun: false, mayStay: false };

/** Returns a function for many nodes. */
export function nodeShouldRunDaemonPod({ apiVersion, metadata, spec }: DaemonSet): (node: NodeFacts) => Placement {
  const { template } = spec;
  const tolerations = addOrUpdateDaemonPodTolerations(template.spec);
  const matches = requiredNodeMatch({ apiVersion, kind: "Pod", metadata, spec: template.spec, status: {} });
  return ({ name, labels, taints }) => {
    if (template.spec.nodeName && template.spec.nodeName !== name) return nowhere;
    if (matches && !matches({ name, facts: { labels } })) return nowhere;
    const repels = (taint: Taint) => keepsAway(taint) && !tolerates(tolerations, taint);
    const repelling = taints.filter(repels);
    return {
      shouldRun: repelling.length === 0,
      mayStay: !repelling.some(({ effect }) => effect === "NoExecute"),
    };
  };
}

export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Groups pods by node. Ended pods that are being deleted are left out. */
export function getNodesToDaemonPods(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (isPodTerminal(pod) && isBeingDeleted(pod)) continue;
    const node = getTargetNodeName(pod);
    if (node === undefined) continue;
    const podsOfNode = byNode.get(node);
    if (podsOfNode) podsOfNode.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
}

/** Orders pods: bound ones first, then by age, then by name. */
export function oldestFirst(pods: readonly Pod[]): Pod[] {
  return [...pods].sort(
    (a, b) =>
      Number(Boolean(b.spec.nodeName)) - Number(Boolean(a.spec.nodeName)) ||
      compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
      compareText(a.metadata.name, b.metadata.name),
  );
}

function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
