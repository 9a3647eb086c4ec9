// The volume expand controller: no in-tree plugin expands volumes anymore, so it only records which component is awaited.
import type { PersistentVolumeClaim } from "../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { defineController, requestOf, watch } from "../../runtime/controller.ts";
import { isGrowing, requestedSize } from "./growth.ts";

export const volumeExpandController = defineController({
  name: "volume-expand",
  user: "system:serviceaccount:kube-system:expand-controller",
  component: "volume_expand",
  watches: [
    watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next, previous) {
      if (!next || !previous || !isGrowing(next)) return;
      if (requestedSize(next) !== requestedSize(previous)) yield requestOf(next);
    }),
  ],
  reconcile({ namespace, name }, { client, event }) {
    const claim = client.get(persistentVolumeClaims, namespace, name);
    if (!claim || !isGrowing(claim)) return undefined;
    const claimRef = client.get(persistentVolumes, "", claim.spec.volumeName ?? "")?.spec.claimRef;
    if (claimRef?.uid !== claim.metadata.uid) return undefined;
    event(claim, "Normal", "ExternalExpanding", "waiting for an external controller to expand this PVC");
    return undefined;
  },
});
