// The kind PersistentVolumeClaim.
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../../../../shared/k8s/api/core-v1.ts";
import { path } from "../../../../shared/k8s/field.ts";
import { accessModesText } from "./access-modes.ts";
import {
  claimSpecWarnings,
  defaultClaim,
  validatePersistentVolumeClaimSpec,
  validateClaimStatus,
  validateClaimUpdate,
} from "./validation.ts";
import { storageClassAnnotation, getPersistentVolumeClass } from "./storage-class.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import { defineKind } from "../../kind.ts";

export const persistentVolumeClaims = defineKind<PersistentVolumeClaim>("", "v1", "persistentvolumeclaims", {
  deletion: { returnsObject: true },
  defaults: defaultClaim,
  prepareForCreate(draft) {
    settleDataSources(draft.spec);
    defaultClaim(draft);
  },
  prepareForUpdate(draft, previous) {
    settleDataSources(draft.spec, previous.spec);
  },
  validate: ({ spec }) => validatePersistentVolumeClaimSpec(spec, path("spec")),
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.objectMeta(),
    ...check.validate(),
    ...validateClaimUpdate(next, previous),
  ],
  warnings({ metadata, spec }) {
    const hasOldClass = metadata.annotations?.[storageClassAnnotation] !== undefined;
    const where = path("metadata", "annotations").key(storageClassAnnotation);
    const message = `${where}: deprecated since v1.8; use "storageClassName" attribute instead`;
    return [...(hasOldClass ? [message] : []), ...claimSpecWarnings(spec, path("spec"))];
  },
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateClaimStatus,
    },
  },
  columns: [
    nameColumn,
    {
      name: "Status",
      type: "string",
      description: "Whether a volume was found.",
      cell: ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status.phase ?? "")),
    },
    { name: "Volume", type: "string", description: "The volume.", cell: ({ spec }) => spec.volumeName ?? "" },
    {
      name: "Capacity",
      type: "string",
      description: "How much the volume holds.",
      cell: ({ spec, status }) => (spec.volumeName ? (status.capacity?.storage ?? "0") : ""),
    },
    {
      name: "Access Modes",
      type: "string",
      description: "How the volume may be mounted.",
      cell: ({ spec, status }) => (spec.volumeName ? accessModesText(status.accessModes) : ""),
    },
    {
      name: "StorageClass",
      type: "string",
      description: "The storage class asked for.",
      cell: ({ metadata, spec }) => getPersistentVolumeClass(metadata, spec.storageClassName),
    },
    {
      name: "VolumeAttributesClass",
      type: "string",
      description: "The class of attributes asked for.",
      cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
    },
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

/** Normalizes data sources before storing, in upstream's order: drops disabled ones, then applies backwards compatibility. */
function settleDataSources(spec: PersistentVolumeClaimSpec, previous?: PersistentVolumeClaimSpec): void {
  // Sources in other namespaces are behind a feature gate that is off by default.
  if (spec.dataSourceRef?.namespace && !previous?.dataSourceRef) delete spec.dataSourceRef;
  const wasUsed = previous?.dataSource ?? previous?.dataSourceRef;
  if (!wasUsed && !spec.dataSourceRef && !isClaimOrSnapshot(spec)) delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
  }
}

function isClaimOrSnapshot({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const { apiGroup = "", kind } = dataSource ?? {};
  if (kind === "PersistentVolumeClaim") return apiGroup === "";
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}
