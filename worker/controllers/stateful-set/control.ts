// Computes and performs the next step of a StatefulSet, pod by pod: first its replicas in order, then pods beyond the range, then the
// update.
import type { StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { pods as podKind } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { isPodAvailable, isPodReady, isPodTerminal } from "../common/pod-ready.ts";
import { slowStartBatch } from "../common/slow-start.ts";
import {
  updatePodClaimForRetentionPolicy,
  claimsMatchRetentionPolicy,
  createPersistentVolumeClaims,
  podClaimIsStale,
} from "./claims.ts";
import {
  identityMatches,
  identityLabels,
  podInOrdinalRange,
  isOrdered,
  ordinalOf,
  partitionOf,
  revisionOf,
  startOrdinal,
  wantedReplicas,
} from "./identity.ts";
import { type NamedTemplate, storageMatches, newVersionedStatefulSetPod, updateStorage } from "./pod.ts";

export interface Control {
  readonly set: StatefulSet;
  readonly current: NamedTemplate;
  readonly updated: NamedTemplate;
  readonly context: ReconcileContext;
}

/** An ordinal in the range, and its pod if it exists. */
interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** Updates the set without its status. Throws the error that stopped it. */
export function updateStatefulSet(control: Control, pods: readonly Pod[]): void {
  const { set } = control;
  const replicas = replicasOf(set, pods);
  const condemned = pods
    .filter((pod) => ordinalOf(pod) !== undefined && !podInOrdinalRange(pod, set))
    .sort((a, b) => (ordinalOf(b) ?? 0) - (ordinalOf(a) ?? 0));
  const inOrder = [...replicas.map(({ pod }) => pod), ...condemned.toReversed()];
  const firstUnavailable = inOrder.find((pod) => isUnavailable(control, pod));
  if (runForAll(control, replicas, (replica) => processReplica(control, replica))) return;
  if (runForAll(control, condemned, (pod) => keepClaims(control, pod))) return;
  if (runForAll(control, condemned, (pod) => processCondemned(control, pod, firstUnavailable))) return;
  if (set.spec.updateStrategy.type !== "OnDelete") updateNext(control, replicas);
}

/** The maximum number of ordinals without a pod that one turn considers. A range may have 2,147,483,647 ordinals. */
const mostMissing = 100;

/** Returns in order all ordinals with a pod, and the first ones without a pod. */
function replicasOf(set: StatefulSet, pods: readonly Pod[]): readonly Replica[] {
  const start = startOrdinal(set);
  const end = start + wantedReplicas(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod) ?? -1, pod]));
  const replicas: Replica[] = [];
  let ordinal = start;
  for (let missing = 0; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (!pod && ++missing > mostMissing) break;
    replicas.push({ ordinal, pod });
  }
  const after = [...byOrdinal].filter(([at]) => at >= ordinal && at < end).sort(([a], [b]) => a - b);
  return [...replicas, ...after.map(([at, pod]) => ({ ordinal: at, pod }))];
}

/** Returns true to stop in ordered mode. */
type Step<T> = (item: T) => boolean;

/** Runs the step in order until one must be waited for, or for all items in growing batches. */
function runForAll<T>({ set }: Control, items: readonly T[], step: Step<T>): boolean {
  if (isOrdered(set)) return items.some(step);
  const rest = items.values();
  const failure = slowStartBatch(items.length, () => {
    const next = rest.next();
    if (next.done) return undefined;
    try {
      step(next.value);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  });
  if (failure) throw failure;
  return false;
}

function processReplica(control: Control, { ordinal, pod }: Replica): boolean {
  const { set, context } = control;
  if (!pod) return createStatefulPod(control, ordinal);
  if (isPodTerminal(pod)) {
    if (!isBeingDeleted(pod)) deleteStatefulPod(control, pod);
    return true;
  }
  if (pod.status.phase === "Pending") {
    createPersistentVolumeClaims(set, pod, context);
    tryPolicy(control, pod);
  }
  const isThere = pod.status.phase === "Running" && isPodReady(pod);
  const mustWait = isBeingDeleted(pod) || !isThere || isUnavailable(control, pod);
  if (isOrdered(set) && mustWait) return true;
  if (identityMatches(pod, set) && storageMatches(pod, set) && claimsMatchRetentionPolicy(set, pod, context))
    return false;
  updateStatefulPod(control, pod, ordinal);
  return false;
}

/** Creates a pod with its claims. */
function createStatefulPod(control: Control, ordinal: number): boolean {
  const { set, current, updated, context } = control;
  const draft = newVersionedStatefulSetPod(set, ordinal, current, updated);
  if (podClaimIsStale(set, draft, context)) return true;
  let failure: ApiError | undefined;
  try {
    createPersistentVolumeClaims(set, draft, context);
    context.client.create(podKind, draft);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A repeated event would have no new information.
    if (error.reason === "AlreadyExists") throw error;
    failure = error;
  }
  if (!failure) tryPolicy(control, draft);
  recordPodEvent(control, "Create", draft.metadata.name, failure);
  if (failure) throw failure;
  return true;
}

function tryPolicy(
  control: Control,
  pod: { readonly metadata: { readonly name?: string; readonly uid?: string } },
): void {
  try {
    updatePodClaimForRetentionPolicy(control.set, pod, control.context);
  } catch (error) {
    if (error instanceof ApiError) recordPodEvent(control, "Update", pod.metadata.name, error);
    throw error;
  }
}

function updateStatefulPod(control: Control, pod: Pod, ordinal: number): void {
  const { set, context } = control;
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinal) };
  const volumes = storageMatches(pod, set) ? pod.spec.volumes : updateStorage(set, pod.spec.volumes, ordinal);
  let failure: ApiError | undefined;
  try {
    if (!storageMatches(pod, set)) createPersistentVolumeClaims(set, pod, context);
    if (!claimsMatchRetentionPolicy(set, pod, context)) updatePodClaimForRetentionPolicy(set, pod, context);
    const metadata = identityMatches(pod, set) ? pod.metadata : { ...pod.metadata, labels };
    context.client.update(podKind, { ...pod, metadata, spec: { ...pod.spec, ...(volumes ? { volumes } : {}) } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failure = error;
  }
  recordPodEvent(control, "Update", pod.metadata.name, failure);
  if (failure) throw failure;
}

/** Updates the claims of a pod beyond the range by the retention policy before it is deleted. */
function keepClaims({ set, context }: Control, pod: Pod): boolean {
  if (!claimsMatchRetentionPolicy(set, pod, context)) updatePodClaimForRetentionPolicy(set, pod, context);
  return false;
}

/** Deletes pods beyond the range one after the other, each only while all others are healthy. */
function processCondemned(control: Control, pod: Pod, firstUnavailable: Pod | undefined): boolean {
  const ordered = isOrdered(control.set);
  if (isBeingDeleted(pod)) return ordered;
  const isThere = pod.status.phase === "Running" && isPodReady(pod) && !isUnavailable(control, pod);
  if (ordered && !isThere && pod !== firstUnavailable) return true;
  deleteStatefulPod(control, pod);
  return true;
}

/** Deletes the last replica of an old revision, if all later ones are available. */
function updateNext(control: Control, replicas: readonly Replica[]): void {
  const { set, updated } = control;
  const first = startOrdinal(set) + partitionOf(set);
  let expected = startOrdinal(set) + wantedReplicas(set) - 1;
  for (const { ordinal, pod } of replicas.filter((replica) => replica.ordinal >= first).toReversed()) {
    // A pod between them does not exist yet.
    if (ordinal !== expected--) return;
    if (pod && revisionOf(pod) !== updated.revision && !isBeingDeleted(pod)) {
      deleteStatefulPod(control, pod);
      return;
    }
    if (isUnavailable(control, pod)) return;
  }
}

function isUnavailable({ set, context }: Control, pod: Pod | undefined): boolean {
  return !pod || isBeingDeleted(pod) || !isPodAvailable(pod, set.spec.minReadySeconds ?? 0, context.nowMs);
}

/** Deletes a pod. A pod that is gone already counts as deleted. */
function deleteStatefulPod(control: Control, { metadata }: Pod): void {
  const { client } = control.context;
  let failure: ApiError | undefined;
  try {
    client.tryDelete(podKind, metadata.namespace ?? "", metadata.name ?? "");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failure = error;
  }
  recordPodEvent(control, "Delete", metadata.name, failure);
  if (failure) throw failure;
}

function recordPodEvent(
  { set, context }: Control,
  verb: "Create" | "Update" | "Delete",
  podName = "",
  failure: ApiError | undefined,
): void {
  const what = `${verb} Pod ${podName} in StatefulSet ${set.metadata.name ?? ""}`;
  if (failure) context.event(set, "Warning", `Failed${verb}`, `${what} failed error: ${failure.message}`);
  else context.event(set, "Normal", `Successful${verb}`, `${what} successful`);
}
