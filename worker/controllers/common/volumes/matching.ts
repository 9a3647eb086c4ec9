// Which volume suits a claim (upstream: `component-helpers/storage/volume`). Pure.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { type Labels, labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";
import { compareQuantities, parseQuantity, quantityValue, zeroQuantity } from "../../../../shared/k8s/quantity.ts";
import { accessModesText } from "../../../kinds/core/persistent-volume-claim/access-modes.ts";
import { getPersistentVolumeClass } from "../../../kinds/core/persistent-volume-claim/storage-class.ts";
import { nodeTermMatches } from "../node-selector.ts";

export interface Match {
  /** The scheduler's question: a volume for this node, with all access modes. Absent: the controller's. */
  readonly node?: Labels;
  /** Volumes that other claims of the same pod take. */
  readonly taken?: ReadonlySet<string>;
  /** Only a volume that is meant for this claim; the scheduler chooses among the others. */
  readonly isDelayed?: boolean;
}

/** Of the volumes with the fewest access modes that suffice, the smallest. */
export function findBestMatchForClaim(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  isDelayed: boolean,
): PersistentVolume | undefined {
  const groups = new Map<string, PersistentVolume[]>();
  for (const volume of volumes) {
    if (volume.spec.claimRef ? !isVolumeBoundToClaim(volume, claim) : isDelayed) continue;
    if (!hasModes(volume, claim)) continue;
    const key = accessModesText(volume.spec.accessModes);
    groups.set(key, [...(groups.get(key) ?? []), volume]);
  }
  const ordered = [...groups].sort(([a], [b]) => modeCount(a) - modeCount(b) || (a < b ? -1 : 1));
  for (const [, group] of ordered) {
    const found = findMatchingVolume(claim, group, { isDelayed });
    if (found) return found;
  }
  return undefined;
}

export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { node, taken, isDelayed = false }: Match,
): PersistentVolume | undefined {
  const wanted = sizeOf(claim.spec.resources.requests);
  const { selector: labels } = claim.spec;
  const selector = labels && labelSelectorAsSelector(labels);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name ?? "") || !couldServe(volume, claim, wanted)) continue;
    const isNear = !node || checkNodeAffinity(volume, node);
    if (isVolumeBoundToClaim(volume, claim)) return isNear ? volume : undefined;
    if (!node && isDelayed) continue;
    if (volume.status.phase !== "Available" || !isNear) continue;
    if (selector && !selector.matches(volume.metadata.labels)) continue;
    if (classOfVolume(volume) !== classOfClaim(claim)) continue;
    if (node && !hasModes(volume, claim)) continue;
    const isSmaller = !smallest || compareQuantities(capacityOf(volume), capacityOf(smallest)) < 0;
    if (isSmaller) smallest = volume;
  }
  return smallest;
}

/** Why a volume that the claim names is not for it. */
export function checkVolumeSatisfyClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { name = "", deletionTimestamp } = volume.metadata;
  if (deletionTimestamp) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  const asked = quantityValue(claim.spec.resources.requests?.storage ?? "0");
  if (quantityValue(volume.spec.capacity?.storage ?? "0") < asked) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  if (!hasSameAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (hasOtherVolumeMode(volume, claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** Meant for the claim, or bound to it. */
export function isVolumeBoundToClaim(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (!claimRef || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

export function hasOtherVolumeMode({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (spec.volumeMode ?? "Filesystem") !== (claim.spec.volumeMode ?? "Filesystem");
}

export function checkNodeAffinity({ spec }: PersistentVolume, labels: Labels): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return !terms || terms.some((term) => nodeTermMatches(term, { name: "", facts: { labels } }));
}

export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return getPersistentVolumeClass(metadata, spec.storageClassName);
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return getPersistentVolumeClass(metadata, spec.storageClassName);
}

function couldServe(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  wanted: ReturnType<typeof sizeOf>,
): boolean {
  if (volume.spec.claimRef && !isVolumeBoundToClaim(volume, claim)) return false;
  if (volume.metadata.deletionTimestamp || hasOtherVolumeMode(volume, claim)) return false;
  return hasSameAttributes(volume, claim) && compareQuantities(capacityOf(volume), wanted) >= 0;
}

function hasSameAttributes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (spec.volumeAttributesClassName ?? "") === (claim.spec.volumeAttributesClassName ?? "");
}

function hasModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode));
}

function capacityOf({ spec }: PersistentVolume) {
  return sizeOf(spec.capacity);
}

function sizeOf(list: Readonly<Record<string, string>> | undefined) {
  return parseQuantity(list?.["storage"] ?? "0") ?? zeroQuantity;
}

function modeCount(text: string): number {
  return text.split(",").length;
}
