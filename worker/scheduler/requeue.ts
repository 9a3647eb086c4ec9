// Moves unschedulable pods to the active or the backoff queue when an event may make them schedulable.
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import type { Request } from "../runtime/controller.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import { failureOf } from "./pending.ts";
import { noNodesMessage } from "./fit-error.ts";
import type { Cycle, Plugin } from "./framework.ts";
import { plugins as profile } from "./plugins/catalogue.ts";
import type { SchedulingQueue, QueuedPodInfo } from "./queue.ts";

export interface Requeuing {
  readonly queue: SchedulingQueue;
  readonly client: Client;
  cycleOf(pod: Cycle["pod"]): Cycle;
}

/** Moves pods and yields their requests. Pods above `maxPriority` are not moved. */
export function* moveAllToActiveOrBackoffQueue(
  requeuing: Requeuing,
  event: ClusterEvent,
  maxPriority = Number.POSITIVE_INFINITY,
): Generator<Request> {
  const plugins = pluginsRegisteredFor(event);
  const isFirstNode = event.resource === "Node" && event.names.includes("Node/Add");
  if (plugins.length === 0 && !isFirstNode) return;
  for (const entry of requeuing.queue.unschedulablePods()) {
    if (entry.priority <= maxPriority && isPodWorthRequeuing(requeuing, entry, event, plugins))
      yield* moveToActiveOrBackoffQueue(requeuing, entry);
  }
}

/** Moves a pod for an event of the pod itself. */
export function* movePodOnEvent(requeuing: Requeuing, entry: QueuedPodInfo, event: ClusterEvent): Generator<Request> {
  if (entry.place === "unschedulable" && isPodWorthRequeuing(requeuing, entry, event, pluginsRegisteredFor(event)))
    yield* moveToActiveOrBackoffQueue(requeuing, entry);
}

/** Returns the plugin that gates the pod, if any. */
export function runPreEnqueuePlugins(cycle: Cycle): string | undefined {
  return profile.find(({ preEnqueue }) => preEnqueue?.(cycle) === false)?.name;
}

/** Moves a pod. A pod that a PreEnqueue plugin rejects stays unschedulable, gated by that plugin. */
function* moveToActiveOrBackoffQueue({ queue, client, cycleOf }: Requeuing, entry: QueuedPodInfo): Generator<Request> {
  const pod = client.get(pods, entry.namespace, entry.name);
  const gatingPlugin = pod && runPreEnqueuePlugins(cycleOf(pod));
  if (gatingPlugin !== undefined) {
    entry.gatingPlugin = gatingPlugin;
    return;
  }
  queue.moveToActiveOrBackoffQueue(entry);
  yield { namespace: entry.namespace, name: entry.name };
}

function pluginsRegisteredFor({ names }: ClusterEvent): readonly Plugin[] {
  return profile.filter(({ eventsToRegister }) => eventsToRegister?.some((eventName) => names.includes(eventName)));
}

function isPodWorthRequeuing(
  { client, cycleOf }: Requeuing,
  entry: QueuedPodInfo,
  event: ClusterEvent,
  plugins: readonly Plugin[],
): boolean {
  const registered = plugins.filter(({ name }) =>
    entry.gatingPlugin === undefined ? (entry.unschedulablePlugins?.has(name) ?? true) : entry.gatingPlugin === name,
  );
  const isFirstNode = event.resource === "Node" && event.oldObj === undefined && entry.gatingPlugin === undefined;
  if (registered.length === 0 && !isFirstNode) return false;
  const pod = client.get(pods, entry.namespace, entry.name);
  if (!pod || pod.metadata.uid !== entry.uid) return false;
  if (isFirstNode && failureOf(pod) === noNodesMessage) return true;
  const cycle = cycleOf(pod);
  return registered.some(({ queueingHint }) => !queueingHint || queueingHint(cycle, event));
}
