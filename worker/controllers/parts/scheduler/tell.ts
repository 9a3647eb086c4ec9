// What is said of a pod that was tried in vain: an event, its condition, and the node that is kept for it.
import type { Pod, PodCondition } from "../../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { withPodCondition } from "../pod-condition.ts";
import { withNomination } from "./nomination.ts";
import type { Failure } from "./schedule.ts";

/** Upstream's `NoteLengthLimit`: an event says no more than this. */
const noteLength = 1024;

/** Something else than the nodes was the reason: no node is kept for the pod any more. */
export function tellError(tried: Pod, failure: string, context: ReconcileContext): void {
  tellFailure(tried, { failure, isError: true, afterwards: { message: "", nominate: "" } }, context);
}

/** Upstream's `handleSchedulingFailure`. */
export function tellFailure(
  tried: Pod,
  { failure, isError, afterwards }: Pick<Failure, "failure" | "isError" | "afterwards">,
  context: ReconcileContext,
): void {
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
