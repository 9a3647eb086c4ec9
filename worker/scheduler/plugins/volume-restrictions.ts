// VolumeRestrictions: filters nodes by disks that cannot be shared, and by claims that only one pod may use.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type PodInfo, isVolumeConflict, disksOf } from "../pod-info.ts";
import { claimsOf } from "../../controllers/common/volumes/pod-claims.ts";
import { type Cycle, type Plugin, type Status, unschedulable, unschedulableAndUnresolvable } from "../framework.ts";

const takenDisk = unschedulable("node(s) had no available disk");
const takenClaim = unschedulable(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

export const volumeRestrictions: Plugin = {
  name: "VolumeRestrictions",
  preFilter(cycle) {
    const { pod, snapshot, info } = cycle;
    const disks = disksOf(pod);
    const exclusive = exclusiveClaims(cycle);
    if ("status" in exclusive) return { ...exclusive, filter: () => undefined };
    const { names } = exclusive;
    let users = [...names].filter((name) => snapshot.isClaimUsed(info.namespace, name)).length;
    if (disks.length === 0 && users === 0) return undefined;
    // Claims are counted by name alone, whatever the namespace.
    const count = ({ volumes }: PodInfo, sign: 1 | -1) => {
      for (const { name, isEphemeral } of volumes?.claims ?? []) if (!isEphemeral && names.has(name)) users += sign;
    };
    return {
      filter: ({ pods }) => {
        if (disks.length > 0) {
          for (const { volumes } of pods.values()) {
            if (volumes?.disks.some((podDisk) => disks.some((disk) => isVolumeConflict(disk, podDisk))))
              return takenDisk;
          }
        }
        return users > 0 ? takenClaim : undefined;
      },
      addPod: (_, pod) => count(pod, 1),
      removePod: (_, pod) => count(pod, -1),
    };
  },
  eventsToRegister: ["Pod/Delete", "Node/Add", "PersistentVolumeClaim/Add"],
  queueingHint({ pod }, change) {
    if (change.resource === "PersistentVolumeClaim") {
      const { namespace, name = "" } = change.newObj?.metadata ?? {};
      return namespace === pod.metadata.namespace && namedClaims(pod).includes(name);
    }
    if (change.resource !== "Pod") return true;
    const { oldObj } = change;
    if (!oldObj || oldObj.metadata.namespace !== pod.metadata.namespace) return false;
    const freed = disksOf(oldObj);
    if (disksOf(pod).some((disk) => freed.some((freedDisk) => isVolumeConflict(disk, freedDisk)))) return true;
    const released = namedClaims(oldObj);
    return namedClaims(pod).some((name) => released.includes(name));
  },
};

/** Returns the pod's claims with ReadWriteOncePod. All claims must exist. */
function exclusiveClaims({
  pod,
  storage,
}: Cycle): { readonly names: ReadonlySet<string> } | { readonly status: Status } {
  const names = new Set<string>();
  for (const name of namedClaims(pod)) {
    const claim = storage.claim(pod.metadata.namespace ?? "", name);
    if (!claim)
      return { status: unschedulableAndUnresolvable(`persistentvolumeclaim ${JSON.stringify(name)} not found`) };
    if (claim.spec.accessModes?.includes("ReadWriteOncePod")) names.add(name);
  }
  return { names };
}

function namedClaims(pod: Pod): readonly string[] {
  return claimsOf(pod)
    .filter(({ isEphemeral }) => !isEphemeral)
    .map(({ name }) => name);
}
