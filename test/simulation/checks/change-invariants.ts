// Invariants of every change, in a busy cluster too.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { getScaledValueFromIntOrPercent } from "../../../shared/k8s/intstr.ts";
import { getControllerOf, type KubeObject } from "../../../shared/k8s/meta.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import type { Client } from "../../../worker/registry/client.ts";
import type { Change } from "../../../worker/store/change.ts";
import { jobPodProblems } from "./batch.ts";
import { quotaOverruns } from "./bounds.ts";
import { bindingProblems } from "./placement.ts";
import { orderProblems } from "./sets.ts";
import { called, isReady } from "./view.ts";

export function* problemsOfChange(change: Change, client: Client, nowMs: number): Generator<string> {
  const { object, previous, type, resource } = change;
  yield* metadataProblems(object, previous, change);
  if (resource === "pods" && type !== "DELETED") yield* podProblems(object as Pod, previous as Pod | undefined, client);
  if (resource === "pods" && type === "ADDED") {
    yield* jobPodProblems(object as Pod, client);
    yield* orderProblems(object as Pod, client);
  }
  yield* quotaOverruns(change, client, nowMs);
  if (resource === "replicasets.apps" && type !== "DELETED") {
    yield* surgeProblems(object as ReplicaSet, previous as ReplicaSet | undefined, client);
  }
}

/** Checks R1 and R4, and fields that no write may change. */
function* metadataProblems(
  object: KubeObject,
  previous: KubeObject | undefined,
  { type, revision }: Change,
): Generator<string> {
  const [next, old] = [object.metadata, previous?.metadata];
  if (next.resourceVersion !== String(revision))
    yield `${called(object)}: resourceVersion ${String(next.resourceVersion)} at ${revision}`;
  if (type === "ADDED") {
    if ((next.generation ?? 1) !== 1) yield `${called(object)}: begins at generation ${String(next.generation)}`;
    return;
  }
  if (next.uid !== old?.uid || next.creationTimestamp !== old?.creationTimestamp)
    yield `${called(object)}: became another`;
  if (type === "DELETED") return;
  const raised = (next.generation ?? 0) - (old?.generation ?? 0);
  const isWanted =
    desiredText(object) !== desiredText(previous) ||
    (old?.deletionTimestamp === undefined && next.deletionTimestamp !== undefined);
  if (raised < 0 || raised > 1) yield `${called(object)}: generation raised by ${raised}`;
  if (raised > 0 && !isWanted) yield `${called(object)}: generation raised for nothing`;
  if (old?.deletionTimestamp && !next.deletionTimestamp) yield `${called(object)}: came back`;
}

/** Everything but the status and the server's metadata. */
function desiredText(object: KubeObject | undefined): string {
  const { metadata, status: _status, ...rest } = (object ?? {}) as KubeObject & { status?: unknown };
  return JSON.stringify([rest, metadata?.annotations, metadata?.labels]);
}

function* podProblems(pod: Pod, previous: Pod | undefined, client: Client): Generator<string> {
  const [nodeName, before] = [pod.spec.nodeName, previous?.spec.nodeName];
  if (before !== undefined && nodeName !== before) yield `${called(pod)}: moved from ${before} to ${String(nodeName)}`;
  if (nodeName !== undefined && before === undefined) yield* bindingProblems(pod, client);
  const ended = previous?.status.phase === "Succeeded" || previous?.status.phase === "Failed";
  if (ended && pod.status.phase !== previous.status.phase)
    yield `${called(pod)}: ${String(pod.status.phase)} after its end`;
  if (isReady(pod) && nodeName === undefined) yield `${called(pod)}: ready without a node`;
}

/** A ReplicaSet grows only as far as its Deployment's surge allows. */
function* surgeProblems(set: ReplicaSet, previous: ReplicaSet | undefined, client: Client): Generator<string> {
  const grown = (set.spec.replicas ?? 0) - (previous?.spec.replicas ?? 0);
  const owner = getControllerOf(set);
  if (grown <= 0 || !owner) return;
  const deployment = client.get(deployments, set.metadata.namespace ?? "", owner.name);
  if (!deployment || deployment.metadata.uid !== owner.uid) return;
  const total = client
    .controlledBy(replicaSets, owner.uid)
    .reduce((sum, replicaSet) => sum + (replicaSet.spec.replicas ?? 0), 0);
  const most = (deployment.spec.replicas ?? 0) + surgeOf(deployment);
  if (total > most) yield `${called(set)}: grew to ${total} of ${most}`;
}

export function surgeOf({ spec }: Deployment): number {
  if (spec.strategy.type !== "RollingUpdate") return 0;
  return getScaledValueFromIntOrPercent(spec.strategy.rollingUpdate?.maxSurge ?? 0, spec.replicas ?? 0, true);
}
