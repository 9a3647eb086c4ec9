// The persistent volume controller: binds claims and volumes, and reclaims volumes. Requests with a namespace are claims.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import type { StorageClass } from "../../../../shared/k8s/api/storage-v1.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import { storageClasses } from "../../../kinds/storage/storage-class.ts";
import type { Client } from "../../../registry/client.ts";
import { type Request, defineController, requestOf, watch } from "../../../runtime/controller.ts";
import { bindCompleted, hasAnnotation } from "../../common/volumes/annotations.ts";
import { classOfClaim, classOfVolume } from "../../common/volumes/matching.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

export const persistentVolumeController = defineController({
  name: "persistent-volume-binder",
  component: "persistentvolume-controller",
  watches: [
    watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next, previous) {
      if (next) yield requestOf(next);
      const volumeName = previous?.spec.volumeName;
      if (!next && volumeName) yield { namespace: "", name: volumeName };
    }),
    watch<PersistentVolume>(persistentVolumes, function* (next, previous, client) {
      if (next) yield requestOf(next);
      yield* claimsAfter(next, previous, client);
    }),
    watch<StorageClass>(storageClasses, function* (next, _previous, client) {
      if (!next) return;
      const name = next.metadata.name ?? "";
      yield* freeClaims(client, (claim) => classOfClaim(claim) === name || claim.spec.storageClassName === undefined);
    }),
  ],
  reconcile({ namespace, name }, context) {
    if (namespace === "") {
      const volume = context.client.get(persistentVolumes, "", name);
      if (volume) syncVolume(volume, context);
      return undefined;
    }
    const claim = context.client.get(persistentVolumeClaims, namespace, name);
    if (claim) syncClaim(claim, context);
    return undefined;
  },
});

/** Requests the claims that a change of a volume affects: its own claim, or claims that may use it. */
function* claimsAfter(
  next: PersistentVolume | undefined,
  previous: PersistentVolume | undefined,
  client: Client,
): Generator<Request> {
  const claimRef = (next ?? previous)?.spec.claimRef;
  if (claimRef) {
    const claim = client.get(persistentVolumeClaims, claimRef.namespace ?? "", claimRef.name ?? "");
    const isSettled = next && claim && hasAnnotation(claim.metadata, bindCompleted) && next.status.phase === "Bound";
    if (claim && !isSettled) yield requestOf(claim);
  } else if (next?.status.phase === "Available") {
    yield* freeClaims(client, (claim) =>
      claim.spec.volumeName
        ? claim.spec.volumeName === next.metadata.name
        : classOfClaim(claim) === classOfVolume(next),
    );
  }
}

function* freeClaims(client: Client, may: (claim: PersistentVolumeClaim) => boolean): Generator<Request> {
  for (const claim of client.list(persistentVolumeClaims)) {
    if (!hasAnnotation(claim.metadata, bindCompleted) && may(claim)) yield requestOf(claim);
  }
}
