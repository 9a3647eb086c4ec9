// The kind PersistentVolume.
import type { PersistentVolume } from "../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../shared/k8s/time.ts";
import { accessModesText } from "./claims/access-modes.ts";
import { storageClassOf } from "./claims/storage-class.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";
import { defaultPersistentVolume } from "./persistent-volumes/defaults.ts";
import { validateVolume, validateVolumeUpdate } from "./persistent-volumes/validate.ts";
import { volumeWarnings } from "./persistent-volumes/warnings.ts";

export const persistentVolumes = defineKind<PersistentVolume>("", "v1", "persistentvolumes", {
  returnsDeleted: true,
  defaults: defaultPersistentVolume,
  prepareForCreate({ status }, { nowMs }) {
    status.phase = "Pending";
    status.lastPhaseTransitionTime = rfc3339(nowMs);
  },
  updateChecks: ["metadata", "own", "metadata", "change"],
  validate: validateVolume,
  validateUpdate: validateVolumeUpdate,
  warnings: volumeWarnings,
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous, { nowMs }) {
        draft.spec = previous.spec;
        const { phase, lastPhaseTransitionTime: given } = draft.status;
        const old = previous.status.lastPhaseTransitionTime;
        const isGiven = given !== undefined && parseTime(given) !== parseTime(old ?? "");
        if (phase !== previous.status.phase) {
          if (!isGiven) draft.status.lastPhaseTransitionTime = rfc3339(nowMs);
        } else if (given === undefined && old !== undefined) draft.status.lastPhaseTransitionTime = old;
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
      cell: ({ metadata, spec }) => storageClassOf(metadata, spec.storageClassName),
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
