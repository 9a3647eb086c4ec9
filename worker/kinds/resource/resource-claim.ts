// The kind ResourceClaim of resource.k8s.io: a claim of devices.
import type { ResourceClaim } from "../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, invalid, path } from "../../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { validateAdminAccess, defaultDeviceClaim, validateDeviceClaim } from "./device-claim.ts";
import { dropDeallocated, validateClaimStatus } from "./claim-status.ts";
import { internalForm } from "../common/go-struct.ts";
import { defineKind } from "../kind.ts";
import { resetObjectMetaForStatus } from "../common/status-metadata.ts";

const at = path("spec");

export const resourceClaims = defineKind<ResourceClaim>("resource.k8s.io", "v1", "resourceclaims", {
  deletion: { returnsObject: true },
  defaults: ({ spec }) => defaultDeviceClaim(spec.devices),
  validate({ metadata: { namespace = "", name = "" }, spec }, context): FieldError[] {
    // Only a new claim is validated.
    if (context.get(resourceClaims, namespace, name)) return [];
    return [
      ...validateAdminAccess(spec.devices, namespace, context),
      ...validateDeviceClaim(spec.devices, at.child("devices")),
    ];
  },
  validateUpdate: ({ spec: next }, { spec: previous }, check) => [
    ...check.objectMeta(),
    ...check.objectMetaUpdate(),
    ...check.validate(),
    ...(semanticEqual(next, previous)
      ? []
      : [invalid(at, internalForm("io.k8s.api.resource.v1.ResourceClaimSpec", next), "field is immutable")]),
  ],
  resetFields: { status: ["metadata", "spec"] },
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
        resetObjectMetaForStatus(draft, previous);
        dropDeallocated(draft.status, previous.status);
      },
      validateUpdate: validateClaimStatus,
    },
  },
  columns: [
    nameColumn,
    { name: "State", type: "string", description: "Whether the claim has its devices, and users.", cell: stateOf },
    ageColumn,
  ],
});

function stateOf({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ["deleted"] : [];
  if (status.allocation) states.push("allocated");
  else if (!isDeleted) states.push("pending");
  if (status.allocation && status.reservedFor?.length) states.push("reserved");
  return states.join(",");
}
