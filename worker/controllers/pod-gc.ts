// The pod garbage collector: pods of nodes that are gone, terminated pods past the threshold, and pods that were deleted
// before they had a node.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import { type Request, type Result, defineController, requestOf, watch } from "../runtime/controller.ts";
import { forcePodDeletion, isOutOfService, isTerminated, oldestTerminated } from "./parts/pod-garbage.ts";

/** Upstream's `--terminated-pod-gc-threshold`. */
const terminatedPodThreshold = 12_500;
/** Upstream's `quarantineTime`: a node may be registered again. */
const quarantineMs = 40_000;
/** One request stands for all terminated pods. No namespace or node is called so. */
const terminated: Request = { namespace: "", name: "*" };

/** Since when a node with pods is known to be absent. Only in memory: after an eviction the quarantine begins anew. */
const absentSince = new WeakMap<Client, Map<string, number>>();
/** How many terminated pods there are, once counted. */
const terminatedPods = new WeakMap<Client, Set<string>>();

export const podGcController = defineController({
  name: "pod-garbage-collector-controller",
  user: "system:serviceaccount:kube-system:pod-garbage-collector",
  component: "pod-garbage-collector-controller",
  watches: [
    watch<Node>(nodes, function* (next, previous, client) {
      const name = (next ?? previous)?.metadata.name ?? "";
      if (next) absentSince.get(client)?.delete(name);
      // A request without a namespace names a node.
      if (!next || isOutOfService(next)) yield { namespace: "", name };
    }),
    watch<Pod>(pods, function* (next, previous, client) {
      yield* countTerminated(next, previous, client);
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
  reconcile({ namespace, name }, { client, nowMs }) {
    if (namespace !== "") return collectUnscheduled(client, namespace, name);
    if (name === terminated.name) return collectTerminated(client);
    return collectOfNode(client, name, nowMs);
  },
});

function* countTerminated(next: Pod | undefined, previous: Pod | undefined, client: Client): Generator<Request> {
  const known = terminatedPods.get(client);
  const uid = (next ?? previous)?.metadata.uid ?? "";
  if (!next || !isTerminated(next)) {
    known?.delete(uid);
    return;
  }
  if (previous && isTerminated(previous)) return;
  known?.add(uid);
  // After waking the count is not known: where there may be too many, one look at all pods brings it back.
  if ((known?.size ?? client.count(pods)) > terminatedPodThreshold) yield terminated;
}

/** Upstream's `gcUnscheduledTerminating`. */
function collectUnscheduled(client: Client, namespace: string, name: string): undefined {
  const pod = client.get(pods, namespace, name);
  if (pod?.metadata.deletionTimestamp && !pod.spec.nodeName) forcePodDeletion(client, pod);
}

/** Upstream's `gcTerminated`. */
function collectTerminated(client: Client): undefined {
  const found: Pod[] = [];
  for (const pod of client.each(pods)) if (isTerminated(pod)) found.push(pod);
  terminatedPods.set(client, new Set(found.map((pod) => pod.metadata.uid ?? "")));
  for (const pod of oldestTerminated(found, found.length - terminatedPodThreshold)) forcePodDeletion(client, pod);
}

/** Upstream's `gcOrphaned` and `gcTerminating`, for one node. */
function collectOfNode(client: Client, name: string, nowMs: number): Result | undefined {
  const bound = client.byIndexValue(pods, name);
  const node = client.get(nodes, "", name);
  if (node) {
    if (!isOutOfService(node)) return undefined;
    for (const pod of bound) if (pod.metadata.deletionTimestamp) forcePodDeletion(client, pod);
    return undefined;
  }
  if (bound.length === 0) return undefined;
  const absent = absentSince.get(client) ?? new Map<string, number>();
  absentSince.set(client, absent);
  const sinceMs = absent.get(name) ?? nowMs;
  absent.set(name, sinceMs);
  const leftMs = sinceMs + quarantineMs - nowMs;
  if (leftMs > 0) return { afterMs: leftMs };
  for (const pod of bound) forcePodDeletion(client, pod, { nodeGone: true, nowMs });
  absent.delete(name);
  return undefined;
}
