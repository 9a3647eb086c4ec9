// The kind CSIStorageCapacity of storage.k8s.io: the available capacity of a driver.
import type { CSIStorageCapacity } from "../../../shared/k8s/api/storage-v1.ts";
import { type FieldError, invalid, path } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { compareQuantities, formatQuantity, parseQuantity, zeroQuantity } from "../../../shared/k8s/quantity.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { defineKind } from "../kind.ts";
import { each, validateLabelSelectorValues } from "../common/checks.ts";
import { getNodeLabelDeprecatedMessage } from "../core/pod/scheduling-warnings.ts";

const at = path("nodeTopology");

export const csiStorageCapacities = defineKind<CSIStorageCapacity>("storage.k8s.io", "v1", "csistoragecapacities", {
  allowUnconditionalUpdate: false,
  validate: ({ nodeTopology, storageClassName, capacity }) => [
    ...validateLabelSelectorValues(nodeTopology, at),
    ...each(dns1123Subdomain(storageClassName), path("storageClassName"), storageClassName),
    ...validateCapacity(capacity),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...validateImmutable(next.nodeTopology, previous.nodeTopology, at),
    ...validateImmutable(next.storageClassName, previous.storageClassName, path("storageClassName")),
  ],
  warnings: ({ nodeTopology }) => [
    ...(nodeTopology?.matchExpressions ?? []).flatMap(({ key }, index) => {
      const message = getNodeLabelDeprecatedMessage(key);
      return message ? [`${at.child("matchExpressions").index(index).child("key")}: ${key} is ${message}`] : [];
    }),
    ...Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((key) => {
      const message = getNodeLabelDeprecatedMessage(key);
      return message ? [`${at.child("matchLabels", key)}: ${message}`] : [];
    }),
  ],
  // Upstream prints these with the default columns.
  columns: [],
});

function validateCapacity(capacity: string | undefined): FieldError[] {
  const quantity = capacity === undefined ? undefined : parseQuantity(capacity);
  if (!quantity || compareQuantities(quantity, zeroQuantity) >= 0) return [];
  return [invalid(path("capacity"), formatQuantity(quantity), "must be greater than or equal to 0")];
}
