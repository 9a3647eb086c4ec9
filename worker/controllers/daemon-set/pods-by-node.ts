// The pods of a DaemonSet by the node that each is on, or is for.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { isPodTerminal } from "../common/pod-ready.ts";
import { targetNode } from "./template.ts";

export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Upstream's `getNodesToDaemonPods`: what has ended and is being deleted needs nothing more. */
export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (isPodTerminal(pod) && isBeingDeleted(pod)) continue;
    const node = targetNode(pod);
    if (node === undefined) continue;
    const others = byNode.get(node);
    if (others) others.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
}

/** Bound ones first, then the oldest, then by name. */
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
