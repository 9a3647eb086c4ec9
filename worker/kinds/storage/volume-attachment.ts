// The kind VolumeAttachment of storage.k8s.io: the attachment of a volume to a node.
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from "../../../shared/k8s/api/storage-v1.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  path,
  required,
  tooLong,
} from "../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { internalForm } from "../common/go-struct.ts";
import { defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { statusAlone } from "../common/status-metadata.ts";
import { validateCsiDriverName } from "./parameters.ts";
import type { PersistentVolumeSpec } from "../../../shared/k8s/api/core-v1.ts";
import { validateAccessModes } from "../core/persistent-volume-claim/access-modes.ts";
import { validateSource } from "../core/persistent-volume/sources.ts";

const inline = "in the context of inline volumes";

const max = { metadataBytes: 256 * 1024, messageBytes: 1024 };
const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

export const volumeAttachments = defineKind<VolumeAttachment>("storage.k8s.io", "v1", "volumeattachments", {
  deletion: { returnsObject: true },
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...validateSpecUpdate(next, previous),
  ],
  ...statusAlone(validate),
  columns: [
    nameColumn,
    {
      name: "Attacher",
      type: "string",
      format: "name",
      description: "The driver that attaches.",
      cell: ({ spec }) => spec.attacher,
    },
    {
      name: "PV",
      type: "string",
      description: "The volume.",
      cell: ({ spec }) => spec.source.persistentVolumeName ?? "",
    },
    { name: "Node", type: "string", description: "The node.", cell: ({ spec }) => spec.nodeName },
    {
      name: "Attached",
      type: "boolean",
      description: "Whether the volume is attached.",
      cell: ({ status }) => status.attached,
    },
    ageColumn,
  ],
});

function validate({ spec, status }: VolumeAttachment): FieldError[] {
  const at = path("spec");
  const where = path("status");
  const metadata = Object.entries(status.attachmentMetadata ?? {});
  const bytes = metadata.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  const name = spec.source.persistentVolumeName;
  return [
    ...validateCsiDriverName(spec.attacher, at.child("attacher")),
    ...validateAttachmentSource(spec.source, at.child("source")),
    ...each(dns1123Subdomain(spec.nodeName), at.child("nodeName"), spec.nodeName),
    ...(bytes > max.metadataBytes ? [tooLong(where.child("attachmentMetadata"), max.metadataBytes)] : []),
    ...validateError(status.attachError, where.child("attachError")),
    ...validateError(status.detachError, where.child("detachError")),
    ...(name === undefined ? [] : each(dns1123Subdomain(name), at.child("source", "persistentVolumeName"), name)),
  ];
}

function validateAttachmentSource(
  { inlineVolumeSpec, persistentVolumeName: name }: VolumeAttachmentSource,
  at: FieldPath,
) {
  if (inlineVolumeSpec === undefined && name === undefined) return [required(at, exactlyOne)];
  if (inlineVolumeSpec !== undefined && name !== undefined) return [forbidden(at, exactlyOne)];
  if (inlineVolumeSpec) return validateInlineSpec(inlineVolumeSpec, at.child("inlineVolumeSpec"));
  if (name !== "") return [];
  return [required(at.child("persistentVolumeName"), "must specify non empty persistentVolumeName")];
}

function validateError(error: VolumeError | undefined, at: FieldPath): FieldError[] {
  if (!error) return [];
  const { message = "", errorCode = 0 } = error;
  // Upstream's message has the other limit here.
  const errors = utf8Length(message) > max.messageBytes ? [tooLong(at.child("message"), max.metadataBytes)] : [];
  if (errorCode < 0)
    errors.push(invalid(at.child("errorCode"), errorCode, "must be between 0 and 2147483647, inclusive"));
  return errors;
}

function validateSpecUpdate({ spec: next }: VolumeAttachment, { spec: previous }: VolumeAttachment): FieldError[] {
  if (semanticEqual(next, previous)) return [];
  const printed = internalForm("io.k8s.api.storage.v1.VolumeAttachmentSpec", next);
  return [invalid(path("spec"), printed, "field is immutable")];
}

function validateInlineSpec(spec: PersistentVolumeSpec, at: FieldPath): FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const errors: FieldError[] = [];
  const refuse = (field: keyof PersistentVolumeSpec) =>
    errors.push(forbidden(at.child(field), `may not be specified ${inline}`));
  if (spec.claimRef) refuse("claimRef");
  if (Object.keys(spec.capacity ?? {}).length > 0) refuse("capacity");
  if (!spec.csi) errors.push(required(at.child("csi"), `has to be specified ${inline}`));
  if (accessModes.length === 0) errors.push(required(at.child("accessModes")));
  errors.push(...validateAccessModes(accessModes, at.child("accessModes")));
  if (policy && policy !== "Retain") {
    errors.push(forbidden(at.child("persistentVolumeReclaimPolicy"), `may only be Retain ${inline}`));
  }
  if (spec.nodeAffinity) refuse("nodeAffinity");
  errors.push(...validateSource(spec, "", at));
  if (spec.storageClassName) refuse("storageClassName");
  if (volumeMode !== undefined && volumeMode !== "Filesystem") {
    errors.push(forbidden(at.child("volumeMode"), `may not specify volumeMode other than Filesystem ${inline}`));
  }
  return errors;
}
