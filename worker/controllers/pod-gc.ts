// The pod garbage collector: deletes pods of missing nodes, terminated pods beyond the threshold, and unscheduled terminating pods.
import type { Node, Pod, PodCondition } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { type Request, type Result, defineController, mapFormat, requestOf, watch } from "../runtime/controller.ts";
import { updatePodCondition } from "./common/pod-condition.ts";

/** The default of kube-controller-manager's `--terminated-pod-gc-threshold`. */
const terminatedPodThreshold = 12_500;
/** The time in which a deleted node may be registered again. */
const quarantineTimeMs = 40_000;
/** The request for all terminated pods. No namespace or node has this name. */
const terminated: Request = { namespace: "", name: "*" };

interface Memory {
  /** The times, in milliseconds, since which nodes with pods are missing. The quarantine restarts after an eviction. */
  readonly absentSince: Map<string, number>;
  /** The uids of terminated pods, once they are counted. */
  terminatedPods: Set<string> | undefined;
}

export const podGcController = defineController({
  name: "pod-garbage-collector-controller",
  user: "system:serviceaccount:kube-system:pod-garbage-collector",
  component: "pod-garbage-collector-controller",
  memory: (): Memory => ({ absentSince: new Map(), terminatedPods: undefined }),
  memoryFormat: mapFormat(({ absentSince }: Memory) => absentSince),
  watches: [
    watch<Node, Memory>(nodes, function* (next, previous, _client, { absentSince }) {
      const name = (next ?? previous)?.metadata.name ?? "";
      if (next) absentSince.delete(name);
      // A request without a namespace is for a node.
      if (!next || isOutOfService(next)) yield { namespace: "", name };
    }),
    watch<Pod, Memory>(pods, function* (next, previous, client, memory) {
      yield* countTerminated(next, previous, client, memory);
      if (!next) return;
      const nodeName = next.spec.nodeName ?? "";
      const isNew = previous?.metadata.deletionTimestamp !== next.metadata.deletionTimestamp;
      if (nodeName === "") {
        if (next.metadata.deletionTimestamp && isNew) yield requestOf(next);
        return;
      }
      const isBound = (previous?.spec.nodeName ?? "") === "";
      // Most changes of a pod are made by its kubelet and do not matter here.
      if (!isBound && !isNew) return;
      const node = client.get(nodes, "", nodeName);
      if ((!node && isBound) || (node && isNew && isOutOfService(node))) yield { namespace: "", name: nodeName };
    }),
  ],
  reconcile({ namespace, name }, { client, nowMs, memory }) {
    if (namespace !== "") return gcUnscheduledTerminating(client, namespace, name);
    if (name === terminated.name) return gcTerminated(client, memory);
    return gcOfNode(client, name, nowMs, memory);
  },
});

function* countTerminated(
  next: Pod | undefined,
  previous: Pod | undefined,
  client: Client,
  { terminatedPods: counted }: Memory,
): Generator<Request> {
  const uid = (next ?? previous)?.metadata.uid ?? "";
  if (!next || !isPodTerminated(next)) {
    counted?.delete(uid);
    return;
  }
  if (previous && isPodTerminated(previous)) return;
  counted?.add(uid);
  // After a restart the count is unknown. If there may be too many pods, reading all of them restores it.
  if ((counted?.size ?? client.count(pods)) > terminatedPodThreshold) yield terminated;
}

function gcUnscheduledTerminating(client: Client, namespace: string, name: string): undefined {
  const pod = client.get(pods, namespace, name);
  if (pod?.metadata.deletionTimestamp && !pod.spec.nodeName) markFailedAndDeletePod(client, pod);
}

function gcTerminated(client: Client, memory: Memory): undefined {
  const terminatedPods: Pod[] = [];
  for (const pod of client.each(pods)) if (isPodTerminated(pod)) terminatedPods.push(pod);
  memory.terminatedPods = new Set(terminatedPods.map((pod) => pod.metadata.uid ?? ""));
  for (const pod of oldestTerminated(terminatedPods, terminatedPods.length - terminatedPodThreshold))
    markFailedAndDeletePod(client, pod);
}

/** Deletes the pods of one node that are orphaned, or that terminate while the node is out of service. */
function gcOfNode(client: Client, name: string, nowMs: number, { absentSince }: Memory): Result | undefined {
  const bound = client.byIndexValue(pods, name);
  const node = client.get(nodes, "", name);
  if (node) {
    if (!isOutOfService(node)) return undefined;
    for (const pod of bound) if (pod.metadata.deletionTimestamp) markFailedAndDeletePod(client, pod);
    return undefined;
  }
  if (bound.length === 0) return undefined;
  const sinceMs = absentSince.get(name) ?? nowMs;
  absentSince.set(name, sinceMs);
  const leftMs = sinceMs + quarantineTimeMs - nowMs;
  if (leftMs > 0) return { afterMs: leftMs };
  for (const pod of bound) markFailedAndDeletePod(client, pod, { nodeGone: true, nowMs });
  absentSince.delete(name);
  return undefined;
}

function isPodTerminated(pod: Pod): boolean {
  const { phase = "Pending" } = pod.status;
  return phase !== "Pending" && phase !== "Running" && phase !== "Unknown";
}

/** Reports whether a node is not ready and has the out-of-service taint, so that its pods do not end by themselves. */
function isOutOfService(node: Node): boolean {
  const isReady = node.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return !isReady && (node.spec.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false);
}

/** Returns the first `count` pods: evicted ones first, then by age. */
export function oldestTerminated(terminatedPods: readonly Pod[], count: number): readonly Pod[] {
  if (count <= 0) return [];
  const isEvicted = ({ status }: Pod) => status.phase === "Failed" && status.reason === "Evicted";
  const rank = (pod: Pod) => [
    isEvicted(pod) ? "0" : "1",
    pod.metadata.creationTimestamp ?? "",
    pod.metadata.name ?? "",
  ];
  return terminatedPods
    .map((pod) => ({ pod, rank: rank(pod).join("\n") }))
    .sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
    .slice(0, count)
    .map(({ pod }) => pod);
}

/** Sets the phase before the deletion, because no kubelet will. */
function markFailedAndDeletePod(
  client: Client,
  pod: Pod,
  orphaned?: { readonly nodeGone: true; readonly nowMs: number },
): void {
  const { namespace = "", name = "", uid = "", generation } = pod.metadata;
  if (!isPodTerminated(pod)) {
    const condition: PodCondition = {
      type: "DisruptionTarget",
      ...(generation ? { observedGeneration: generation } : {}),
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    };
    const conditions = orphaned
      ? updatePodCondition(pod.status.conditions, condition, orphaned.nowMs)
      : pod.status.conditions;
    client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Failed", conditions } });
  }
  client.tryDelete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
}
