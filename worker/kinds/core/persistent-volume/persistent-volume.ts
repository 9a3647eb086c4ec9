// The kind PersistentVolume.
import type { PersistentVolume, PersistentVolumeSource } from "../../../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../../../shared/k8s/time.ts";
import { accessModesText } from "../persistent-volume-claim/access-modes.ts";
import { getPersistentVolumeClass, storageClassAnnotation } from "../persistent-volume-claim/storage-class.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import { defineKind } from "../../kind.ts";
import { validateVolume, validateVolumeUpdate } from "./validation.ts";
import { setDefaultsResourceList } from "../pod/resource-defaults.ts";
import { defaultAzureDisk, defaultRbd, defaultScaleIo } from "../pod/volume-defaults.ts";
import { path } from "../../../../shared/k8s/field.ts";
import { termWarnings } from "../pod/scheduling-warnings.ts";
import { mountOptionsAnnotation } from "./sources.ts";

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  [storageClassAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  [mountOptionsAnnotation]: 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const deprecatedSources: readonly (readonly [keyof PersistentVolumeSource, string, string])[] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

export const persistentVolumes = defineKind<PersistentVolume>("", "v1", "persistentvolumes", {
  deletion: { returnsObject: true },
  defaults: defaultPersistentVolume,
  prepareForCreate({ status }, { nowMs }) {
    status.phase = "Pending";
    status.lastPhaseTransitionTime = rfc3339(nowMs);
  },
  validate: validateVolume,
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMeta(),
    ...validateVolumeUpdate(next, previous),
  ],
  warnings: volumeWarnings,
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous, { nowMs }) {
        draft.spec = previous.spec;
        const { phase, lastPhaseTransitionTime: requestedTime } = draft.status;
        const old = previous.status.lastPhaseTransitionTime;
        const isGiven = requestedTime !== undefined && parseTime(requestedTime) !== parseTime(old ?? "");
        if (phase !== previous.status.phase) {
          if (!isGiven) draft.status.lastPhaseTransitionTime = rfc3339(nowMs);
        } else if (requestedTime === undefined && old !== undefined) draft.status.lastPhaseTransitionTime = old;
      },
    },
  },
  columns: [
    nameColumn,
    {
      name: "Capacity",
      type: "string",
      description: "How much the volume holds.",
      cell: ({ spec }) => spec.capacity?.storage ?? "0",
    },
    {
      name: "Access Modes",
      type: "string",
      description: "How the volume may be mounted.",
      cell: ({ spec }) => accessModesText(spec.accessModes),
    },
    {
      name: "Reclaim Policy",
      type: "string",
      description: "What becomes of it after its claim.",
      cell: ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
    },
    {
      name: "Status",
      type: "string",
      description: "Whether a claim has it.",
      cell: ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status.phase ?? "")),
    },
    {
      name: "Claim",
      type: "string",
      description: "The claim that has it.",
      cell: ({ spec: { claimRef } }) => (claimRef ? `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}` : ""),
    },
    {
      name: "StorageClass",
      type: "string",
      description: "The storage class it belongs to.",
      cell: ({ metadata, spec }) => getPersistentVolumeClass(metadata, spec.storageClassName),
    },
    {
      name: "VolumeAttributesClass",
      type: "string",
      description: "The class of its attributes.",
      cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
    },
    { name: "Reason", type: "string", description: "Why it failed.", cell: ({ status }) => status.reason ?? "" },
    ageColumn,
    {
      name: "VolumeMode",
      type: "string",
      priority: 1,
      description: "Whether the volume is a file system or a device.",
      cell: ({ spec }) => spec.volumeMode ?? "<unset>",
    },
  ],
});

function defaultPersistentVolume({ spec, status }: PersistentVolume): void {
  status.phase ??= "Pending";
  spec.persistentVolumeReclaimPolicy ??= "Retain";
  spec.volumeMode ??= "Filesystem";
  setDefaultsResourceList(spec.capacity);
  if (spec.hostPath) spec.hostPath.type ??= "";
  if (spec.rbd) defaultRbd(spec.rbd);
  if (spec.iscsi) spec.iscsi.iscsiInterface ??= "default";
  if (spec.azureDisk) defaultAzureDisk(spec.azureDisk);
  if (spec.scaleIO) defaultScaleIo(spec.scaleIO);
}

function volumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const warnings = Object.entries(deprecatedAnnotations)
    .filter(([key]) => metadata.annotations?.[key] !== undefined)
    .map(([key, message]) => `${path("metadata", "annotations").key(key)}: ${message}`);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const why = "Instead, the recommended approach is to use dynamic provisioning.";
    warnings.push(`spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ${why}`);
  }
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const at = path("spec", "nodeAffinity", "required", "nodeSelectorTerms");
  warnings.push(...terms.flatMap((term, index) => termWarnings(term, at.index(index), { checksValues: false })));
  for (const [field, sourceName, message] of deprecatedSources) {
    if (spec[field]) warnings.push(`spec.${sourceName}: ${message}`);
  }
  return warnings;
}
