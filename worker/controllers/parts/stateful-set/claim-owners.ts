// Who owns a claim of a StatefulSet's pod, and so with whom it goes: the retention policy as owner references.
import type { StatefulSet } from "../../../../shared/k8s/api/apps-v1.ts";
import type { PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta, OwnerReference } from "../../../../shared/k8s/api/meta-v1.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import { statefulSets } from "../../../kinds/apps/stateful-set.ts";
import { isInRange } from "./identity.ts";

/** A pod that may not be made yet: then it has a name only. */
export interface Member {
  readonly metadata: Pick<ObjectMeta, "name" | "uid">;
}

type Refers = (reference: OwnerReference) => boolean;

interface Owners {
  readonly set: StatefulSet;
  readonly pod: Member;
}

export function deletesWhenScaled({ spec }: StatefulSet): boolean {
  return spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete";
}

function deletesWhenDeleted({ spec }: StatefulSet): boolean {
  return spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
}

/** Upstream's `isClaimOwnerUpToDate`; a claim of which nothing is certain is left alone. */
export function isOwnerUpToDate(claim: PersistentVolumeClaim, owners: Owners): boolean {
  const { set, pod } = owners;
  if (isStale(claim, namesSet(set), set.metadata.uid) || isStale(claim, namesPod(pod), pod.metadata.uid)) return true;
  const hasSet = isOwnedBy(claim, set.metadata.uid);
  const hasPod = isOwnedBy(claim, pod.metadata.uid);
  if (hasOtherController(claim, owners)) return !hasSet && !hasPod;
  const ours = referencesOf(claim).filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid);
  if (ours.some(({ controller }) => !controller)) return false;
  const wanted = wantedOwner(owners);
  return hasSet === (wanted === "set") && hasPod === (wanted === "pod");
}

/** Upstream's `updateClaimOwnerRefForSetAndPod`. */
export function updatedOwners(claim: PersistentVolumeClaim, owners: Owners): OwnerReference[] {
  const { set, pod } = owners;
  const isSet = namesSet(set);
  const isPod = namesPod(pod);
  const others = referencesOf(claim).filter((reference) => !isSet(reference) && !isPod(reference));
  const wanted = hasOtherController(claim, owners) ? undefined : wantedOwner(owners);
  if (!wanted) return others;
  const kind = wanted === "set" ? statefulSets : pods;
  const { name = "", uid = "" } = owners[wanted].metadata;
  const { apiVersion } = kind;
  return [...others, { apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

/** Upstream's `hasUnexpectedController`: somebody else's claim, where a policy would have us own it. */
export function hasOtherController(claim: PersistentVolumeClaim, { set, pod }: Owners): boolean {
  if (!deletesWhenScaled(set) && !deletesWhenDeleted(set)) return false;
  const isSet = namesSet(set);
  const isPod = namesPod(pod);
  return referencesOf(claim).some((reference) => {
    if (isSet(reference)) return reference.uid !== set.metadata.uid;
    if (isPod(reference)) return reference.uid !== pod.metadata.uid;
    return reference.controller === true;
  });
}

/** The claim of an earlier pod of that name, which goes with it. */
export function isOfEarlierPod(claim: PersistentVolumeClaim, pod: Member): boolean {
  return isStale(claim, namesPod(pod), pod.metadata.uid);
}

/** A pod beyond the range takes its claim along where that is the policy; else the set does where that is. */
function wantedOwner({ set, pod }: Owners): "set" | "pod" | undefined {
  if (deletesWhenScaled(set) && !isInRange(pod, set)) return "pod";
  return deletesWhenDeleted(set) ? "set" : undefined;
}

function namesSet({ metadata }: StatefulSet): Refers {
  return ({ apiVersion, kind, name }) =>
    apiVersion === statefulSets.apiVersion && kind === statefulSets.kind && name === metadata.name;
}

function namesPod({ metadata }: Member): Refers {
  return ({ apiVersion, kind, name }) => apiVersion === pods.apiVersion && kind === pods.kind && name === metadata.name;
}

/** The first reference by that name is to another object that had it. */
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
