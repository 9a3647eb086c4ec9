// Makes the room that was found for a pod of more importance (upstream: the preemption's `Executor`).
import type { Pod, PodCondition } from "../../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { pods } from "../../../kinds/pods.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { withPodCondition } from "../pod-condition.ts";
import type { Cycle } from "./plugin.ts";
import { schedulerName } from "./pending.ts";
import type { Afterwards } from "./post-filter.ts";
import { withNomination } from "./nomination.ts";

export function evict(cycle: Cycle, { nominate, victims = [] }: Afterwards, context: ReconcileContext): void {
  if (!nominate || victims.length === 0) return;
  clearNominations(cycle, nominate, context);
  for (const { namespace, name, uid } of victims) {
    const victim = context.client.get(pods, namespace, name);
    // One that is going already needs no more asking.
    if (victim && victim.metadata.uid === uid && !victim.metadata.deletionTimestamp) {
      preemptPod(victim, cycle.pod, nominate, context);
    }
  }
}

/** Pods of less importance that the node was kept for have to look again. */
function clearNominations({ snapshot, info }: Cycle, nodeName: string, { client }: ReconcileContext): void {
  for (const { uid, namespace, name, priority } of snapshot.nominatedOn(nodeName)) {
    const pod = priority < info.priority ? client.get(pods, namespace, name) : undefined;
    if (pod?.metadata.uid !== uid) continue;
    client.updateStatus(pods, { ...pod, status: withNomination(pod.status, "") });
  }
}

function preemptPod(victim: Pod, preemptor: Pod, nodeName: string, { client, nowMs, event }: ReconcileContext): void {
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
  } catch (error) {
    // Gone meanwhile, or held by something: the preemptor's next try finds out.
    if (!(error instanceof ApiError)) throw error;
    return;
  }
  const note = `Preempted by pod ${preemptor.metadata.uid ?? ""} on node ${nodeName}`;
  event(victim, "Normal", "Preempted", note, { action: "Preempting", related: preemptor });
}
