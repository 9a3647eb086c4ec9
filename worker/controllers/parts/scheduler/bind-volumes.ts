// What the scheduler writes about volumes before it binds a pod (upstream: VolumeBinding's `PreBind`).
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import type { Client } from "../../../registry/client.ts";
import { selectedNode, withAnnotations } from "../volumes/annotations.ts";
import { boundVolume } from "../volumes/binding.ts";
import type { VolumeDecision } from "./volume-binding.ts";

/** The volume controller and the provisioner do the rest. */
export function bindVolumes(decision: VolumeDecision, nodeName: string, client: Client): void {
  for (const { claim, volume } of decision.static) client.update(persistentVolumes, boundVolume(volume, claim));
  for (const claim of decision.dynamic) {
    const metadata = withAnnotations(claim.metadata, { [selectedNode]: nodeName });
    client.update(persistentVolumeClaims, { ...claim, metadata });
  }
}
