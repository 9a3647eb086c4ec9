// Reports a failed attempt: an event, the condition PodScheduled, and the nomination.
import type { Pod, PodCondition } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../runtime/controller.ts";
import { updatePodCondition } from "../controllers/common/pod-condition.ts";
import { withNomination } from "./nomination.ts";
import type { Failure } from "./schedule-pod.ts";

/** The maximum length of an event's note in characters. */
const noteLengthLimit = 1024;

/** Reports an attempt that failed for reasons other than the nodes. Clears the nomination. */
export function handleSchedulingError(tried: Pod, failure: string, context: ReconcileContext): void {
  handleSchedulingFailure(
    tried,
    { failure, isError: true, postFilterResult: { message: "", nominatedNodeName: "" } },
    context,
  );
}

export function handleSchedulingFailure(
  tried: Pod,
  { failure, isError, postFilterResult }: Pick<Failure, "failure" | "isError" | "postFilterResult">,
  context: ReconcileContext,
): void {
  const { client, nowMs, event } = context;
  const { namespace = "", name = "" } = tried.metadata;
  const pod = client.get(pods, namespace, name);
  if (!pod || pod.metadata.uid !== tried.metadata.uid || pod.spec.nodeName) return;
  const note = failure.length <= noteLengthLimit ? failure : `${failure.slice(0, noteLengthLimit - 4)} ...`;
  event(pod, "Warning", "FailedScheduling", note, { action: "Scheduling" });
  const { generation } = pod.metadata;
  const condition: PodCondition = {
    type: "PodScheduled",
    ...(generation ? { observedGeneration: generation } : {}),
    status: "False",
    reason: isError ? "SchedulerError" : "Unschedulable",
    message: failure,
  };
  const conditions = updatePodCondition(pod.status.conditions, condition, nowMs);
  const status = withNomination(pod.status, postFilterResult.nominatedNodeName);
  const isSame = conditions === pod.status.conditions && status.nominatedNodeName === pod.status.nominatedNodeName;
  if (!isSame) client.updateStatus(pods, { ...pod, status: { ...status, conditions } });
}
