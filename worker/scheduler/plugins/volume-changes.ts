// Room for volumes that are still to be made, and the changes that may let a pod have its volumes (upstream: VolumeBinding's hints).
import type { PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { CSIDriver, CSIStorageCapacity } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type Labels, selectorFrom } from "../../../shared/k8s/labels.ts";
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import { classOfClaim } from "../../controllers/common/volumes/matching.ts";
import { namesClaim } from "../../controllers/common/volumes/pod-claims.ts";
import type { Change } from "../cluster-event.ts";
import type { Cycle } from "../framework.ts";
import type { Storage } from "../listers.ts";

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

/** Upstream's `hasEnoughCapacity`: only drivers that tell of their capacity are held to it. */
export function hasCapacity(claim: PersistentVolumeClaim, labels: Labels, storage: Storage): boolean {
  const wanted = claim.spec.resources.requests?.storage;
  const className = classOfClaim(claim);
  const provisioner = storage.storageClass(className)?.provisioner ?? "";
  if (wanted === undefined || storage.driver(provisioner)?.spec.storageCapacity !== true) return true;
  const bytes = quantityValue(wanted);
  return storage.capacities().some((one) => {
    const { storageClassName, nodeTopology } = one;
    if (storageClassName !== className || (limitOf(one) ?? -1) < bytes) return false;
    return nodeTopology !== undefined && selectorFrom(nodeTopology).matches(labels);
  });
}

export function volumeWakes({ pod }: Cycle, change: Change): boolean {
  switch (change.kind) {
    case "PersistentVolumeClaim": {
      const { namespace, name = "" } = change.after?.metadata ?? {};
      return namespace === pod.metadata.namespace && namesClaim(pod, name);
    }
    case "StorageClass":
      return !change.before || !semanticEqual(change.after?.allowedTopologies, change.before.allowedTopologies);
    case "CSIStorageCapacity": {
      const limit = change.after && limitOf(change.after);
      const before = change.before && limitOf(change.before);
      return !change.before || (limit !== undefined && (before === undefined || limit > before));
    }
    case "CSINode": {
      const migrated = (one: typeof change.after) => one?.metadata.annotations?.[migratedPlugins] ?? "";
      return !change.before || migrated(change.after) !== migrated(change.before);
    }
    case "CSIDriver":
      return tellsNoMore(change.after, change.before) && usesDriver(pod, change.after?.metadata.name);
    default:
      return true;
  }
}

function limitOf({ maximumVolumeSize, capacity }: CSIStorageCapacity): number | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : quantityValue(limit);
}

function tellsNoMore(after: CSIDriver | undefined, before: CSIDriver | undefined): boolean {
  return before?.spec.storageCapacity === true && after?.spec.storageCapacity !== true;
}

function usesDriver({ spec }: Pod, name: string | undefined): boolean {
  return spec.volumes?.some(({ csi }) => csi?.driver === name) ?? false;
}
