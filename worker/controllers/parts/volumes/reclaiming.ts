// What becomes of a volume whose claim is gone, where kube-controller-manager's own plugins see to it.
import type { PersistentVolume } from "../../../../shared/k8s/api/core-v1.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { Client } from "../../../registry/client.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { provisionedBy } from "./annotations.ts";
import { failVolume, unbind } from "./binding.ts";
import { isPodTerminated, namesClaim } from "./pod-claims.ts";

/** Upstream's `reclaimVolume`. */
export function reclaim(volume: PersistentVolume, context: ReconcileContext): void {
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case "Retain":
      return;
    case "Recycle":
      return recycle(volume, context);
    case "Delete":
      return deleteVolume(volume, context);
    default: {
      const message = "Volume has unrecognized PersistentVolumeReclaimPolicy";
      return failVolume(volume, "VolumeUnknownReclaimPolicy", message, context);
    }
  }
}

/** Upstream's `recycleVolumeOperation`, without the pod that scrubs. */
function recycle(volume: PersistentVolume, context: ReconcileContext): void {
  const users = usersOf(volume, context.client);
  if (users.length > 0) {
    const message = `Volume is used by pods: ${users.join(",")}`;
    context.event(volume, "Normal", "VolumeFailedRecycle", message);
  } else if (volume.spec.hostPath || volume.spec.nfs) {
    context.event(volume, "Normal", "VolumeRecycled", "Volume recycled");
    unbind(volume, context.client);
  } else {
    failVolume(volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!", context);
  }
}

/** Upstream's `deleteVolumeOperation`: only the plugin for paths of a node deletes in tree; other makers delete by themselves. */
function deleteVolume(volume: PersistentVolume, context: ReconcileContext): void {
  const { metadata, spec } = volume;
  const name = metadata.name ?? "";
  const maker = metadata.annotations?.[provisionedBy] ?? "";
  if (spec.csi || (maker !== "" && !maker.startsWith("kubernetes.io/"))) return;
  if (!spec.hostPath) {
    const message = `error getting deleter volume plugin for volume ${JSON.stringify(name)}: no deletable volume plugin matched`;
    failVolume(volume, "VolumeFailedDelete", message, context);
  } else if (!/^\/tmp\/.+/.test(spec.hostPath.path)) {
    const message = `host_path deleter only supports /tmp/.+ but received provided ${spec.hostPath.path}`;
    failVolume(volume, "VolumeFailedDelete", message, context);
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
