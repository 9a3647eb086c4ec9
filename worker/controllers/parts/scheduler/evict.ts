// Makes the room that was found for a pod of more importance (upstream: the preemption's `Executor`).
import type { Pod, PodCondition } from "../../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { withPodCondition } from "../pod-condition.ts";
import type { Memory } from "./memory.ts";
import type { Cycle } from "./plugin.ts";
import { schedulerName } from "./pending.ts";
import type { Afterwards } from "./post-filter.ts";
import { withNomination } from "./nomination.ts";
import { tellError } from "./tell.ts";

export function evict(
  cycle: Cycle,
  { nominate, victims = [] }: Afterwards,
  memory: Memory,
  context: ReconcileContext,
): void {
  if (!nominate || victims.length === 0) return;
  clearNominations(cycle, nominate, context);
  for (const { namespace, name, uid } of victims) {
    const victim = context.client.get(pods, namespace, name);
    // One that is going already needs no more asking.
    if (!victim || victim.metadata.uid !== uid || victim.metadata.deletionTimestamp) continue;
    const note = `Preempted by pod ${cycle.pod.metadata.uid ?? ""} on node ${nominate}`;
    if (cycle.snapshot.assumedNode(uid) !== undefined) {
      release(victim, memory, context);
      told(victim, cycle.pod, `${note} (in kube-scheduler memory).`, context);
    } else if (preemptPod(victim, cycle.pod, context)) {
      told(victim, cycle.pod, note, context);
    }
  }
}

/** A pod that is not bound yet need not be deleted: it looks for another node. */
function release(victim: Pod, { queue, snapshot, released }: Memory, context: ReconcileContext): void {
  const uid = victim.metadata.uid ?? "";
  released.add(uid);
  snapshot?.forget(uid);
  const entry = queue.get(uid);
  if (entry) queue.failed(entry, context.nowMs);
  tellError(victim, 'running PreBind plugin "VolumeBinding": binding volumes: context canceled', context);
}

function told(victim: Pod, preemptor: Pod, note: string, { event }: ReconcileContext): void {
  event(victim, "Normal", "Preempted", note, { action: "Preempting", related: preemptor });
}

/** Pods of less importance that the node was kept for have to look again. */
function clearNominations({ snapshot, info }: Cycle, nodeName: string, { client }: ReconcileContext): void {
  for (const { uid, namespace, name, priority } of snapshot.nominatedOn(nodeName)) {
    const pod = priority < info.priority ? client.get(pods, namespace, name) : undefined;
    if (pod?.metadata.uid !== uid) continue;
    client.updateStatus(pods, { ...pod, status: withNomination(pod.status, "") });
  }
}

/** Whether it has been asked to go. */
function preemptPod(victim: Pod, preemptor: Pod, { client, nowMs }: ReconcileContext): boolean {
  const { namespace = "", name = "", generation } = victim.metadata;
  const condition: PodCondition = {
    type: "DisruptionTarget",
    ...(generation ? { observedGeneration: generation } : {}),
    status: "True",
    reason: "PreemptionByScheduler",
    message: `${preemptor.spec.schedulerName ?? schedulerName}: preempting to accommodate a higher priority pod`,
  };
  const conditions = withPodCondition(victim.status.conditions, condition, nowMs);
  try {
    if (conditions !== victim.status.conditions) {
      client.updateStatus(pods, { ...victim, status: { ...victim.status, conditions } });
    }
    client.delete(pods, namespace, name);
    return true;
  } catch (error) {
    // Gone meanwhile, or held by something: the preemptor's next try finds out.
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
