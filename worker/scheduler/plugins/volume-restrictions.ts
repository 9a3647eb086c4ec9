// VolumeRestrictions: disks that are not shared, and claims that only one pod may use.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { claimsOf } from "../../controllers/common/volumes/pod-claims.ts";
import { type Cycle, type Plugin, type Rejection, resolvable, unresolvable } from "../framework.ts";
import { disksConflict, disksOf } from "../pod-volumes.ts";

const takenDisk = resolvable("node(s) had no available disk");
const takenClaim = resolvable(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

export const volumeRestrictions: Plugin = {
  name: "VolumeRestrictions",
  filter(cycle) {
    const { pod, snapshot, info } = cycle;
    const disks = disksOf(pod);
    const exclusive = exclusiveClaims(cycle);
    if ("rejection" in exclusive) return { ...exclusive, check: () => undefined };
    const { names } = exclusive;
    let users = [...names].filter((name) => snapshot.isClaimUsed(info.namespace, name)).length;
    if (disks.length === 0 && users === 0) return undefined;
    return {
      check: ({ pods }) => {
        if (disks.length > 0) {
          for (const { volumes } of pods.values()) {
            if (volumes?.disks.some((one) => disks.some((own) => disksConflict(own, one)))) return takenDisk;
          }
        }
        return users > 0 ? takenClaim : undefined;
      },
      // As upstream, by the claim's name alone.
      shift: (_, { volumes }, sign) => {
        for (const { name, isEphemeral } of volumes?.claims ?? []) if (!isEphemeral && names.has(name)) users += sign;
      },
    };
  },
  wakesOn: ["Pod/delete", "Node/add", "PersistentVolumeClaim/add"],
  wakes({ pod }, change) {
    if (change.kind === "PersistentVolumeClaim") {
      const { namespace, name = "" } = change.after?.metadata ?? {};
      return namespace === pod.metadata.namespace && namedClaims(pod).includes(name);
    }
    if (change.kind !== "Pod") return true;
    const { before } = change;
    if (!before || before.metadata.namespace !== pod.metadata.namespace) return false;
    const freed = disksOf(before);
    if (disksOf(pod).some((own) => freed.some((one) => disksConflict(own, one)))) return true;
    const released = namedClaims(before);
    return namedClaims(pod).some((name) => released.includes(name));
  },
};

/** The pod's claims that only one pod may use; every claim has to be there to know. */
function exclusiveClaims({
  pod,
  storage,
}: Cycle): { readonly names: ReadonlySet<string> } | { readonly rejection: Rejection } {
  const names = new Set<string>();
  for (const name of namedClaims(pod)) {
    const claim = storage.claim(pod.metadata.namespace ?? "", name);
    if (!claim) return { rejection: unresolvable(`persistentvolumeclaim ${JSON.stringify(name)} not found`) };
    if (claim.spec.accessModes?.includes("ReadWriteOncePod")) names.add(name);
  }
  return { names };
}

function namedClaims(pod: Pod): readonly string[] {
  return claimsOf(pod)
    .filter(({ isEphemeral }) => !isEphemeral)
    .map(({ name }) => name);
}
