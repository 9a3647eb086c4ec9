// What a StatefulSet does next, pod by pod: first its replicas in order, then those beyond the range, then the update.
import type { StatefulSet } from "../../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../../../shared/k8s/meta.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { pods as podKind } from "../../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { isPodAvailable, isPodReady, isPodTerminal } from "../pod-ready.ts";
import { slowStart } from "../slow-start.ts";
import { applyPolicy, claimsMatchPolicy, createClaims, hasStaleClaim } from "./claims.ts";
import {
  hasIdentity,
  identityLabels,
  isInRange,
  isOrdered,
  ordinalOf,
  partitionOf,
  revisionOf,
  startOrdinal,
  wantedReplicas,
} from "./identity.ts";
import { type NamedTemplate, hasVolumes, newPod, volumesOf } from "./pod.ts";

export interface Control {
  readonly set: StatefulSet;
  readonly current: NamedTemplate;
  readonly updated: NamedTemplate;
  readonly context: ReconcileContext;
}

/** One place in the range: an ordinal, and its pod if it is there. */
interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** Upstream's `updateStatefulSet`, without the status. Throws what kept it from going on. */
export function advance(control: Control, pods: readonly Pod[]): void {
  const { set } = control;
  const start = startOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const replicas = Array.from({ length: wantedReplicas(set) }, (_, at): Replica => {
    return { ordinal: start + at, pod: byOrdinal.get(start + at) };
  });
  const condemned = pods
    .filter((pod) => ordinalOf(pod) !== undefined && !isInRange(pod, set))
    .sort((a, b) => (ordinalOf(b) ?? 0) - (ordinalOf(a) ?? 0));
  const inOrder = [...replicas.map(({ pod }) => pod), ...condemned.toReversed()];
  const firstUnavailable = inOrder.find((pod) => isUnavailable(control, pod));
  if (forEach(control, replicas, (replica) => keepReplica(control, replica))) return;
  if (forEach(control, condemned, (pod) => keepClaims(control, pod))) return;
  if (forEach(control, condemned, (pod) => condemn(control, pod, firstUnavailable))) return;
  if (set.spec.updateStrategy.type !== "OnDelete") updateNext(control, replicas);
}

/** True says: no further in order. */
type Step<T> = (item: T) => boolean;

/** Upstream's `runForAll`: in order up to the first that must be waited for, or all, in growing batches. */
function forEach<T>({ set }: Control, items: readonly T[], step: Step<T>): boolean {
  if (isOrdered(set)) return items.some(step);
  const rest = items.values();
  const failure = slowStart(items.length, () => {
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

/** Upstream's `processReplica`. */
function keepReplica(control: Control, { ordinal, pod }: Replica): boolean {
  const { set, context } = control;
  if (!pod) return makePod(control, ordinal);
  if (isPodTerminal(pod)) {
    if (!isBeingDeleted(pod)) removePod(control, pod);
    return true;
  }
  if (pod.status.phase === "Pending") {
    createClaims(set, pod, context);
    tryPolicy(control, pod);
  }
  const isThere = pod.status.phase === "Running" && isPodReady(pod);
  const mustWait = isBeingDeleted(pod) || !isThere || isUnavailable(control, pod);
  if (isOrdered(set) && mustWait) return true;
  if (hasIdentity(pod, set) && hasVolumes(pod, set) && claimsMatchPolicy(set, pod, context)) return false;
  correct(control, pod, ordinal);
  return false;
}

/** Upstream's `CreateStatefulPod`, with what comes before it. */
function makePod(control: Control, ordinal: number): boolean {
  const { set, current, updated, context } = control;
  const draft = newPod(set, ordinal, current, updated);
  if (hasStaleClaim(set, draft, context)) return true;
  let failure: ApiError | undefined;
  try {
    createClaims(set, draft, context);
    context.client.create(podKind, draft);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Told again and again, it would say nothing new.
    if (error.reason === "AlreadyExists") throw error;
    failure = error;
  }
  if (!failure) tryPolicy(control, draft);
  tell(control, "Create", draft.metadata.name, failure);
  if (failure) throw failure;
  return true;
}

function tryPolicy(
  control: Control,
  pod: { readonly metadata: { readonly name?: string; readonly uid?: string } },
): void {
  try {
    applyPolicy(control.set, pod, control.context);
  } catch (error) {
    if (error instanceof ApiError) tell(control, "Update", pod.metadata.name, error);
    throw error;
  }
}

/** Upstream's `UpdateStatefulPod`. */
function correct(control: Control, pod: Pod, ordinal: number): void {
  const { set, context } = control;
  const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinal) };
  const volumes = hasVolumes(pod, set) ? pod.spec.volumes : volumesOf(set, pod.spec.volumes, ordinal);
  let failure: ApiError | undefined;
  try {
    if (!hasVolumes(pod, set)) createClaims(set, pod, context);
    if (!claimsMatchPolicy(set, pod, context)) applyPolicy(set, pod, context);
    const metadata = hasIdentity(pod, set) ? pod.metadata : { ...pod.metadata, labels };
    context.client.update(podKind, { ...pod, metadata, spec: { ...pod.spec, ...(volumes ? { volumes } : {}) } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failure = error;
  }
  tell(control, "Update", pod.metadata.name, failure);
  if (failure) throw failure;
}

/** A pod beyond the range: its claims are to go with it, or to stay, before it goes. */
function keepClaims({ set, context }: Control, pod: Pod): boolean {
  if (!claimsMatchPolicy(set, pod, context)) applyPolicy(set, pod, context);
  return false;
}

/** Upstream's `processCondemned`: one after the other, each only while all others are well. */
function condemn(control: Control, pod: Pod, firstUnavailable: Pod | undefined): boolean {
  const ordered = isOrdered(control.set);
  if (isBeingDeleted(pod)) return ordered;
  const isThere = pod.status.phase === "Running" && isPodReady(pod) && !isUnavailable(control, pod);
  if (ordered && !isThere && pod !== firstUnavailable) return true;
  removePod(control, pod);
  return true;
}

/** The last replica that is of an old revision goes, if all after it are available. */
function updateNext(control: Control, replicas: readonly Replica[]): void {
  const { set, updated } = control;
  for (const { pod } of replicas.slice(partitionOf(set)).toReversed()) {
    if (pod && revisionOf(pod) !== updated.revision && !isBeingDeleted(pod)) {
      removePod(control, pod);
      return;
    }
    if (isUnavailable(control, pod)) return;
  }
}

function isUnavailable({ set, context }: Control, pod: Pod | undefined): boolean {
  return !pod || isBeingDeleted(pod) || !isPodAvailable(pod, set.spec.minReadySeconds ?? 0, context.nowMs);
}

/** Upstream's `DeleteStatefulPod`: one that is gone already is as good as deleted. */
function removePod(control: Control, { metadata }: Pod): void {
  const { client } = control.context;
  let failure: ApiError | undefined;
  try {
    client.tryDelete(podKind, metadata.namespace ?? "", metadata.name ?? "");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failure = error;
  }
  tell(control, "Delete", metadata.name, failure);
  if (failure) throw failure;
}

/** Upstream's `recordPodEvent`. */
function tell(
  { set, context }: Control,
  verb: "Create" | "Update" | "Delete",
  podName = "",
  failure: ApiError | undefined,
): void {
  const what = `${verb} Pod ${podName} in StatefulSet ${set.metadata.name ?? ""}`;
  if (failure) context.event(set, "Warning", `Failed${verb}`, `${what} failed error: ${failure.message}`);
  else context.event(set, "Normal", `Successful${verb}`, `${what} successful`);
}
