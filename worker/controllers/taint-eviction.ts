// The taint eviction controller: deletes pods that do not tolerate a NoExecute taint of their node, or no longer.
import type { Node, Pod, Taint, Toleration } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import {
  type ReconcileContext,
  type Request,
  defineController,
  mapFormat,
  requestOf,
  watch,
} from "../runtime/controller.ts";
import { updatePodCondition } from "./common/pod-condition.ts";
import { tolerates } from "./common/tolerations.ts";

interface Memory {
  /** The times, in milliseconds by uid, since which pods are on a node that they must leave. Losing it only delays evictions. */
  readonly since: Map<string, number>;
}

export const taintEvictionController = defineController({
  name: "taint-eviction-controller",
  component: "taint-eviction-controller",
  memory: (): Memory => ({ since: new Map() }),
  memoryFormat: mapFormat(({ since }: Memory) => since),
  watches: [
    watch<Node>(nodes, function* (next, previous, client): Generator<Request> {
      if (!next || semanticEqual(executing(next), previous ? executing(previous) : [])) return;
      for (const pod of client.byIndexValue(pods, next.metadata.name ?? "")) yield requestOf(pod);
    }),
    watch<Pod, Memory>(pods, function* (next, previous, client, { since }): Generator<Request> {
      if (!next) since.delete(previous?.metadata.uid ?? "");
      else if (next.spec.nodeName && isMoved(next, previous) && taintsOver(next, client).length > 0) {
        yield requestOf(next);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const pod = context.client.get(pods, namespace, name);
    if (!pod?.spec.nodeName || pod.metadata.deletionTimestamp) return undefined;
    const { since } = context.memory;
    const uid = pod.metadata.uid ?? "";
    const toleratedMs = minTolerationTimeMs(pod.spec.tolerations ?? [], taintsOver(pod, context.client));
    if (toleratedMs === Number.POSITIVE_INFINITY) {
      if (since.delete(uid)) {
        const message = `Cancelling deletion of Pod ${namespace}/${name}`;
        context.event(pod, "Normal", "TaintManagerEviction", message);
      }
      return undefined;
    }
    const startMs = since.get(uid) ?? startOf(pod, context);
    since.set(uid, startMs);
    const leftMs = startMs + toleratedMs - context.nowMs;
    if (leftMs > 0) return { afterMs: leftMs };
    evict(pod, context);
    return undefined;
  },
});

function executing({ spec }: Node): readonly Taint[] {
  return (spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

function isMoved(next: Pod, previous: Pod | undefined): boolean {
  if (next.spec.nodeName !== previous?.spec.nodeName) return true;
  return !semanticEqual(next.spec.tolerations, previous?.spec.tolerations);
}

function taintsOver({ spec }: Pod, client: Client): readonly Taint[] {
  const node = client.get(nodes, "", spec.nodeName ?? "");
  return node ? executing(node) : [];
}

/** Returns the minimum of the used tolerations: 0 if there is none, Infinity if none has seconds. */
function minTolerationTimeMs(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  if (taints.length === 0) return Number.POSITIVE_INFINITY;
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates([toleration], taint)));
  if (used.includes(undefined)) return 0;
  const seconds = used.flatMap((toleration) => toleration?.tolerationSeconds ?? []);
  return Math.max(Math.min(...seconds), 0) * 1000;
}

/**
 * Returns when the first of the taints was added, but not before the pod was bound. A taint without a time is as old as the node's last
 * change.
 */
function startOf(pod: Pod, { client, nowMs }: ReconcileContext): number {
  const fields = client.get(nodes, "", pod.spec.nodeName ?? "")?.metadata.managedFields ?? [];
  const changes = fields.flatMap(({ subresource, time }) => (subresource || !time ? [] : [parseTime(time)]));
  const changedMs = changes.length > 0 ? Math.max(...changes) : nowMs;
  const added = taintsOver(pod, client).map(({ timeAdded }) => (timeAdded ? parseTime(timeAdded) : changedMs));
  const scheduled = pod.status.conditions?.find(({ type }) => type === "PodScheduled")?.lastTransitionTime;
  return Math.max(Math.min(...added), scheduled ? parseTime(scheduled) : 0);
}

function evict(pod: Pod, { client, nowMs, event, memory }: ReconcileContext<Memory>): void {
  const { namespace = "", name = "", uid = "", generation } = pod.metadata;
  event(pod, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`);
  const condition = {
    type: "DisruptionTarget",
    ...(generation ? { observedGeneration: generation } : {}),
    status: "True" as const,
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  };
  const conditions = [...updatePodCondition(pod.status.conditions, condition, nowMs)];
  client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } });
  client.tryDelete(pods, namespace, name, { uid });
  memory.since.delete(uid);
}
