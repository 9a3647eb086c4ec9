// Finds the volume for a claim (upstream: `component-helpers/storage/volume`). Pure.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { type Labels, labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";
import { compareQuantities, parseQuantity, quantityValue, zeroQuantity } from "../../../../shared/k8s/quantity.ts";
import { accessModesText } from "../../../kinds/core/persistent-volume-claim/access-modes.ts";
import { getPersistentVolumeClass } from "../../../kinds/core/persistent-volume-claim/storage-class.ts";
import { nodeTermMatches } from "../node-selector.ts";

export interface Match {
  /** The node of the scheduler's search, which requires all access modes. Undefined: the controller's search. */
  readonly node?: Labels;
  /** The volumes that other claims of the same pod take. */
  readonly taken?: ReadonlySet<string>;
  /** Whether only a volume reserved for this claim matches, because the scheduler selects the others. */
  readonly isDelayed?: boolean;
}

/** Returns the smallest volume among those with the fewest sufficient access modes. */
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
    const match = findMatchingVolume(claim, group, { isDelayed });
    if (match) return match;
  }
  return undefined;
}

export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { node, taken, isDelayed = false }: Match,
): PersistentVolume | undefined {
  const required = sizeOf(claim.spec.resources.requests);
  const { selector: labels } = claim.spec;
  const selector = labels && labelSelectorAsSelector(labels);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name ?? "") || !couldServe(volume, claim, required)) continue;
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

/** Returns why the volume that a claim names does not satisfy it. */
export function checkVolumeSatisfyClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { name = "", deletionTimestamp } = volume.metadata;
  if (deletionTimestamp) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  const requestedBytes = quantityValue(claim.spec.resources.requests?.storage ?? "0");
  if (quantityValue(volume.spec.capacity?.storage ?? "0") < requestedBytes) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  if (!hasSameAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (hasOtherVolumeMode(volume, claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** Reports whether a volume is reserved for the claim or bound to it. */
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
  required: ReturnType<typeof sizeOf>,
): boolean {
  if (volume.spec.claimRef && !isVolumeBoundToClaim(volume, claim)) return false;
  if (volume.metadata.deletionTimestamp || hasOtherVolumeMode(volume, claim)) return false;
  return hasSameAttributes(volume, claim) && compareQuantities(capacityOf(volume), required) >= 0;
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
