// One attempt to schedule one pod: selects a node, binds the pod or reports the failure, and requeues it.
import { ApiError } from "../../shared/k8s/status.ts";
import { TooMuchWork, type WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../runtime/controller.ts";
import { recordOf } from "./attempt-log.ts";
import { handleSchedulingError, handleSchedulingFailure } from "./failure-handler.ts";
import { runFilterPluginsWithNominatedPods, runPreFilterPlugins } from "./filters.ts";
import type { Cycle } from "./framework.ts";
import { type Memory, newCycle, queueOf } from "./memory.ts";
import { withNomination } from "./nomination.ts";
import { isPending } from "./pending.ts";
import { plugins } from "./plugins/catalogue.ts";
import { deallocate } from "./plugins/dynamicresources/pre-bind.ts";
import { prepareCandidate } from "./preemption-executor.ts";
import type { QueuedPodInfo } from "./queue.ts";
import { schedulePod } from "./schedule-pod.ts";

export function scheduleOne(entry: QueuedPodInfo, context: ReconcileContext<Memory>): void {
  const { client, nowMs, random, memory } = context;
  const queue = queueOf(memory, client);
  const pod = client.get(pods, entry.namespace, entry.name);
  if (!pod || pod.metadata.uid !== entry.uid || !isPending(pod)) return queue.remove(entry.uid);
  const cycle = newCycle(pod, memory, client);
  const outcome = withinBounds(client.meter, () => {
    const chosen = assumedNode(cycle);
    return chosen === undefined ? schedulePod(cycle, plugins, random, nowMs) : { assumed: chosen };
  });
  if (outcome instanceof TooMuchWork) {
    queue.addAfterError(entry, nowMs);
    return handleSchedulingError(pod, `placing the pod: ${outcome.message}`, context);
  }
  if ("assumed" in outcome) return bind(entry, cycle, outcome.assumed, context);
  memory.log.add(entry.uid, recordOf(outcome, cycle.snapshot.nodeInfoList.length, nowMs));
  if ("node" in outcome) return bind(entry, cycle, outcome.node, context);
  if (outcome.isError) queue.addAfterError(entry, nowMs);
  else queue.addUnschedulable(entry, outcome.diagnosis.unschedulablePlugins, nowMs);
  const idle = outcome.postFilterResult.deallocate;
  if (idle) deallocate(idle, context);
  try {
    handleSchedulingFailure(pod, outcome, context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // No event could move the pod, so it is tried again to report the reason.
    return queue.addAfterError(entry, nowMs);
  }
  prepareCandidate(cycle, outcome.postFilterResult, context);
}

/** Runs an attempt within the work budget. A pod may have so many requirements that no turn could complete it. */
function withinBounds<T>(meter: WorkMeter, attempt: () => T): T | TooMuchWork {
  try {
    return meter.within(attempt);
  } catch (error) {
    if (error instanceof TooMuchWork) return error;
    throw error;
  }
}

/** Returns the node on which the pod waits for its PreBind, if the node still fits. */
function assumedNode(cycle: Cycle): string | undefined {
  const { snapshot, info } = cycle;
  const name = snapshot.assumedNode(info.uid);
  const node = name === undefined ? undefined : snapshot.node(name);
  snapshot.forgetPod(info.uid);
  return node && !runFilterPluginsWithNominatedPods(cycle, runPreFilterPlugins(cycle, plugins), node)
    ? node.name
    : undefined;
}

function bind(entry: QueuedPodInfo, cycle: Cycle, nodeName: string, context: ReconcileContext<Memory>): void {
  const { client, nowMs, event, memory } = context;
  const queue = queueOf(memory, client);
  const { namespace, name, uid } = entry;
  const { snapshot, pod, info } = cycle;
  let step = "";
  try {
    const pending = new Set<string>();
    for (const [at, { plugin, preBind }] of preBindsFor(cycle, nodeName).entries()) {
      step = `PreBind plugin "${plugin}"`;
      if (at === 0) nominate(cycle, nodeName, context);
      if (!preBind(context)) pending.add(plugin);
    }
    if (pending.size > 0) {
      snapshot.assumePod(info, nodeName);
      return queue.addWaitingForPreBind(entry, pending, nowMs);
    }
    step = 'Bind plugin "DefaultBinder"';
    client.bind(namespace, name, uid, nodeName);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    queue.addAfterError(entry, nowMs);
    return handleSchedulingError(pod, `running ${step}: ${error.message}`, context);
  }
  queue.remove(uid);
  const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  event(pod, "Normal", "Scheduled", note, { action: "Binding" });
}

/** Returns the PreBind functions of the plugins. */
function preBindsFor(cycle: Cycle, nodeName: string) {
  const node = cycle.snapshot.node(nodeName);
  return plugins.flatMap((plugin) => {
    const preBind = node && plugin.preBind?.(cycle, node);
    return preBind ? [{ plugin: plugin.name, preBind }] : [];
  });
}

/** Sets the nomination, so that other components see the node before the pod is bound. */
function nominate({ pod }: Cycle, nodeName: string, { client }: ReconcileContext): void {
  if (pod.status.nominatedNodeName === nodeName) return;
  client.updateStatus(pods, { ...pod, status: withNomination(pod.status, nodeName) });
}
