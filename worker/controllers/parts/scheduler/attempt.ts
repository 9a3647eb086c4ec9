// One try to place one pod, and everything that is written about it (upstream: `ScheduleOne`).
import type { PodCondition } from "../../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { pods } from "../../../kinds/pods.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { withPodCondition } from "../pod-condition.ts";
import { recordOf } from "./attempt-log.ts";
import { type Memory, wakerOf } from "./memory.ts";
import { deallocate } from "./bind-claims.ts";
import { evict } from "./evict.ts";
import { withNomination } from "./nomination.ts";
import { isPending } from "./pending.ts";
import type { Cycle } from "./plugin.ts";
import { plugins } from "./plugins.ts";
import { prepareNode } from "./pre-bind.ts";
import type { Entry } from "./queue-entry.ts";
import { type Failure, schedule } from "./schedule.ts";
import { refusalOf, filtersOf } from "./filters.ts";

/** Upstream's `NoteLengthLimit`: an event says no more than this. */
const noteLength = 1024;

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
  tell(cycle, outcome, context);
  evict(cycle, outcome.afterwards, context);
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
    const failure = `running ${step}: ${error.message}`;
    const nothing = { nodeCount: 0, refusals: [], rejectors: new Set<string>() };
    return tell(
      cycle,
      { failure, isError: true, diagnosis: nothing, afterwards: { message: "", nominate: "" } },
      context,
    );
  }
  memory.queue.remove(uid);
  const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  event(pod, "Normal", "Scheduled", note, { action: "Binding" });
}

/** Upstream's `handleSchedulingFailure`. */
function tell({ pod: tried }: Cycle, { failure, isError, afterwards }: Failure, context: ReconcileContext): void {
  const { client, nowMs, event } = context;
  const { namespace = "", name = "" } = tried.metadata;
  const pod = client.get(pods, namespace, name);
  if (!pod || pod.metadata.uid !== tried.metadata.uid || pod.spec.nodeName) return;
  const note = failure.length <= noteLength ? failure : `${failure.slice(0, noteLength - 4)} ...`;
  event(pod, "Warning", "FailedScheduling", note, { action: "Scheduling" });
  const { generation } = pod.metadata;
  const condition: PodCondition = {
    type: "PodScheduled",
    ...(generation ? { observedGeneration: generation } : {}),
    status: "False",
    reason: isError ? "SchedulerError" : "Unschedulable",
    message: failure,
  };
  const conditions = withPodCondition(pod.status.conditions, condition, nowMs);
  const status = withNomination(pod.status, afterwards.nominate);
  const isSame = conditions === pod.status.conditions && status.nominatedNodeName === pod.status.nominatedNodeName;
  if (!isSame) client.updateStatus(pods, { ...pod, status: { ...status, conditions } });
}
