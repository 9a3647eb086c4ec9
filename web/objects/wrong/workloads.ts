// Diagnoses a workload by its conditions and counts, and by its worst pod.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../../shared/k8s/api/batch-v1.ts";
import { messages } from "../../messages.ts";
import { type DiagnosisContext, type Condition, type Finding, conditionOf, finding, warning } from "./finding.ts";
import { wrongWithPod } from "./pod.ts";

const words = messages.wrong.workload;

export function wrongWithDeployment(deployment: Deployment, context: DiagnosisContext): Finding | undefined {
  const { spec, status } = deployment;
  const failure = conditionOf(status.conditions, "ReplicaFailure");
  if (failure?.status === "True") return finding("bad", words.cannotMake(failure.message ?? ""), nextOf(failure));
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const desired = spec.replicas ?? 1;
  const worst = worstPod(context);
  if (conditionOf(status.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded") {
    const text = words.stuck(spec.progressDeadlineSeconds ?? 600, worst?.text ?? "");
    return finding("bad", text, worst?.next || words.stuckNext);
  }
  if (worst?.tone === "bad") {
    return finding("bad", words.notReady(desired - readyReplicas, desired, worst.text), worst.next);
  }
  if (spec.paused) return finding("idle", words.paused);
  if (desired === 0) return finding("idle", words.zero);
  if (updatedReplicas < desired || replicas > updatedReplicas) {
    return finding("busy", words.rolling(updatedReplicas, desired, availableReplicas));
  }
  if (availableReplicas >= desired) return undefined;
  return finding("busy", words.available(availableReplicas, desired, worst?.text ?? ""));
}

export function wrongWithReplicas(
  { spec, status }: ReplicaSet | StatefulSet,
  context: DiagnosisContext,
): Finding | undefined {
  const failure = conditionOf(status.conditions, "ReplicaFailure");
  if (failure?.status === "True") return finding("bad", words.cannotMake(failure.message ?? ""), nextOf(failure));
  return byPods(spec.replicas ?? 1, status.readyReplicas ?? 0, context);
}

export function wrongWithDaemonSet({ status }: DaemonSet, context: DiagnosisContext): Finding | undefined {
  const { desiredNumberScheduled: desired = 0, numberReady = 0, numberMisscheduled = 0 } = status;
  if (desired === 0) return finding("idle", words.noNode);
  const diagnosis = byPods(desired, numberReady, context);
  return diagnosis || numberMisscheduled === 0 ? diagnosis : finding("busy", words.misplaced(numberMisscheduled));
}

export function wrongWithJob({ spec, status }: Job, context: DiagnosisContext): Finding | undefined {
  const failed = conditionOf(status.conditions, "Failed");
  const worst = worstPod(context);
  if (failed?.status === "True") {
    const text = words.jobFailed(failed.message ?? failed.reason ?? "", worst?.text ?? "");
    return finding("bad", text, worst?.next ?? "");
  }
  if (conditionOf(status.conditions, "Complete")?.status === "True") return undefined;
  if (spec.suspend) return finding("idle", words.jobSuspended);
  const creationFailure = warning(context.events, "FailedCreate");
  if (creationFailure && context.pods.length === 0)
    return finding("bad", words.cannotMake(creationFailure.message ?? ""));
  if (worst) return finding(worst.tone, words.podsFailed(status.failed ?? 0, worst.text), worst.next);
  return finding("busy", words.completed(status.succeeded ?? 0, spec.completions ?? 1));
}

export function wrongWithCronJob({ metadata, spec, status }: CronJob, context: DiagnosisContext): Finding | undefined {
  if (spec.suspend) return finding("idle", words.cronSuspended);
  const isOwn = ({ metadata: { ownerReferences = [] } }: Job) =>
    ownerReferences.some(({ uid }) => uid === metadata.uid);
  const createdAt = (job: Job) => job.metadata.creationTimestamp ?? "";
  const [newest] = context.jobs.filter(isOwn).sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
  const failed = conditionOf(newest?.status.conditions, "Failed");
  if (newest && failed?.status === "True") {
    return finding("bad", words.lastJob(newest.metadata.name ?? "", failed.message ?? ""));
  }
  const warningEvent = warning(context.events);
  if (warningEvent && !status.lastScheduleTime) return finding("bad", warningEvent.message ?? "");
  return status.lastScheduleTime ? undefined : finding("idle", words.notRunYet(spec.schedule));
}

function byPods(desired: number, ready: number, context: DiagnosisContext): Finding | undefined {
  const creationFailure = warning(context.events, "FailedCreate");
  if (creationFailure && context.pods.length < desired)
    return finding("bad", words.cannotMake(creationFailure.message ?? ""));
  if (ready >= desired) return desired === 0 ? finding("idle", words.zero) : undefined;
  const worst = worstPod(context);
  return finding(worst?.tone ?? "busy", words.notReady(desired - ready, desired, worst?.text ?? ""), worst?.next ?? "");
}

/** Returns the diagnosis of the worst pod: failures come before transitions. */
function worstPod({ pods, eventsOf }: DiagnosisContext): Finding | undefined {
  let busy: Finding | undefined;
  for (const pod of pods) {
    const diagnosis = wrongWithPod(pod, eventsOf(pod));
    if (!diagnosis || (pod.metadata.deletionTimestamp && diagnosis.tone === "busy")) continue;
    const named = { ...diagnosis, text: `${pod.metadata.name ?? ""}: ${diagnosis.text}` };
    if (diagnosis.tone === "bad") return named;
    busy ??= named;
  }
  return busy;
}

function nextOf({ message = "" }: Condition): string {
  return /exceeded quota/.test(message) ? words.quotaNext : "";
}
