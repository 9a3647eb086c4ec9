// VolumeBinding: filters nodes by the volumes of a pod, and binds claims that wait for the scheduler's choice.
import { limits } from "../../../shared/base/limits.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  TopologySelectorTerm,
} from "../../../shared/k8s/api/core-v1.ts";
import { type Labels, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { compareQuantities, parseQuantity, zeroQuantity, quantityValue } from "../../../shared/k8s/quantity.ts";
import {
  bindCompleted,
  hasAnnotation,
  noProvisioner,
  selectedNode,
  withAnnotations,
} from "../../controllers/common/volumes/annotations.ts";
import { classOfClaim, findMatchingVolume, checkNodeAffinity } from "../../controllers/common/volumes/matching.ts";
import { claimsOf, volumeIsForPod, namesClaim } from "../../controllers/common/volumes/pod-claims.ts";
import type { NodeInfo } from "../node-info.ts";
import { type Cycle, type Plugin, unschedulableAndUnresolvable } from "../framework.ts";
import type { StorageLister } from "../listers.ts";
import type { CSIDriver, CSIStorageCapacity } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import type { Client } from "../../registry/client.ts";
import { getBindVolumeToClaim } from "../../controllers/common/volumes/binding.ts";

/** The remaining work for a pod's claims before it can be bound to a node. */
interface PodVolumes {
  readonly static: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  readonly dynamic: readonly PersistentVolumeClaim[];
}

export const volumeBinding: Plugin = {
  name: "VolumeBinding",
  preFilter({ pod, storage }) {
    if (claimsOf(pod).length === 0) return undefined;
    const problem = claimsProblem(pod, storage);
    if (problem !== undefined) return { status: unschedulableAndUnresolvable(problem), filter: () => undefined };
    const claims = getPodVolumeClaims(pod, storage);
    const candidateVolumes = candidatesFor(claims.waiting, storage);
    return {
      filter: (node) => {
        const reasons = findPodVolumes(claims, candidateVolumes, node, storage);
        return reasons.length > 0 ? unschedulableAndUnresolvable(...reasons) : undefined;
      },
    };
  },
  preBind(cycle, node) {
    const volumes = podVolumesOn(cycle, node);
    if (!volumes) return undefined;
    return ({ client }) => {
      bindVolumes(volumes, node.name, client);
      return false;
    };
  },
  eventsToRegister: [
    "StorageClass/Add",
    "StorageClass/Update",
    "PersistentVolumeClaim/Add",
    "PersistentVolumeClaim/Update",
    "PersistentVolume/Add",
    "PersistentVolume/Update",
    "Node/Add",
    "Node/UpdateNodeLabel",
    "CSINode/Add",
    "CSINode/Update",
    "CSIDriver/Update",
    "CSIStorageCapacity/Add",
    "CSIStorageCapacity/Update",
  ],
  queueingHint,
};

/** Returns the remaining work on the selected node; undefined if every claim is bound. */
function podVolumesOn({ pod, storage }: Cycle, node: NodeInfo): PodVolumes | undefined {
  if (claimsOf(pod).length === 0) return undefined;
  const { waiting } = getPodVolumeClaims(pod, storage);
  if (waiting.length === 0) return undefined;
  const decision = chooseVolumes(waiting, candidatesFor(waiting, storage), node, storage);
  return "conflict" in decision ? undefined : decision;
}

/** Returns why the pod's claims prevent scheduling (upstream's `podHasPVCs` and its `PreFilter`). */
function claimsProblem(pod: Pod, storage: StorageLister): string | undefined {
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
    const problem = isEphemeral ? volumeIsForPod(pod, claim) : undefined;
    if (problem !== undefined) return problem;
  }
  const { hasUnboundImmediate: isImmediate } = getPodVolumeClaims(pod, storage);
  return isImmediate ? "pod has unbound immediate PersistentVolumeClaims" : undefined;
}

interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** The unbound claims that the scheduler binds. */
  readonly waiting: readonly PersistentVolumeClaim[];
  readonly hasUnboundImmediate: boolean;
}

function getPodVolumeClaims(pod: Pod, storage: StorageLister): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  let hasUnboundImmediate = false;
  for (const { name } of claimsOf(pod)) {
    const claim = storage.claim(pod.metadata.namespace ?? "", name);
    if (!claim) continue;
    const mode = storage.storageClass(classOfClaim(claim))?.volumeBindingMode;
    if (claim.spec.volumeName && hasAnnotation(claim.metadata, bindCompleted)) bound.push(claim);
    else if (mode === "WaitForFirstConsumer" && !claim.spec.volumeName) waiting.push(claim);
    else hasUnboundImmediate = true;
  }
  return { bound, waiting, hasUnboundImmediate };
}

function candidatesFor(claims: readonly PersistentVolumeClaim[], storage: StorageLister): readonly PersistentVolume[] {
  return claims.length > 0 ? storage.volumes() : [];
}

function findPodVolumes(
  claims: PodClaims,
  candidateVolumes: readonly PersistentVolume[],
  node: NodeInfo,
  storage: StorageLister,
): readonly string[] {
  const reasons: string[] = [];
  const volumes = claims.bound.map(({ spec }) => storage.volume(spec.volumeName ?? ""));
  // The first missing or mismatching volume ends the search.
  const mismatchedVolume = volumes.find((volume) => !volume || !checkNodeAffinity(volume, node.facts.labels));
  if (mismatchedVolume) reasons.push("node(s) didn't match PersistentVolume's node affinity");
  const decision =
    claims.waiting.length > 0 ? chooseVolumes(claims.waiting, candidateVolumes, node, storage) : undefined;
  if (decision && "conflict" in decision) reasons.push(decision.conflict);
  if (!mismatchedVolume && volumes.includes(undefined)) {
    reasons.push("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  return reasons;
}

const noVolumes = { conflict: "node(s) didn't find available persistent volumes to bind" };
const noSpace = { conflict: "node(s) did not have enough free storage" };

/** Chooses a volume for each unbound claim, smallest claim first. The remaining claims are provisioned. */
function chooseVolumes(
  claims: readonly PersistentVolumeClaim[],
  candidateVolumes: readonly PersistentVolume[],
  node: NodeInfo,
  storage: StorageLister,
): PodVolumes | { readonly conflict: string } {
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const dynamic: PersistentVolumeClaim[] = [];
  const chosenVolumes = new Set<string>();
  for (const claim of [...claims].sort(bySize)) {
    const selectedNodeName = claim.metadata.annotations?.[selectedNode];
    if (selectedNodeName !== undefined && selectedNodeName !== node.name) return noVolumes;
    const volume =
      selectedNodeName === undefined
        ? findMatchingVolume(claim, candidateVolumes, {
            node: node.facts.labels,
            taken: chosenVolumes,
            isDelayed: true,
          })
        : undefined;
    if (volume) {
      chosenVolumes.add(volume.metadata.name ?? "");
      bindings.push({ claim, volume });
    } else if (!checkVolumeProvisions(claim, node.facts.labels, storage)) {
      return noVolumes;
    } else if (!hasEnoughCapacity(claim, node.facts.labels, storage)) {
      return noSpace;
    } else {
      dynamic.push(claim);
    }
  }
  return { static: bindings, dynamic };
}

function checkVolumeProvisions(claim: PersistentVolumeClaim, labels: Labels, storage: StorageLister): boolean {
  const storageClass = storage.storageClass(classOfClaim(claim));
  if (!storageClass?.provisioner || storageClass.provisioner === noProvisioner) return false;
  return matchTopologySelectorTerms(storageClass.allowedTopologies, labels);
}

/** Matches the topology of a class. No terms match every node. */
function matchTopologySelectorTerms(terms: readonly TopologySelectorTerm[] | undefined, labels: Labels): boolean {
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

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

/** Reports whether a driver has enough capacity. Drivers that do not report capacity are not limited. */
function hasEnoughCapacity(claim: PersistentVolumeClaim, labels: Labels, storage: StorageLister): boolean {
  const requestedStorage = claim.spec.resources.requests?.storage;
  const className = classOfClaim(claim);
  const provisioner = storage.storageClass(className)?.provisioner ?? "";
  if (requestedStorage === undefined || storage.driver(provisioner)?.spec.storageCapacity !== true) return true;
  const bytes = quantityValue(requestedStorage);
  return storage.capacities().some((capacity) => {
    const { storageClassName, nodeTopology } = capacity;
    if (storageClassName !== className || (limitOf(capacity) ?? -1) < bytes) return false;
    return nodeTopology !== undefined && labelSelectorAsSelector(nodeTopology).matches(labels);
  });
}

function queueingHint({ pod }: Cycle, change: ClusterEvent): boolean {
  switch (change.resource) {
    case "PersistentVolumeClaim": {
      const { namespace, name = "" } = change.newObj?.metadata ?? {};
      return namespace === pod.metadata.namespace && namesClaim(pod, name);
    }
    case "StorageClass":
      return !change.oldObj || !semanticEqual(change.newObj?.allowedTopologies, change.oldObj.allowedTopologies);
    case "CSIStorageCapacity": {
      const limit = change.newObj && limitOf(change.newObj);
      const before = change.oldObj && limitOf(change.oldObj);
      return !change.oldObj || (limit !== undefined && (before === undefined || limit > before));
    }
    case "CSINode": {
      const migratedPluginsOf = (csiNode: typeof change.newObj) =>
        csiNode?.metadata.annotations?.[migratedPlugins] ?? "";
      return !change.oldObj || migratedPluginsOf(change.newObj) !== migratedPluginsOf(change.oldObj);
    }
    case "CSIDriver":
      return stoppedReportingCapacity(change.newObj, change.oldObj) && usesDriver(pod, change.newObj?.metadata.name);
    default:
      return true;
  }
}

function limitOf({ maximumVolumeSize, capacity }: CSIStorageCapacity): number | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : quantityValue(limit);
}

function stoppedReportingCapacity(after: CSIDriver | undefined, before: CSIDriver | undefined): boolean {
  return before?.spec.storageCapacity === true && after?.spec.storageCapacity !== true;
}

function usesDriver({ spec }: Pod, name: string | undefined): boolean {
  return spec.volumes?.some(({ csi }) => csi?.driver === name) ?? false;
}

/** Writes the bindings. The volume controller and the provisioner do the rest. */
function bindVolumes(decision: PodVolumes, nodeName: string, client: Client): void {
  // Past this number, the remaining writes follow when the pod is reconciled again.
  let remainingWrites: number = limits.writesPerTurn;
  for (const { claim, volume } of decision.static) {
    if (remainingWrites-- <= 0) return;
    client.update(persistentVolumes, getBindVolumeToClaim(volume, claim));
  }
  for (const claim of decision.dynamic) {
    if (claim.metadata.annotations?.[selectedNode] === nodeName) continue;
    if (remainingWrites-- <= 0) return;
    const metadata = withAnnotations(claim.metadata, { [selectedNode]: nodeName });
    client.update(persistentVolumeClaims, { ...claim, metadata });
  }
}
