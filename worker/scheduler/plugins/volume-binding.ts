// VolumeBinding: a pod goes where its volumes are, or where they can be; claims that wait for the choice are told of it.
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  TopologySelectorTerm,
} from "../../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../../shared/k8s/labels.ts";
import { compareQuantities, parseQuantity, zeroQuantity } from "../../../shared/k8s/quantity.ts";
import { bindCompleted, hasAnnotation, noProvisioner, selectedNode } from "../../controllers/common/volumes/annotations.ts";
import { classOfClaim, matchingVolume, reaches } from "../../controllers/common/volumes/matching.ts";
import { claimsOf, ownershipProblem } from "../../controllers/common/volumes/pod-claims.ts";
import type { NodeInfo } from "../node-info.ts";
import { type Cycle, type Plugin, unresolvable } from "../framework.ts";
import { hasCapacity, volumeWakes } from "./volume-changes.ts";
import type { Storage } from "../listers.ts";

/** What is still to be done for a pod's claims before it can be bound to a node. */
export interface VolumeDecision {
  readonly static: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  readonly dynamic: readonly PersistentVolumeClaim[];
}

export const volumeBinding: Plugin = {
  name: "VolumeBinding",
  filter({ pod, storage }) {
    if (claimsOf(pod).length === 0) return undefined;
    const problem = claimsProblem(pod, storage);
    if (problem !== undefined) return { rejection: unresolvable(problem), check: () => undefined };
    const claims = podClaims(pod, storage);
    const free = volumesFor(claims.waiting, storage);
    return {
      check: (node) => {
        const reasons = conflicts(claims, free, node, storage);
        return reasons.length > 0 ? unresolvable(...reasons) : undefined;
      },
    };
  },
  wakesOn: [
    "StorageClass/add",
    "StorageClass/update",
    "PersistentVolumeClaim/add",
    "PersistentVolumeClaim/update",
    "PersistentVolume/add",
    "PersistentVolume/update",
    "Node/add",
    "Node/label",
    "CSINode/add",
    "CSINode/update",
    "CSIDriver/update",
    "CSIStorageCapacity/add",
    "CSIStorageCapacity/update",
  ],
  wakes: volumeWakes,
};

/** What remains to be done on the chosen node; undefined when every claim is bound. */
export function volumeDecision({ pod, storage }: Cycle, node: NodeInfo): VolumeDecision | undefined {
  if (claimsOf(pod).length === 0) return undefined;
  const { waiting } = podClaims(pod, storage);
  if (waiting.length === 0) return undefined;
  const decision = decide(waiting, volumesFor(waiting, storage), node, storage);
  return "conflict" in decision ? undefined : decision;
}

/** Upstream's `podHasPVCs`, and what its `PreFilter` says of claims that are to be bound without the scheduler. */
function claimsProblem(pod: Pod, storage: Storage): string | undefined {
  const namespace = pod.metadata.namespace ?? "";
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const quoted = JSON.stringify(name);
    const claim = storage.claim(namespace, name);
    if (!claim) {
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
        : `persistentvolumeclaim ${quoted} not found`;
    }
    if (claim.status.phase === "Lost") {
      const volume = JSON.stringify(claim.spec.volumeName ?? "");
      return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volume}`;
    }
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim ${quoted} is being deleted`;
    const problem = isEphemeral ? ownershipProblem(pod, claim) : undefined;
    if (problem !== undefined) return problem;
  }
  const { isImmediate } = podClaims(pod, storage);
  return isImmediate ? "pod has unbound immediate PersistentVolumeClaims" : undefined;
}

interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Unbound, and left to the scheduler. */
  readonly waiting: readonly PersistentVolumeClaim[];
  readonly isImmediate: boolean;
}

/** Upstream's `GetPodVolumeClaims`. */
function podClaims(pod: Pod, storage: Storage): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  let isImmediate = false;
  for (const { name } of claimsOf(pod)) {
    const claim = storage.claim(pod.metadata.namespace ?? "", name);
    if (!claim) continue;
    const mode = storage.storageClass(classOfClaim(claim))?.volumeBindingMode;
    if (claim.spec.volumeName && hasAnnotation(claim.metadata, bindCompleted)) bound.push(claim);
    else if (mode === "WaitForFirstConsumer" && !claim.spec.volumeName) waiting.push(claim);
    else isImmediate = true;
  }
  return { bound, waiting, isImmediate };
}

function volumesFor(claims: readonly PersistentVolumeClaim[], storage: Storage): readonly PersistentVolume[] {
  return claims.length > 0 ? storage.volumes() : [];
}

/** Upstream's `FindPodVolumes`. */
function conflicts(
  claims: PodClaims,
  free: readonly PersistentVolume[],
  node: NodeInfo,
  storage: Storage,
): readonly string[] {
  const reasons: string[] = [];
  const volumes = claims.bound.map(({ spec }) => storage.volume(spec.volumeName ?? ""));
  // The first that is missing ends the look, as the first that does not match does.
  const bad = volumes.find((volume) => !volume || !reaches(volume, node.facts.labels));
  if (bad) reasons.push("node(s) didn't match PersistentVolume's node affinity");
  const decision = claims.waiting.length > 0 ? decide(claims.waiting, free, node, storage) : undefined;
  if (decision && "conflict" in decision) reasons.push(decision.conflict);
  if (!bad && volumes.includes(undefined)) {
    reasons.push("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  return reasons;
}

const noVolumes = { conflict: "node(s) didn't find available persistent volumes to bind" };
const noSpace = { conflict: "node(s) did not have enough free storage" };

/** Volumes for the claims that have found none, smallest claim first; what finds none is to be made. */
function decide(
  claims: readonly PersistentVolumeClaim[],
  free: readonly PersistentVolume[],
  node: NodeInfo,
  storage: Storage,
): VolumeDecision | { readonly conflict: string } {
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const dynamic: PersistentVolumeClaim[] = [];
  const taken = new Set<string>();
  for (const claim of [...claims].sort(bySize)) {
    const chosen = claim.metadata.annotations?.[selectedNode];
    if (chosen !== undefined && chosen !== node.name) return noVolumes;
    const volume =
      chosen === undefined
        ? matchingVolume(claim, free, { node: node.facts.labels, taken, isDelayed: true })
        : undefined;
    if (volume) {
      taken.add(volume.metadata.name ?? "");
      bindings.push({ claim, volume });
    } else if (!canProvision(claim, node.facts.labels, storage)) {
      return noVolumes;
    } else if (!hasCapacity(claim, node.facts.labels, storage)) {
      return noSpace;
    } else {
      dynamic.push(claim);
    }
  }
  return { static: bindings, dynamic };
}

/** Upstream's `checkVolumeProvisions`. */
function canProvision(claim: PersistentVolumeClaim, labels: Labels, storage: Storage): boolean {
  const storageClass = storage.storageClass(classOfClaim(claim));
  if (!storageClass?.provisioner || storageClass.provisioner === noProvisioner) return false;
  return inTopologies(storageClass.allowedTopologies, labels);
}

/** Upstream's `MatchTopologySelectorTerms`: no terms allow every node. */
function inTopologies(terms: readonly TopologySelectorTerm[] | undefined, labels: Labels): boolean {
  if (!terms?.length) return true;
  return terms.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
  );
}

function bySize(a: PersistentVolumeClaim, b: PersistentVolumeClaim): number {
  const size = ({ spec }: PersistentVolumeClaim) =>
    parseQuantity(spec.resources.requests?.storage ?? "0") ?? zeroQuantity;
  return compareQuantities(size(a), size(b));
}
