// The status of an object in one word, with a tone. Words of Kubernetes (types and reasons of conditions) stay English; our own words are
// texts, which can be translated.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../shared/k8s/api/batch-v1.ts";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { type PodSummary, isFinished } from "../../shared/k8s/pod-summary.ts";
import { texts as all } from "../messages/status.ts";

const texts = all.status;

/** The tone: `ok` is healthy, `busy` in progress, `bad` needs attention, `idle` has nothing to do. */
export type Tone = "ok" | "busy" | "bad" | "idle";

export interface Status {
  readonly text: string;
  readonly tone: Tone;
}

/** Matches the reasons of `kubectl get pods` that need attention. `Err` also stands in `Error`. */
export const troubled =
  /BackOff|Err|Failed|Invalid|CannotRun|OOMKilled|Evicted|Killed|ExitCode|Signal:|Deadline|NodeLost|Unknown/;

export function podStatus(pod: Pod, { ready, total, reason }: PodSummary): Status {
  if (pod.metadata.deletionTimestamp) return { text: reason, tone: reason === "Terminating" ? "busy" : "idle" };
  if (troubled.test(reason) || pod.status.phase === "Failed") return { text: reason, tone: "bad" };
  if (isFinished(pod)) return { text: reason, tone: "idle" };
  if (reason === "Running") return { text: reason, tone: ready >= total ? "ok" : "busy" };
  return { text: reason || "Pending", tone: isUnschedulable(pod) ? "bad" : "busy" };
}

export function deploymentStatus({ metadata, spec, status }: Deployment): Status {
  const desired = spec.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const progressing = status.conditions?.find(({ type }) => type === "Progressing");
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  if (spec.paused) return { text: texts.paused, tone: "idle" };
  if (progressing?.reason === "ProgressDeadlineExceeded") return { text: texts.stalled, tone: "bad" };
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (!isObserved || updatedReplicas < desired || replicas > updatedReplicas)
    return { text: texts.rollingOut, tone: "busy" };
  if (desired === 0) return { text: texts.scaledToZero, tone: "idle" };
  return availableReplicas >= desired ? { text: "Available", tone: "ok" } : { text: texts.starting, tone: "busy" };
}

export function replicaSetStatus({ metadata, spec, status }: ReplicaSet): Status {
  const desired = spec.replicas ?? 1;
  const { replicas, readyReplicas = 0 } = status;
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  if (replicas > desired) return { text: texts.scalingDown, tone: "busy" };
  if (replicas < desired) return { text: texts.scalingUp, tone: "busy" };
  if (desired === 0) return { text: texts.scaledToZero, tone: "idle" };
  return readyReplicas >= desired ? { text: "Ready", tone: "ok" } : { text: texts.starting, tone: "busy" };
}

export function statefulSetStatus({ metadata, spec, status }: StatefulSet): Status {
  const desired = spec.replicas ?? 1;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status ?? {};
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  if (replicas > desired) return { text: texts.scalingDown, tone: "busy" };
  if (desired === 0) return { text: texts.scaledToZero, tone: "idle" };
  const isOld = updateRevision !== currentRevision && updatedReplicas < desired;
  if (isOld && spec.updateStrategy?.type !== "OnDelete") return { text: texts.rollingOut, tone: "busy" };
  return readyReplicas >= desired ? { text: "Ready", tone: "ok" } : { text: texts.starting, tone: "busy" };
}

export function daemonSetStatus({ metadata, spec, status }: DaemonSet): Status {
  const { desiredNumberScheduled: desired = 0, numberReady = 0, updatedNumberScheduled = 0 } = status ?? {};
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  if (desired === 0) return { text: texts.onNoNode, tone: "idle" };
  if (updatedNumberScheduled < desired && spec.updateStrategy?.type !== "OnDelete") {
    return { text: texts.rollingOut, tone: "busy" };
  }
  return numberReady >= desired ? { text: "Ready", tone: "ok" } : { text: texts.starting, tone: "busy" };
}

export function jobStatus({ metadata, spec, status }: Job): Status {
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  const isTrue = (conditionType: string) =>
    status?.conditions?.some(
      ({ type, status: conditionStatus }) => type === conditionType && conditionStatus === "True",
    ) ?? false;
  if (isTrue("Complete")) return { text: "Complete", tone: "idle" };
  if (isTrue("Failed")) return { text: "Failed", tone: "bad" };
  if (spec.suspend) return { text: "Suspended", tone: "idle" };
  return { text: "Running", tone: "busy" };
}

export function cronJobStatus({ metadata, spec, status }: CronJob): Status {
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  if (spec.suspend) return { text: "Suspended", tone: "idle" };
  return (status?.active ?? []).length > 0 ? { text: "Active", tone: "busy" } : { text: "Scheduled", tone: "ok" };
}

export function nodeStatus({ metadata, spec, status }: Node): Status {
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  const ready = status.conditions?.find(({ type }) => type === "Ready")?.status;
  if (ready !== "True") return { text: "NotReady", tone: "bad" };
  return spec.unschedulable ? { text: "Ready, SchedulingDisabled", tone: "idle" } : { text: "Ready", tone: "ok" };
}

function isUnschedulable({ status }: Pod): boolean {
  return status.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable") ?? false;
}
