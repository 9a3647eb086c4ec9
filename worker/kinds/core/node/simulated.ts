// Which nodes the sandbox runs itself, and their heartbeats: nothing is written for them, they are told whenever somebody reads.
import type { Lease } from "../../../../shared/k8s/api/coordination-v1.ts";
import type { Node } from "../../../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../../../shared/k8s/time.ts";

/** On nodes of a new cluster; a user's node with it is run by the sandbox too. */
export const simulatedAnnotation = "sandbar.dev/simulated";

/** On nodes that came from another cluster: nothing runs on them, and they are what they were. */
export const importedAnnotation = "sandbar.dev/imported";

/** Whether nobody waits for its heartbeats. */
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

/** A kubelet with nothing new to say reports this often. */
const reportMs = 300_000;

export function lastBeatMs(nowMs: number, everyMs: number): number {
  return nowMs - (nowMs % everyMs);
}

/** The node with conditions that were reported lately. */
export function withHeartbeats(node: Node, nowMs: number): Node {
  const beatMs = lastBeatMs(nowMs, reportMs);
  const conditions = node.status.conditions?.map((condition) => {
    const { lastHeartbeatTime } = condition;
    const isOlder = lastHeartbeatTime ? parseTime(lastHeartbeatTime) < beatMs : false;
    return isOlder ? { ...condition, lastHeartbeatTime: rfc3339(beatMs) } : condition;
  });
  return conditions ? { ...node, status: { ...node.status, conditions } } : node;
}

/** What was only told is not written: mutates the draft. */
export function keepHeartbeats(draft: Node, previous: Node): void {
  for (const condition of draft.status.conditions ?? []) {
    const old = previous.status.conditions?.find(
      ({ type, status }) => type === condition.type && status === condition.status,
    );
    if (old?.lastHeartbeatTime) condition.lastHeartbeatTime = old.lastHeartbeatTime;
  }
}
