// What is the matter with a workload: by its conditions and counts, and by the first of its pods that has something to say.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../../shared/k8s/api/batch-v1.ts";
import { type Around, type Condition, type Finding, conditionOf, finding, warning } from "./finding.ts";
import { wrongWithPod } from "./pod.ts";

export function wrongWithDeployment(deployment: Deployment, around: Around): Finding | undefined {
  const { spec, status } = deployment;
  const failure = conditionOf(status.conditions, "ReplicaFailure");
  if (failure?.status === "True")
    return finding("bad", `It cannot make its pods: ${failure.message ?? ""}`, nextOf(failure));
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const wanted = spec.replicas ?? 1;
  const worst = worstPod(around);
  const stuck = conditionOf(status.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded";
  if (stuck) {
    return finding(
      "bad",
      `Its rollout has not come on for ${spec.progressDeadlineSeconds ?? 600} s. ${worst?.text ?? ""}`,
      worst?.next || "Undo it, or correct its template.",
    );
  }
  if (worst?.tone === "bad")
    return finding("bad", `${count(wanted - readyReplicas, wanted)} not ready. ${worst.text}`, worst.next);
  if (spec.paused) return finding("idle", "Its rollouts are paused: changes of its template wait until it is resumed");
  if (wanted === 0) return finding("idle", "It is scaled to zero");
  if (updatedReplicas < wanted || replicas > updatedReplicas) {
    return finding(
      "busy",
      `It rolls out: ${updatedReplicas} of ${wanted} pods are of the new template, ${availableReplicas} are available`,
    );
  }
  if (availableReplicas < wanted)
    return finding("busy", `${availableReplicas} of ${wanted} pods are available. ${worst?.text ?? ""}`);
  return undefined;
}

export function wrongWithReplicas({ spec, status }: ReplicaSet | StatefulSet, around: Around): Finding | undefined {
  const wanted = spec.replicas ?? 1;
  const { readyReplicas = 0 } = status;
  const failure = conditionOf(status.conditions, "ReplicaFailure");
  if (failure?.status === "True")
    return finding("bad", `It cannot make its pods: ${failure.message ?? ""}`, nextOf(failure));
  return byPods(wanted, readyReplicas, around);
}

export function wrongWithDaemonSet({ status }: DaemonSet, around: Around): Finding | undefined {
  const { desiredNumberScheduled: wanted = 0, numberReady = 0, numberMisscheduled = 0 } = status;
  if (wanted === 0) return finding("idle", "It wants no node: none has the labels, or tolerates what its pods are");
  const found = byPods(wanted, numberReady, around);
  if (found || numberMisscheduled === 0) return found;
  return finding("busy", `${numberMisscheduled} of its pods are on nodes where they are not wanted any more`);
}

export function wrongWithJob(job: Job, around: Around): Finding | undefined {
  const { spec, status } = job;
  const failed = conditionOf(status.conditions, "Failed");
  if (failed?.status === "True") {
    const worst = worstPod(around);
    return finding(
      "bad",
      `It has failed: ${failed.message ?? failed.reason ?? ""}. ${worst?.text ?? ""}`,
      worst?.next ?? "",
    );
  }
  if (conditionOf(status.conditions, "Complete")?.status === "True") return undefined;
  if (spec.suspend) return finding("idle", "It is suspended: it makes no pods until it is resumed");
  const made = warning(around.events, "FailedCreate");
  if (made && around.pods.length === 0) return finding("bad", `It cannot make its pods: ${made.message ?? ""}`);
  const worst = worstPod(around);
  if (worst) return finding(worst.tone, `${status.failed ?? 0} of its pods have failed. ${worst.text}`, worst.next);
  return finding("busy", `${status.succeeded ?? 0} of ${spec.completions ?? 1} have completed`);
}

export function wrongWithCronJob({ metadata, spec, status }: CronJob, around: Around): Finding | undefined {
  if (spec.suspend) return finding("idle", "It is suspended: it starts no jobs until it is resumed");
  const newest = around.jobs
    .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ uid }) => uid === metadata.uid))
    .sort((a, b) => ((a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? 1 : -1))[0];
  const failed = conditionOf(newest?.status.conditions, "Failed");
  if (newest && failed?.status === "True")
    return finding("bad", `Its last job, ${newest.metadata.name ?? ""}, has failed: ${failed.message ?? ""}`);
  const said = warning(around.events);
  if (said && !status.lastScheduleTime) return finding("bad", said.message ?? "");
  return status.lastScheduleTime ? undefined : finding("idle", `It has not run yet: its schedule is ${spec.schedule}`);
}

function byPods(wanted: number, ready: number, around: Around): Finding | undefined {
  const made = warning(around.events, "FailedCreate");
  if (made && around.pods.length < wanted) return finding("bad", `It cannot make its pods: ${made.message ?? ""}`);
  if (ready >= wanted) return wanted === 0 ? finding("idle", "It is scaled to zero") : undefined;
  const worst = worstPod(around);
  const text = `${count(wanted - ready, wanted)} not ready. ${worst?.text ?? ""}`;
  return finding(worst?.tone ?? "busy", text, worst?.next ?? "");
}

/** What is bad comes before what is on its way. */
function worstPod({ pods, eventsOf }: Around): (Finding & { readonly pod: string }) | undefined {
  let busy: (Finding & { readonly pod: string }) | undefined;
  for (const pod of pods) {
    const found = wrongWithPod(pod, eventsOf(pod));
    if (!found || (pod.metadata.deletionTimestamp && found.tone === "busy")) continue;
    const named = { ...found, pod: pod.metadata.name ?? "" };
    if (found.tone === "bad") return { ...named, text: `${named.pod}: ${found.text}` };
    busy ??= { ...named, text: `${named.pod}: ${found.text}` };
  }
  return busy;
}

function count(some: number, all: number): string {
  const are = some === 1 ? "is" : "are";
  return `${some} of ${all} ${all === 1 ? "pod" : "pods"} ${are}`;
}

function nextOf({ message = "" }: Condition): string {
  return /exceeded quota/.test(message) ? "Raise the quota, or ask for less." : "";
}
