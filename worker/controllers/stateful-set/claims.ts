// The claims of a StatefulSet's pods: created before the pod, kept by name, and owned by the retention policy.
import type { StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { PersistentVolumeClaim } from "../../../shared/k8s/api/core-v1.ts";
import { type Draft, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { ordinalOf, podInOrdinalRange } from "./identity.ts";
import type { ObjectMeta, OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";

type Context = Pick<ReconcileContext, "client" | "event">;

export function getPersistentVolumeClaimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name ?? ""}-${ordinal}`;
}

/** Creates all claims of a pod. Throws if one cannot be used. */
export function createPersistentVolumeClaims(set: StatefulSet, pod: Member, { client, event }: Context): void {
  const failures: string[] = [];
  for (const draft of getPersistentVolumeClaims(set, pod)) {
    const { name = "", namespace = "" } = draft.metadata ?? {};
    const existing = client.get(persistentVolumeClaims, namespace, name);
    if (existing && isBeingDeleted(existing)) failures.push(`pvc ${name} is being deleted`);
    if (existing) continue;
    const where = `Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
    try {
      client.create(persistentVolumeClaims, draft);
      event(set, "Normal", "SuccessfulCreate", `Create Claim ${name} ${where} success`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(`failed to create PVC ${name}: ${error.message}`);
      event(set, "Warning", "FailedCreate", `Create Claim ${name} for ${where} failed error: ${error.message}`);
    }
  }
  const [only = ""] = failures;
  if (failures.length === 0) return;
  throw new ApiError(500, "InternalError", failures.length === 1 ? only : `[${failures.join(", ")}]`);
}

export function claimsMatchRetentionPolicy(set: StatefulSet, pod: Member, { client }: Context): boolean {
  return foundClaims(set, pod, client).every((claim) => isClaimOwnerUpToDate(claim, { set, pod }));
}

export function updatePodClaimForRetentionPolicy(set: StatefulSet, pod: Member, { client, event }: Context): void {
  for (const claim of foundClaims(set, pod, client)) {
    const name = claim.metadata.name ?? "";
    if (hasUnexpectedController(claim, { set, pod })) {
      const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      event(set, "Warning", "ConflictingController", message);
    }
    if (isClaimOwnerUpToDate(claim, { set, pod })) continue;
    const ownerReferences = updateClaimOwnerRefForSetAndPod(claim, { set, pod });
    try {
      client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `could not update claim ${name} for delete policy ownerRefs: ${error.message}`;
      throw new ApiError(error.code, error.reason, message, error.details);
    }
  }
}

/** Reports whether a claim of an earlier pod must be deleted before the next pod is created. */
export function podClaimIsStale(set: StatefulSet, pod: Member, { client }: Context): boolean {
  return deletesWhenScaled(set) && foundClaims(set, pod, client).some((claim) => isOfEarlierPod(claim, pod));
}

/** Returns the StatefulSets of a namespace that a claim could belong to by its name. */
export function setsOfClaim(sets: readonly StatefulSet[], { metadata }: PersistentVolumeClaim): StatefulSet[] {
  const ordinal = ordinalOf({ metadata });
  if (ordinal === undefined) return [];
  return sets.filter((set) =>
    set.spec.volumeClaimTemplates?.some(
      (template) => getPersistentVolumeClaimName(set, template.metadata.name ?? "", ordinal) === metadata.name,
    ),
  );
}

function foundClaims(set: StatefulSet, pod: Member, client: Context["client"]): PersistentVolumeClaim[] {
  return getPersistentVolumeClaims(set, pod)
    .map(({ metadata }) => client.get(persistentVolumeClaims, metadata?.namespace ?? "", metadata?.name ?? ""))
    .filter((claim) => claim !== undefined);
}

function getPersistentVolumeClaims(set: StatefulSet, pod: Member): Draft<PersistentVolumeClaim>[] {
  const ordinal = ordinalOf(pod) ?? -1;
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      name: getPersistentVolumeClaimName(set, metadata.name ?? "", ordinal),
      namespace: set.metadata.namespace ?? "",
      annotations: metadata.annotations ?? {},
      labels: { ...metadata.labels, ...set.spec.selector?.matchLabels },
      finalizers: metadata.finalizers ?? [],
    },
    spec,
  }));
}

/** A pod that may not exist yet; then only its name is known. */
interface Member {
  readonly metadata: Pick<ObjectMeta, "name" | "uid">;
}

type Refers = (reference: OwnerReference) => boolean;

interface Owners {
  readonly set: StatefulSet;
  readonly pod: Member;
}

function deletesWhenScaled({ spec }: StatefulSet): boolean {
  return spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete";
}

function deletesWhenDeleted({ spec }: StatefulSet): boolean {
  return spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
}

/** Reports whether the owner references of a claim are correct. If that cannot be determined, the claim is not changed. */
function isClaimOwnerUpToDate(claim: PersistentVolumeClaim, owners: Owners): boolean {
  const { set, pod } = owners;
  if (isStale(claim, namesSet(set), set.metadata.uid) || isStale(claim, namesPod(pod), pod.metadata.uid)) return true;
  const hasSet = isOwnedBy(claim, set.metadata.uid);
  const hasPod = isOwnedBy(claim, pod.metadata.uid);
  if (hasUnexpectedController(claim, owners)) return !hasSet && !hasPod;
  const ours = referencesOf(claim).filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid);
  if (ours.some(({ controller }) => !controller)) return false;
  const desiredOwner = wantedOwner(owners);
  return hasSet === (desiredOwner === "set") && hasPod === (desiredOwner === "pod");
}

function updateClaimOwnerRefForSetAndPod(claim: PersistentVolumeClaim, owners: Owners): OwnerReference[] {
  const { set, pod } = owners;
  const isSet = namesSet(set);
  const isPod = namesPod(pod);
  const otherReferences = referencesOf(claim).filter((reference) => !isSet(reference) && !isPod(reference));
  const desiredOwner = hasUnexpectedController(claim, owners) ? undefined : wantedOwner(owners);
  if (!desiredOwner) return otherReferences;
  const kind = desiredOwner === "set" ? statefulSets : pods;
  const { name = "", uid = "" } = owners[desiredOwner].metadata;
  const { apiVersion } = kind;
  return [...otherReferences, { apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

/** Reports whether the claim has another controller although the policy requires ownership. */
function hasUnexpectedController(claim: PersistentVolumeClaim, { set, pod }: Owners): boolean {
  if (!deletesWhenScaled(set) && !deletesWhenDeleted(set)) return false;
  const isSet = namesSet(set);
  const isPod = namesPod(pod);
  return referencesOf(claim).some((reference) => {
    if (isSet(reference)) return reference.uid !== set.metadata.uid;
    if (isPod(reference)) return reference.uid !== pod.metadata.uid;
    return reference.controller === true;
  });
}

/** Reports whether the claim belongs to an earlier pod with the same name, and is deleted with it. */
function isOfEarlierPod(claim: PersistentVolumeClaim, pod: Member): boolean {
  return isStale(claim, namesPod(pod), pod.metadata.uid);
}

/**
 * Returns the owner of a claim: the pod, if it is beyond the range and the policy deletes its claims; otherwise the set, if its policy
 * does.
 */
function wantedOwner({ set, pod }: Owners): "set" | "pod" | undefined {
  if (deletesWhenScaled(set) && !podInOrdinalRange(pod, set)) return "pod";
  return deletesWhenDeleted(set) ? "set" : undefined;
}

function namesSet({ metadata }: StatefulSet): Refers {
  return ({ apiVersion, kind, name }) =>
    apiVersion === statefulSets.apiVersion && kind === statefulSets.kind && name === metadata.name;
}

function namesPod({ metadata }: Member): Refers {
  return ({ apiVersion, kind, name }) => apiVersion === pods.apiVersion && kind === pods.kind && name === metadata.name;
}

/** Reports whether a reference is to an earlier object with the same name. */
function isStale(claim: PersistentVolumeClaim, names: Refers, uid: string | undefined): boolean {
  const first = referencesOf(claim).find(names);
  return first !== undefined && first.uid !== uid;
}

function isOwnedBy(claim: PersistentVolumeClaim, uid: string | undefined): boolean {
  return referencesOf(claim).some((reference) => reference.uid === uid);
}

function referencesOf({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}
