// The simulated kubelet: runs the pods that are bound to simulated nodes, by moving each along the stages of its life.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../kinds/nodes.ts";
import { pods } from "../kinds/pods.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  type Result,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";
import { type Delays, defaultDelays, type KubeletOptions } from "./options.ts";
import type { LifeEvent, NodeView } from "./life.ts";
import { type NodeMemories, nodeView } from "./network/node-memory.ts";
import { isSimulated } from "./parts/simulated.ts";
import { stepPod } from "./step.ts";

export { defaultDelays, zeroDelays } from "./options.ts";

/** One controller runs the pods of all simulated nodes. What it keeps in memory belongs to the cluster whose client it is given. */
export function kubelet(options: KubeletOptions = {}): Controller {
  const delays: Delays = { ...defaultDelays, ...options };
  const memories = new WeakMap<ReconcileContext["client"], NodeMemories>();
  return defineController({
    name: "kubelet",
    user: "system:node:sandbar",
    component: "kubelet",
    watches: [
      self(pods, (next) => next?.spec.nodeName !== undefined),
      // A node that becomes able to run pods may have some bound to it already.
      watch(nodes, function* (next, previous, client) {
        if (!next || !isAble(next) || (previous && isAble(previous))) return;
        for (const pod of client.byFacet(pods, next.metadata.name ?? "")) yield requestOf(pod);
      }),
    ],
    reconcile({ namespace, name }, context) {
      const pod = context.client.get(pods, namespace, name);
      if (!pod?.spec.nodeName) return undefined;
      const node = context.client.get(nodes, "", pod.spec.nodeName);
      if (!node || !isAble(node)) return undefined;
      const kept = memories.get(context.client) ?? new Map();
      memories.set(context.client, kept);
      return run(pod, nodeView(kept, context.client, node), delays, context);
    },
  });
}

/** A simulated node that has addresses to give. */
function isAble(node: Node): boolean {
  return isSimulated(node) && node.spec.podCIDR !== undefined && (node.status.addresses?.length ?? 0) > 0;
}

function run(pod: Pod, node: NodeView, delays: Delays, context: ReconcileContext): Result | undefined {
  const { client, nowMs } = context;
  const { status, events, nextMs, finished } = stepPod(pod, node, delays, nowMs);
  const written = status ? client.updateStatus(pods, { ...pod, status }) : pod;
  for (const event of events) tell(written, node, event, context);
  if (finished) {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    client.tryDelete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
    return undefined;
  }
  return nextMs === undefined ? undefined : { afterMs: nextMs - nowMs };
}

function tell(
  pod: Pod,
  node: NodeView,
  { type, reason, message, container }: LifeEvent,
  context: ReconcileContext,
): void {
  const list = container?.role === "main" ? "containers" : "initContainers";
  const fieldPath = container && `spec.${list}{${container.spec.name}}`;
  context.event(pod, type, reason, message, { host: node.name, ...(fieldPath ? { fieldPath } : {}) });
}
