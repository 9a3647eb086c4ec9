// What the scheduler writes about volumes before it binds a pod (upstream: VolumeBinding's `PreBind`).
import { persistentVolumeClaims } from "../kinds/persistent-volume-claims.ts";
import { persistentVolumes } from "../kinds/persistent-volumes.ts";
import type { Client } from "../registry/client.ts";
import { selectedNode, withAnnotations } from "../controllers/common/volumes/annotations.ts";
import { boundVolume } from "../controllers/common/volumes/binding.ts";
import type { VolumeDecision } from "./plugins/volume-binding.ts";

/** The volume controller and the provisioner do the rest. */
export function bindVolumes(decision: VolumeDecision, nodeName: string, client: Client): void {
  for (const { claim, volume } of decision.static) client.update(persistentVolumes, boundVolume(volume, claim));
  for (const claim of decision.dynamic) {
    const metadata = withAnnotations(claim.metadata, { [selectedNode]: nodeName });
    client.update(persistentVolumeClaims, { ...claim, metadata });
  }
}
