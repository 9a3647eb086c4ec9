// The protection of volumes: a deleted volume stays while a claim uses it.
import type { PersistentVolume } from "../../../shared/k8s/api/core-v1.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { defineController, self } from "../../runtime/controller.ts";
import { isDeletionCandidate, needToAddFinalizer, withFinalizer, withoutFinalizer } from "../common/finalizers.ts";

const volumeFinalizer = "kubernetes.io/pv-protection";

export const volumeProtection = defineController({
  name: "pv-protection-controller",
  component: "pv-protection-controller",
  watches: [self(persistentVolumes, (volume) => volume !== undefined && needsWork(volume))],
  reconcile({ name }, { client }) {
    const volume = client.get(persistentVolumes, "", name);
    if (!volume || !needsWork(volume)) return undefined;
    const metadata = volume.metadata.deletionTimestamp
      ? withoutFinalizer(volume.metadata, volumeFinalizer)
      : withFinalizer(volume.metadata, volumeFinalizer);
    client.update(persistentVolumes, { ...volume, metadata });
    return undefined;
  },
});

function needsWork(volume: PersistentVolume): boolean {
  if (needToAddFinalizer(volume, volumeFinalizer)) return true;
  return isDeletionCandidate(volume, volumeFinalizer) && volume.status.phase !== "Bound";
}
