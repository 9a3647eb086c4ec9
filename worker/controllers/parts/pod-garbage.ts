// Which pods are garbage, and how one is taken away by force.
import type { Node, Pod, PodCondition } from "../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import { withPodCondition } from "./pod-condition.ts";

/** Upstream's `isPodTerminated`. */
export function isTerminated(pod: Pod): boolean {
  const { phase = "Pending" } = pod.status;
  return phase !== "Pending" && phase !== "Running" && phase !== "Unknown";
}

/** Not ready and tainted so by a person: its pods will not end by themselves. */
export function isOutOfService(node: Node): boolean {
  const isReady = node.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return !isReady && (node.spec.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false);
}

/** The first `count` by upstream's `byEvictionAndCreationTimestamp`. */
export function oldestTerminated(found: readonly Pod[], count: number): readonly Pod[] {
  if (count <= 0) return [];
  const isEvicted = ({ status }: Pod) => status.phase === "Failed" && status.reason === "Evicted";
  const rank = (pod: Pod) => [
    isEvicted(pod) ? "0" : "1",
    pod.metadata.creationTimestamp ?? "",
    pod.metadata.name ?? "",
  ];
  return found
    .map((pod) => ({ pod, rank: rank(pod).join("\n") }))
    .sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
    .slice(0, count)
    .map(({ pod }) => pod);
}

/** Upstream's `markFailedAndDeletePodWithCondition`: nobody else would end such a pod, so its phase is set first. */
export function forcePodDeletion(
  client: Client,
  pod: Pod,
  orphaned?: { readonly nodeGone: true; readonly nowMs: number },
): void {
  const { namespace = "", name = "", uid = "", generation } = pod.metadata;
  if (!isTerminated(pod)) {
    const condition: PodCondition = {
      type: "DisruptionTarget",
      ...(generation ? { observedGeneration: generation } : {}),
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    };
    const conditions = orphaned
      ? withPodCondition(pod.status.conditions, condition, orphaned.nowMs)
      : pod.status.conditions;
    client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Failed", conditions } });
  }
  client.tryDelete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
}
