// A claim that wants another VolumeAttributesClass than its volume has gets it, as far as there is one.
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from "../../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import { volumeAttributesClasses } from "../../../kinds/storage/volume-attributes-class.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";

const modifying = "ModifyingVolume";
const modifyConditions = [modifying, "ModifyVolumeError"];

export function wantsOtherAttributes({ spec, status }: PersistentVolumeClaim): boolean {
  if (status.phase !== "Bound") return false;
  const isReached = (spec.volumeAttributesClassName ?? "") === (status.currentVolumeAttributesClassName ?? "");
  return !isReached || status.modifyVolumeStatus !== undefined;
}

/** Upstream's `modify`, with a driver that always can. */
export function modify(
  claim: PersistentVolumeClaim,
  volumeName: string,
  { client, event, nowMs }: ReconcileContext,
): void {
  const { name = "" } = claim.metadata;
  const wanted = claim.spec.volumeAttributesClassName ?? "";
  // Nobody cares for the target any more: what was reached stays.
  if (wanted === "") return;
  if (!client.get(volumeAttributesClasses, "", wanted)) {
    if (claim.status.modifyVolumeStatus?.status === "Pending") return;
    event(claim, "Warning", "VolumeModifyFailed", `VAC ${JSON.stringify(wanted)} does not exist.`);
    const { targetVolumeAttributesClassName = "" } = claim.status.modifyVolumeStatus ?? {};
    const modifyVolumeStatus = {
      status: "Pending" as const,
      ...(targetVolumeAttributesClassName ? { targetVolumeAttributesClassName } : {}),
    };
    client.updateStatus(persistentVolumeClaims, { ...claim, status: { ...claim.status, modifyVolumeStatus } });
    return;
  }
  const condition = {
    type: modifying,
    status: "True" as const,
    lastProbeTime: rfc3339(nowMs),
    message: `Modifying volume to ${JSON.stringify(wanted)} is in progress.`,
  };
  const status = {
    ...claim.status,
    modifyVolumeStatus: { status: "InProgress" as const, targetVolumeAttributesClassName: wanted },
    conditions: [...(withoutModification(claim.status).conditions ?? []), condition],
  };
  const begun = client.updateStatus(persistentVolumeClaims, { ...claim, status });
  event(begun, "Normal", "VolumeModify", `external resizer is modifying volume ${name} with vac ${wanted}`);
  const volume = client.get(persistentVolumes, "", volumeName);
  if (volume) {
    client.update(persistentVolumes, { ...volume, spec: { ...volume.spec, volumeAttributesClassName: wanted } });
  }
  const done = client.updateStatus(persistentVolumeClaims, {
    ...begun,
    status: { ...withoutModification(begun.status), currentVolumeAttributesClassName: wanted },
  });
  const message = `external resizer modified volume ${name} with vac ${wanted} successfully`;
  event(done, "Normal", "VolumeModifySuccessful", message);
}

function withoutModification(status: PersistentVolumeClaimStatus): PersistentVolumeClaimStatus {
  const { modifyVolumeStatus: _, conditions = [], ...rest } = status;
  const kept = conditions.filter(({ type }) => !modifyConditions.includes(type));
  return kept.length > 0 ? { ...rest, conditions: kept } : rest;
}
