// One try to place one pod, and everything that is written about it (upstream: `ScheduleOne`).
import { ApiError } from "../../../../shared/k8s/status.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { recordOf } from "./attempt-log.ts";
import { type Memory, wakerOf } from "./memory.ts";
import { deallocate } from "./bind-claims.ts";
import { evict } from "./evict.ts";
import { isPending } from "./pending.ts";
import type { Cycle } from "./plugin.ts";
import { plugins } from "./plugins.ts";
import { prepareNode } from "./pre-bind.ts";
import type { Entry } from "./queue-entry.ts";
import { schedule } from "./schedule.ts";
import { tellError, tellFailure } from "./tell.ts";
import { refusalOf, filtersOf } from "./filters.ts";

export function attempt(entry: Entry, memory: Memory, context: ReconcileContext): void {
  const { client, nowMs, random } = context;
  const { queue } = memory;
  const pod = client.get(pods, entry.namespace, entry.name);
  if (!pod || pod.metadata.uid !== entry.uid || !isPending(pod)) return queue.remove(entry.uid);
  const cycle = wakerOf(memory, client).cycleOf(pod);
  const chosen = keptNode(cycle);
  if (chosen !== undefined) return bind(entry, memory, cycle, chosen, context);
  const outcome = schedule(cycle, plugins, random, nowMs);
  memory.log.add(entry.uid, recordOf(outcome, cycle.snapshot.order.length, nowMs));
  if ("node" in outcome) return bind(entry, memory, cycle, outcome.node, context);
  if (outcome.isError) queue.failed(entry, nowMs);
  else queue.refused(entry, outcome.diagnosis.rejectors, nowMs);
  const idle = outcome.afterwards.deallocate;
  if (idle) deallocate(idle, context);
  try {
    tellFailure(pod, outcome, context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Nothing may ever wake the pod: it is tried again, so that the reason is told.
    return queue.failed(entry, nowMs);
  }
  evict(cycle, outcome.afterwards, memory, context);
}

/** The node on which what the pod needs is being made ready, if it will still do. */
function keptNode(cycle: Cycle): string | undefined {
  const { snapshot, info } = cycle;
  const name = snapshot.assumedNode(info.uid);
  const node = name === undefined ? undefined : snapshot.node(name);
  snapshot.forget(info.uid);
  return node && !refusalOf(cycle, filtersOf(cycle, plugins), node) ? node.name : undefined;
}

function bind(entry: Entry, memory: Memory, cycle: Cycle, nodeName: string, context: ReconcileContext): void {
  const { client, nowMs, event } = context;
  const { namespace, name, uid } = entry;
  const { snapshot, pod, info } = cycle;
  let step = `PreBind plugin "${pod.spec.resourceClaims ? "DynamicResources" : "VolumeBinding"}"`;
  try {
    const pending = prepareNode(cycle, nodeName, context);
    if (pending.size > 0) {
      snapshot.assume(info, nodeName);
      return memory.queue.parked(entry, pending, nowMs);
    }
    step = 'Bind plugin "DefaultBinder"';
    client.bind(namespace, name, uid, nodeName);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    memory.queue.failed(entry, nowMs);
    return tellError(pod, `running ${step}: ${error.message}`, context);
  }
  memory.queue.remove(uid);
  const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  event(pod, "Normal", "Scheduled", note, { action: "Binding" });
}
