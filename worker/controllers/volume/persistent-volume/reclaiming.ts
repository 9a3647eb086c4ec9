// Reclaims released volumes of in-tree plugins.
import type { PersistentVolume } from "../../../../shared/k8s/api/core-v1.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { Client } from "../../../registry/client.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { provisionedBy } from "../../common/volumes/annotations.ts";
import { updateVolumePhaseWithEvent, unbind } from "../../common/volumes/binding.ts";
import { isPodTerminated, namesClaim } from "../../common/volumes/pod-claims.ts";

export function reclaimVolume(volume: PersistentVolume, context: ReconcileContext): void {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case "Retain":
      return;
    case "Recycle":
      return recycleVolumeOperation(volume, context);
    case "Delete":
      return deleteVolumeOperation(volume, context);
    default: {
      const message = "Volume has unrecognized PersistentVolumeReclaimPolicy";
      return updateVolumePhaseWithEvent(volume, "VolumeUnknownReclaimPolicy", message, context);
    }
  }
}

/** Recycles a volume without the scrubber pod. */
function recycleVolumeOperation(volume: PersistentVolume, context: ReconcileContext): void {
  const users = usersOf(volume, context.client);
  if (users.length > 0) {
    const message = `Volume is used by pods: ${users.join(",")}`;
    context.event(volume, "Normal", "VolumeFailedRecycle", message);
  } else if (volume.spec.hostPath || volume.spec.nfs) {
    context.event(volume, "Normal", "VolumeRecycled", "Volume recycled");
    unbind(volume, context.client);
  } else {
    updateVolumePhaseWithEvent(volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!", context);
  }
}

/** Deletes a volume. Only the host path plugin deletes in-tree; other provisioners delete their volumes. */
function deleteVolumeOperation(volume: PersistentVolume, context: ReconcileContext): void {
  const { metadata, spec } = volume;
  const name = metadata.name ?? "";
  const maker = metadata.annotations?.[provisionedBy] ?? "";
  if (spec.csi || (maker !== "" && !maker.startsWith("kubernetes.io/"))) return;
  if (!spec.hostPath) {
    const message = `error getting deleter volume plugin for volume ${JSON.stringify(name)}: no deletable volume plugin matched`;
    updateVolumePhaseWithEvent(volume, "VolumeFailedDelete", message, context);
  } else if (!/^\/tmp\/.+/.test(spec.hostPath.path)) {
    const message = `host_path deleter only supports /tmp/.+ but received provided ${spec.hostPath.path}`;
    updateVolumePhaseWithEvent(volume, "VolumeFailedDelete", message, context);
  } else {
    context.client.tryDelete(persistentVolumes, "", name);
  }
}

function usersOf({ spec: { claimRef } }: PersistentVolume, client: Client): string[] {
  const { namespace = "", name = "" } = claimRef ?? {};
  return client
    .list(pods, { namespace })
    .filter((pod) => namesClaim(pod, name) && !isPodTerminated(pod))
    .map(({ metadata }) => `${namespace}/${metadata.name ?? ""}`);
}
