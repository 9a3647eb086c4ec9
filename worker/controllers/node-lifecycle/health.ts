// Computes the taints of a node from its conditions, and the conditions of a node with a silent kubelet. Pure.
import type { Node, NodeCondition, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../../shared/k8s/time.ts";

const notReadyKey = "node.kubernetes.io/not-ready";
const unreachableKey = "node.kubernetes.io/unreachable";
const unschedulableKey = "node.kubernetes.io/unschedulable";

const nodeConditionToTaintKeyStatusMap: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyKey, Unknown: unreachableKey },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};
const ownedKeys = new Set([
  unschedulableKey,
  ...Object.values(nodeConditionToTaintKeyStatusMap).flatMap((keys) => Object.values(keys)),
]);

/** The conditions that become Unknown when the kubelet is silent. */
const doubtedConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

export function readyOf({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === "Ready");
}

/** Returns the NoExecute taint of a node that is not ready. */
export function executeTaint(node: Node): Taint | undefined {
  const key = nodeConditionToTaintKeyStatusMap["Ready"]?.[readyOf(node)?.status ?? ""];
  return key === undefined ? undefined : { key, effect: "NoExecute" };
}

/** Reports whether a taint is such a NoExecute taint. */
export function isGivenUp({ key, effect }: Taint): boolean {
  return effect === "NoExecute" && (key === notReadyKey || key === unreachableKey);
}

/** Returns the taints of a node: the given NoExecute taint and those against scheduling. Returns the same array if nothing changed. */
export function wantedTaints(node: Node, execute: Taint | undefined, nowMs: number): readonly Taint[] {
  const current = node.spec.taints ?? [];
  const desired = [...scheduleTaints(node), ...(execute ? [execute] : [])];
  const isSame = (a: Taint, b: Taint) => a.key === b.key && a.effect === b.effect;
  const remaining = current.filter(
    (taint) => !isOurs(taint) || desired.some((desiredTaint) => isSame(desiredTaint, taint)),
  );
  const missing = desired.filter((taint) => !current.some((currentTaint) => isSame(currentTaint, taint)));
  if (missing.length === 0 && remaining.length === current.length) return current;
  return [...remaining, ...missing.map((taint) => ({ ...taint, timeAdded: rfc3339(nowMs) }))];
}

/** Returns when the kubelet last reported, by its lease or its status. */
export function heardMs(node: Node, renewTime: string | null | undefined): number {
  const times = [node.metadata.creationTimestamp, readyOf(node)?.lastHeartbeatTime, renewTime];
  return Math.max(...times.flatMap((time) => (time ? [parseTime(time)] : [])));
}

/** Returns the conditions after the grace period (upstream's `tryUpdateNodeHealth`). */
export function unknownConditions({ metadata, status }: Node, nowMs: number): NodeCondition[] {
  const lastTransitionTime = rfc3339(nowMs);
  const conditions = (status.conditions ?? []).map((condition) =>
    doubtedConditions.includes(condition.type) && condition.status !== "Unknown"
      ? { ...condition, ...unknown("NodeStatusUnknown", "Kubelet stopped posting node status."), lastTransitionTime }
      : condition,
  );
  const missing = doubtedConditions.filter((type) => !conditions.some((condition) => condition.type === type));
  const never = unknown("NodeStatusNeverUpdated", "Kubelet never posted node status.");
  const lastHeartbeatTime = metadata.creationTimestamp ?? null;
  return [...conditions, ...missing.map((type) => ({ type, ...never, lastHeartbeatTime, lastTransitionTime }))];
}

function unknown(reason: string, message: string) {
  return { status: "Unknown" as const, reason, message };
}

function isOurs(taint: Taint): boolean {
  return isGivenUp(taint) || (taint.effect === "NoSchedule" && ownedKeys.has(taint.key));
}

function scheduleTaints({ spec, status }: Node): Taint[] {
  const keys = (status.conditions ?? []).flatMap(
    ({ type, status: value }) => nodeConditionToTaintKeyStatusMap[type]?.[value] ?? [],
  );
  const all = [...keys, ...(spec.unschedulable ? [unschedulableKey] : [])];
  return all.map((key) => ({ key, effect: "NoSchedule" }));
}
