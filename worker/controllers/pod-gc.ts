// The pod garbage collector: pods of nodes that are gone, terminated pods past the threshold, and pods that were deleted
// before they had a node.
import type { Node, Pod, PodCondition } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { type Request, type Result, defineController, requestOf, watch } from "../runtime/controller.ts";
import { updatePodCondition } from "./common/pod-condition.ts";

/** kube-controller-manager's `--terminated-pod-gc-threshold`. */
const terminatedPodThreshold = 12_500;
/** A node may be registered again in this time. */
const quarantineTimeMs = 40_000;
/** One request stands for all terminated pods. No namespace or node is called so. */
const terminated: Request = { namespace: "", name: "*" };

interface Memory {
  /** Since when a node with pods is known to be absent, in ms. After an eviction the quarantine begins anew. */
  readonly absentSince: Map<string, number>;
  /** The uids of terminated pods, once counted. */
  terminatedPods: Set<string> | undefined;
}

export const podGcController = defineController({
  name: "pod-garbage-collector-controller",
  user: "system:serviceaccount:kube-system:pod-garbage-collector",
  component: "pod-garbage-collector-controller",
  memory: (): Memory => ({ absentSince: new Map(), terminatedPods: undefined }),
  watches: [
    watch<Node, Memory>(nodes, function* (next, previous, _client, { absentSince }) {
      const name = (next ?? previous)?.metadata.name ?? "";
      if (next) absentSince.delete(name);
      // A request without a namespace names a node.
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
      // Most changes of a pod are its kubelet's, and none of this controller's.
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
  { terminatedPods: known }: Memory,
): Generator<Request> {
  const uid = (next ?? previous)?.metadata.uid ?? "";
  if (!next || !isPodTerminated(next)) {
    known?.delete(uid);
    return;
  }
  if (previous && isPodTerminated(previous)) return;
  known?.add(uid);
  // After waking the count is not known: where there may be too many, one look at all pods brings it back.
  if ((known?.size ?? client.count(pods)) > terminatedPodThreshold) yield terminated;
}

function gcUnscheduledTerminating(client: Client, namespace: string, name: string): undefined {
  const pod = client.get(pods, namespace, name);
  if (pod?.metadata.deletionTimestamp && !pod.spec.nodeName) markFailedAndDeletePod(client, pod);
}

function gcTerminated(client: Client, memory: Memory): undefined {
  const found: Pod[] = [];
  for (const pod of client.each(pods)) if (isPodTerminated(pod)) found.push(pod);
  memory.terminatedPods = new Set(found.map((pod) => pod.metadata.uid ?? ""));
  for (const pod of oldestTerminated(found, found.length - terminatedPodThreshold)) markFailedAndDeletePod(client, pod);
}

/** The pods of one node: those that are orphaned, or terminating where the node is out of service. */
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

/** Not ready and tainted so by a person: its pods will not end by themselves. */
function isOutOfService(node: Node): boolean {
  const isReady = node.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return !isReady && (node.spec.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false);
}

/** The first `count`: evicted ones first, then by age. */
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

/** Nobody else would end such a pod, so its phase is set first. */
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
