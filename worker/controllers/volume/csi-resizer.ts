// The simulated resizer of every known CSI driver (as kubernetes-csi's external-resizer): expands volumes and changes their attributes.
// File systems are expanded later on the node.
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../../shared/k8s/api/core-v1.ts";
import type { VolumeAttributesClass } from "../../../shared/k8s/api/storage-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { csiDrivers } from "../../kinds/storage/csi-driver.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { volumeAttributesClasses } from "../../kinds/storage/volume-attributes-class.ts";
import type { Client } from "../../registry/client.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../../runtime/controller.ts";
import { hasAnnotation, preResizeCapacity, withAnnotations, withoutAnnotation } from "../common/volumes/annotations.ts";
import { isGrowing, nextSize, resizeState, mergeResizeConditionsOfPVC, withResizeState } from "./growth.ts";

const nodeExpansionNotRequired = "volume.kubernetes.io/node-expansion-not-required";

export const csiResizer = defineController({
  name: "csi-resizer",
  user: "system:serviceaccount:kube-system:csi-resizer",
  component: "external-resizer",
  watches: [
    watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next, previous, client): Generator<Request> {
      if (!next) return;
      const hasGrown = previous !== undefined && resizeState(previous) !== undefined && resizeState(next) === undefined;
      const needsWork = isGrowing(next) || hasGrown || wantsOtherAttributes(next);
      if (needsWork && volumeOf(next, client)) yield requestOf(next);
    }),
    watch<VolumeAttributesClass>(volumeAttributesClasses, function* (next, previous, client): Generator<Request> {
      if (!next || previous) return;
      for (const claim of client.each(persistentVolumeClaims)) {
        const isMeant = claim.spec.volumeAttributesClassName === next.metadata.name;
        if (isMeant && wantsOtherAttributes(claim) && volumeOf(claim, client)) yield requestOf(claim);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const claim = context.client.get(persistentVolumeClaims, namespace, name);
    const volume = claim && volumeOf(claim, context.client);
    if (!claim || !volume) return undefined;
    if (isGrowing(claim)) expandAndRecover(claim, volume, context);
    else forgetOldCapacity(volume, context.client);
    const current = context.client.get(persistentVolumeClaims, namespace, name);
    if (current && wantsOtherAttributes(current)) modify(current, volume.metadata.name ?? "", context);
    return undefined;
  },
});

/** Returns the volume of a claim if a CSI driver provides it. */
function volumeOf({ metadata, spec, status }: PersistentVolumeClaim, client: Client): PersistentVolume | undefined {
  if (status.phase !== "Bound" || !spec.volumeName) return undefined;
  const volume = client.get(persistentVolumes, "", spec.volumeName);
  if (volume?.spec.claimRef?.uid !== metadata.uid) return undefined;
  return client.get(csiDrivers, "", volume?.spec.csi?.driver ?? "") ? volume : undefined;
}

/** Expands the volume. The simulated driver always succeeds. */
function expandAndRecover(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { client, event, nowMs }: ReconcileContext,
): void {
  const size = nextSize(claim, volume);
  if (size === undefined) return;
  const now = rfc3339(nowMs);
  const begun = markControllerResizeInProgress(claim, size, now, client);
  event(begun, "Normal", "Resizing", `External resizer is resizing volume ${volume.metadata.name ?? ""}`);
  const needsNode = (volume.spec.volumeMode ?? "Filesystem") === "Filesystem";
  const old = { [preResizeCapacity]: claim.status.capacity?.["storage"] ?? "0" };
  client.update(persistentVolumes, {
    ...volume,
    metadata:
      needsNode && !hasAnnotation(volume.metadata, preResizeCapacity)
        ? withAnnotations(volume.metadata, old)
        : volume.metadata,
    spec: { ...volume.spec, capacity: { ...volume.spec.capacity, storage: size } },
  });
  if (needsNode) {
    const message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";
    const waits = { type: "FileSystemResizePending", status: "True" as const, lastTransitionTime: now, message };
    const status = withResizeState(
      mergeResizeConditionsOfPVC(begun.status, [waits], { keepsOld: true }),
      "NodeResizePending",
    );
    const pending = client.updateStatus(persistentVolumeClaims, { ...begun, status });
    event(pending, "Normal", "FileSystemResizeRequired", "Require file system resize of volume on node");
    return;
  }
  const ended = withResizeState(mergeResizeConditionsOfPVC(begun.status, [], { keepsOld: false }), undefined);
  const status = { ...ended, capacity: { ...ended.capacity, storage: size } };
  const grown = client.updateStatus(persistentVolumeClaims, { ...begun, status });
  const metadata = withAnnotations(grown.metadata, { [nodeExpansionNotRequired]: "true" });
  client.update(persistentVolumeClaims, { ...grown, metadata });
  event(grown, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded");
}

function markControllerResizeInProgress(
  claim: PersistentVolumeClaim,
  size: string,
  now: string,
  client: Client,
): PersistentVolumeClaim {
  const isSame = claim.status.allocatedResources?.["storage"] === size;
  const resizing = { type: "Resizing", status: "True" as const, lastTransitionTime: now };
  const conditioned = mergeResizeConditionsOfPVC(claim.status, [resizing], { keepsOld: isSame });
  const stated = isSame ? conditioned : withResizeState(conditioned, "ControllerResizeInProgress");
  const status = { ...stated, allocatedResources: { ...claim.status.allocatedResources, storage: size } };
  const begun = client.updateStatus(persistentVolumeClaims, { ...claim, status });
  if (!hasAnnotation(begun.metadata, nodeExpansionNotRequired)) return begun;
  const metadata = withoutAnnotation(begun.metadata, nodeExpansionNotRequired);
  return client.update(persistentVolumeClaims, { ...begun, metadata });
}

function forgetOldCapacity(volume: PersistentVolume, client: Client): void {
  if (!hasAnnotation(volume.metadata, preResizeCapacity)) return;
  client.update(persistentVolumes, { ...volume, metadata: withoutAnnotation(volume.metadata, preResizeCapacity) });
}

const modifying = "ModifyingVolume";
const modifyConditions = [modifying, "ModifyVolumeError"];

function wantsOtherAttributes({ spec, status }: PersistentVolumeClaim): boolean {
  if (status.phase !== "Bound") return false;
  const isReached = (spec.volumeAttributesClassName ?? "") === (status.currentVolumeAttributesClassName ?? "");
  return !isReached || status.modifyVolumeStatus !== undefined;
}

/** Modifies the volume. The simulated driver always succeeds. */
function modify(claim: PersistentVolumeClaim, volumeName: string, { client, event, nowMs }: ReconcileContext): void {
  const { name = "" } = claim.metadata;
  const requestedClass = claim.spec.volumeAttributesClassName ?? "";
  // Without a target the current class stays.
  if (requestedClass === "") return;
  if (!client.get(volumeAttributesClasses, "", requestedClass)) {
    if (claim.status.modifyVolumeStatus?.status === "Pending") return;
    event(claim, "Warning", "VolumeModifyFailed", `VAC ${JSON.stringify(requestedClass)} does not exist.`);
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
    message: `Modifying volume to ${JSON.stringify(requestedClass)} is in progress.`,
  };
  const status = {
    ...claim.status,
    modifyVolumeStatus: { status: "InProgress" as const, targetVolumeAttributesClassName: requestedClass },
    conditions: [...(withoutModification(claim.status).conditions ?? []), condition],
  };
  const begun = client.updateStatus(persistentVolumeClaims, { ...claim, status });
  event(begun, "Normal", "VolumeModify", `external resizer is modifying volume ${name} with vac ${requestedClass}`);
  const volume = client.get(persistentVolumes, "", volumeName);
  if (volume) {
    client.update(persistentVolumes, {
      ...volume,
      spec: { ...volume.spec, volumeAttributesClassName: requestedClass },
    });
  }
  const done = client.updateStatus(persistentVolumeClaims, {
    ...begun,
    status: { ...withoutModification(begun.status), currentVolumeAttributesClassName: requestedClass },
  });
  const message = `external resizer modified volume ${name} with vac ${requestedClass} successfully`;
  event(done, "Normal", "VolumeModifySuccessful", message);
}

function withoutModification(status: PersistentVolumeClaimStatus): PersistentVolumeClaimStatus {
  const { modifyVolumeStatus: _, conditions = [], ...rest } = status;
  const otherConditions = conditions.filter(({ type }) => !modifyConditions.includes(type));
  return otherConditions.length > 0 ? { ...rest, conditions: otherConditions } : rest;
}
