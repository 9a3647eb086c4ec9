// What an object is doing in one word, and how to feel about it.
import type { Deployment, ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { type PodSummary, isFinished } from "../../shared/k8s/pod-summary.ts";

/** `ok` as it should be, `busy` on its way, `bad` wants somebody, `idle` nothing to do. */
export type Tone = "ok" | "busy" | "bad" | "idle";

export interface Status {
  readonly text: string;
  readonly tone: Tone;
}

const troubled =
  /BackOff|Err|Error|Failed|Invalid|CannotRun|OOMKilled|Evicted|Killed|ExitCode|Signal:|Deadline|NodeLost|Unknown/;

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
  if (spec.paused) return { text: "Paused", tone: "idle" };
  if (progressing?.reason === "ProgressDeadlineExceeded") return { text: "Stalled", tone: "bad" };
  const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (!seen || updatedReplicas < desired || replicas > updatedReplicas) return { text: "Rolling out", tone: "busy" };
  if (desired === 0) return { text: "Scaled to zero", tone: "idle" };
  return availableReplicas >= desired ? { text: "Available", tone: "ok" } : { text: "Starting", tone: "busy" };
}

export function replicaSetStatus({ metadata, spec, status }: ReplicaSet): Status {
  const desired = spec.replicas ?? 1;
  const { replicas, readyReplicas = 0 } = status;
  if (metadata.deletionTimestamp) return { text: "Terminating", tone: "busy" };
  if (replicas > desired) return { text: "Scaling down", tone: "busy" };
  if (replicas < desired) return { text: "Scaling up", tone: "busy" };
  if (desired === 0) return { text: "Scaled to zero", tone: "idle" };
  return readyReplicas >= desired ? { text: "Ready", tone: "ok" } : { text: "Starting", tone: "busy" };
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
