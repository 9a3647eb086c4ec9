// The kind ResourceClaimTemplate of resource.k8s.io.
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";
import type { ResourceClaimTemplate, ResourceClaimTemplateSpec } from "../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, invalid, path } from "../../../shared/k8s/field.ts";
import { validateAnnotations, validateLabels } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { validateAdminAccess, defaultDeviceClaim, validateDeviceClaim } from "./device-claim.ts";
import { internalForm } from "../common/go-struct.ts";
import { defineKind } from "../kind.ts";

const at = path("spec");

export const resourceClaimTemplates = defineKind<ResourceClaimTemplate>(
  "resource.k8s.io",
  "v1",
  "resourceclaimtemplates",
  {
    deletion: { returnsObject: true },
    defaults: ({ spec }) => defaultDeviceClaim(spec.spec.devices),
    validate({ metadata: { namespace = "", name = "" }, spec }, context): FieldError[] {
      const isNew = !context.get(resourceClaimTemplates, namespace, name);
      return [
        ...(isNew ? validateAdminAccess(spec.spec.devices, namespace, context) : []),
        ...validateTemplateMeta(spec.metadata),
        ...validateDeviceClaim(spec.spec.devices, at.child("spec", "devices")),
      ];
    },
    validateUpdate: (next, previous, check) => [
      ...check.objectMeta(),
      ...check.validate(),
      ...check.objectMetaUpdate(),
      ...validateSpecUpdate(next.spec, previous.spec),
    ],
    columns: [nameColumn, ageColumn],
  },
);

function validateSpecUpdate(next: ResourceClaimTemplateSpec, previous: ResourceClaimTemplateSpec): FieldError[] {
  if (semanticEqual(next, previous)) return [];
  // Upstream's struct embeds the metadata.
  const claim = internalForm("io.k8s.api.resource.v1.ResourceClaimSpec", next.spec);
  return [invalid(at, { ...next.metadata, Spec: claim }, "field is immutable")];
}

/** Validates the metadata: only labels and annotations are allowed. Upstream's errors have Go's field names. */
function validateTemplateMeta({ labels, annotations, ...rest }: ObjectMeta): FieldError[] {
  const where = at.child("metadata");
  return [
    ...validateAnnotations(annotations, where.child("annotations")),
    ...validateLabels(labels, where.child("labels")),
    ...Object.keys(rest).map((field) => forbidden(where.child(field === "uid" ? "uID" : field), "cannot be set")),
  ];
}
