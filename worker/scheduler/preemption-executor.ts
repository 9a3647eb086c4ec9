// Evicts the victims of a preemption.
import type { Pod, PodCondition } from "../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../runtime/controller.ts";
import { updatePodCondition } from "../controllers/common/pod-condition.ts";
import type { Memory } from "./memory.ts";
import type { Cycle, PostFilterResult } from "./framework.ts";
import { schedulerName } from "./pending.ts";
import { withNomination } from "./nomination.ts";
import { handleSchedulingError } from "./failure-handler.ts";

export function prepareCandidate(
  cycle: Cycle,
  { nominatedNodeName, victims = [] }: PostFilterResult,
  context: ReconcileContext<Memory>,
): void {
  if (!nominatedNodeName || victims.length === 0) return;
  clearNominatedNodeNames(cycle, nominatedNodeName, context);
  for (const { namespace, name, uid } of victims) {
    const victim = context.client.get(pods, namespace, name);
    // The victim is being deleted already.
    if (!victim || victim.metadata.uid !== uid || victim.metadata.deletionTimestamp) continue;
    const note = `Preempted by pod ${cycle.pod.metadata.uid ?? ""} on node ${nominatedNodeName}`;
    if (cycle.snapshot.assumedNode(uid) !== undefined) {
      rejectAssumedPod(victim, context.memory, context);
      recordPreempted(victim, cycle.pod, `${note} (in kube-scheduler memory).`, context);
    } else if (preemptPod(victim, cycle.pod, context)) {
      recordPreempted(victim, cycle.pod, note, context);
    }
  }
}

/** Rejects a pod that is not bound yet: it returns to the queue and is not deleted. */
function rejectAssumedPod(victim: Pod, { queue, snapshot, preemptedAssumed }: Memory, context: ReconcileContext): void {
  const uid = victim.metadata.uid ?? "";
  preemptedAssumed.add(uid);
  snapshot?.forgetPod(uid);
  const entry = queue?.get(uid);
  if (entry) queue?.addAfterError(entry, context.nowMs);
  handleSchedulingError(victim, 'running PreBind plugin "VolumeBinding": binding volumes: context canceled', context);
}

function recordPreempted(victim: Pod, preemptor: Pod, note: string, { event }: ReconcileContext): void {
  event(victim, "Normal", "Preempted", note, { action: "Preempting", related: preemptor });
}

/** Clears the nomination of pods with a lower priority to the node. */
function clearNominatedNodeNames({ snapshot, info }: Cycle, nodeName: string, { client }: ReconcileContext): void {
  for (const { uid, namespace, name, priority } of snapshot.nominator.nominatedPodsForNode(nodeName)) {
    const pod = priority < info.priority ? client.get(pods, namespace, name) : undefined;
    if (pod?.metadata.uid !== uid) continue;
    client.updateStatus(pods, { ...pod, status: withNomination(pod.status, "") });
  }
}

/** Deletes a victim. Returns whether it is being deleted. */
function preemptPod(victim: Pod, preemptor: Pod, { client, nowMs }: ReconcileContext): boolean {
  const { namespace = "", name = "", generation } = victim.metadata;
  const condition: PodCondition = {
    type: "DisruptionTarget",
    ...(generation ? { observedGeneration: generation } : {}),
    status: "True",
    reason: "PreemptionByScheduler",
    message: `${preemptor.spec.schedulerName ?? schedulerName}: preempting to accommodate a higher priority pod`,
  };
  const conditions = updatePodCondition(victim.status.conditions, condition, nowMs);
  try {
    if (conditions !== victim.status.conditions) {
      client.updateStatus(pods, { ...victim, status: { ...victim.status, conditions } });
    }
    client.delete(pods, namespace, name);
    return true;
  } catch (error) {
    // The victim is gone or cannot be deleted. The next attempt of the preemptor handles that.
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
