// Invariants of Jobs in an idle cluster, and for each pod that they create.
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import type { Client } from "../../../worker/registry/client.ts";
import type { World } from "../world.ts";
import { called, conditionOf, differences, isActive, ownedBy, type View } from "./view.ts";

const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexAnnotation = "batch.kubernetes.io/job-completion-index";

export function* jobProblems(view: View, world: World): Generator<string> {
  const succeeded = succeededPods(world);
  for (const job of view.jobs) {
    const owned = ownedBy(view.pods, job);
    const label = called(job);
    const { uncountedTerminatedPods, completedIndexes } = job.status;
    if (Object.keys(uncountedTerminatedPods ?? {}).length > 0) yield `${label}: has pods that are not counted`;
    yield* differences(label, { active: 0, ...job.status }, { active: owned.filter(isActive).length });
    for (const pod of owned.filter((pod) => !isActive(pod)))
      if (pod.metadata.finalizers?.includes(trackingFinalizer)) yield `${called(pod)}: is not released by its job`;
    const count = job.status.succeeded ?? 0;
    const previous = succeeded.get(job.metadata.uid ?? "") ?? [];
    if (job.spec.completionMode === "Indexed") {
      if (count !== sizeOf(completedIndexes ?? ""))
        yield `${label}: ${count} succeeded, indexes ${String(completedIndexes)}`;
    } else if (isFinished(job, "Complete") && count !== previous.length)
      yield `${label}: ${count} succeeded, ${previous.length} pods did`;
    if (count > (job.spec.completions ?? Number.POSITIVE_INFINITY)) yield `${label}: ${count} succeeded`;
    if (!isFinished(job, "Complete") && !isFinished(job, "Failed")) yield* unfinished(job, owned);
  }
}

function isFinished({ status }: Job, how: "Complete" | "Failed"): boolean {
  return conditionOf(status.conditions, how)?.status === "True";
}

/** Checks that a running Job has as many pods as its parallelism allows. */
function* unfinished(job: Job, owned: readonly Pod[]): Generator<string> {
  const { parallelism = 1, completions, suspend } = job.spec;
  const active = owned.filter(isActive).length;
  const left = completions === undefined ? parallelism : completions - (job.status.succeeded ?? 0);
  const desired = suspend ? 0 : Math.min(parallelism, left);
  if (active !== desired) yield `${called(job)}: ${active} pods, not ${desired}`;
}

/** `0-2,4` has four. */
function sizeOf(indexes: string): number {
  return indexes
    .split(",")
    .filter(Boolean)
    .map((range) => range.split("-").map(Number))
    .reduce((sum, [from = 0, to = from]) => sum + to - from + 1, 0);
}

/** The uids of pods that succeeded, by the uid of their job, from all that was lived. */
function succeededPods({ changes }: World): ReadonlyMap<string, readonly string[]> {
  const podsByJob = new Map<string, Set<string>>();
  for (const { resource, object } of changes) {
    if (resource !== "pods" || (object as Pod).status.phase !== "Succeeded") continue;
    // One that was going has been counted as failed and let go of, whatever became of it then.
    if (!object.metadata.finalizers?.includes(trackingFinalizer)) continue;
    const owner = getControllerOf(object)?.uid ?? "";
    podsByJob.set(owner, (podsByJob.get(owner) ?? new Set()).add(object.metadata.uid ?? ""));
  }
  return new Map([...podsByJob].map(([owner, uids]) => [owner, [...uids]]));
}

/** A new pod is never one too many, nor the second of its index. */
export function* jobPodProblems(pod: Pod, client: Client): Generator<string> {
  const owner = getControllerOf(pod);
  if (owner?.kind !== "Job") return;
  const job = client.get(jobs, pod.metadata.namespace ?? "", owner.name);
  if (!job || job.metadata.uid !== owner.uid) return;
  const active = client.controlledBy(pods, owner.uid).filter(isActive);
  if (active.length > (job.spec.parallelism ?? 1)) yield `${called(job)}: ${active.length} pods run`;
  const index = pod.metadata.annotations?.[indexAnnotation];
  const same = active.filter(({ metadata }) => metadata.annotations?.[indexAnnotation] === index);
  if (index !== undefined && same.length > 1) yield `${called(job)}: ${same.length} pods of index ${index}`;
}
