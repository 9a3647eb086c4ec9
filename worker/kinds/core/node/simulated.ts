// The simulated nodes and their heartbeats, which are computed on reads and never written.
import type { Lease } from "../../../../shared/k8s/api/coordination-v1.ts";
import type { Node } from "../../../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../../../shared/k8s/time.ts";

/** The annotation of simulated nodes. A user can set it on a node, too. */
export const simulatedAnnotation = "sandbar.dev/simulated";

/** The annotation of nodes from another cluster, on which nothing runs. */
export const importedAnnotation = "sandbar.dev/imported";

/** Reports whether the node's heartbeats are not awaited. */
export function isNeverSilent(node: Node): boolean {
  return isSimulated(node) || isImported(node);
}

export function isImported(node: Node): boolean {
  return node.metadata.annotations?.[importedAnnotation] === "true";
}

export function isSimulated(node: Node): boolean {
  return node.metadata.annotations?.[simulatedAnnotation] === "true";
}

export function isSimulatedLease({ metadata }: Lease): boolean {
  return metadata.namespace === "kube-node-lease" && metadata.annotations?.[simulatedAnnotation] === "true";
}

/** The interval of a kubelet's status reports without changes. */
const reportMs = 300_000;

export function lastBeatMs(nowMs: number, everyMs: number): number {
  return nowMs - (nowMs % everyMs);
}

/** Returns the node with recent heartbeat times in its conditions. */
export function withHeartbeats(node: Node, nowMs: number): Node {
  const beatMs = lastBeatMs(nowMs, reportMs);
  const conditions = node.status.conditions?.map((condition) => {
    const { lastHeartbeatTime } = condition;
    const isOlder = lastHeartbeatTime ? parseTime(lastHeartbeatTime) < beatMs : false;
    return isOlder ? { ...condition, lastHeartbeatTime: rfc3339(beatMs) } : condition;
  });
  return conditions ? { ...node, status: { ...node.status, conditions } } : node;
}

/** Restores the stored heartbeat times in a draft, so that computed ones are not written. */
export function keepHeartbeats(draft: Node, previous: Node): void {
  for (const condition of draft.status.conditions ?? []) {
    const old = previous.status.conditions?.find(
      ({ type, status }) => type === condition.type && status === condition.status,
    );
    if (old?.lastHeartbeatTime) condition.lastHeartbeatTime = old.lastHeartbeatTime;
  }
}
