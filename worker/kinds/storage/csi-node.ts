// The kind CSINode of storage.k8s.io: the CSI drivers of a node.
import type { CSINode, CSINodeDriver } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, duplicate, invalid, path, required } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { validateCsiDriverName } from "./parameters.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

const maxNodeIdBytes = 256;
const at = path("spec", "drivers");

export const csiNodes = defineKind<CSINode>("storage.k8s.io", "v1", "csinodes", {
  deletion: { returnsObject: true },
  allowUnconditionalUpdate: false,
  validate: ({ spec: { drivers } }) => {
    const repeats = repeatsOf(drivers, ({ name }) => name);
    return drivers.flatMap((driver, index) => validateDriver(driver, repeats[index] === true, at.index(index)));
  },
  // Only the number of volumes of a driver may change.
  validateUpdate: ({ spec: next }, { spec: previous }, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...previous.drivers.flatMap((old) =>
      next.drivers
        .filter(
          ({ name, ...rest }) =>
            name === old.name && !semanticEqual(driverAsGoStruct({ name, ...rest }), driverAsGoStruct(old)),
        )
        .map((driver) => invalid(at, driverAsGoStruct(driver), "field is immutable")),
    ),
  ],
  columns: [
    nameColumn,
    {
      name: "Drivers",
      type: "integer",
      description: "How many drivers the node has.",
      cell: ({ spec }) => spec.drivers.length,
    },
    ageColumn,
  ],
});

/** Returns upstream's internal struct, which it compares and prints. Its fields have no JSON names. */
function driverAsGoStruct({ name, nodeID, topologyKeys }: CSINodeDriver): unknown {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}

function validateDriver(driver: CSINodeDriver, isRepeated: boolean, where: FieldPath): FieldError[] {
  const { name, nodeID, topologyKeys, allocatable } = driver;
  const errors = validateCsiDriverName(name, where.child("name"));
  if (!nodeID) errors.push(required(where.child("nodeID")));
  if (utf8Length(nodeID) > maxNodeIdBytes) {
    errors.push(invalid(where.child("nodeID"), nodeID, `must be ${maxNodeIdBytes} characters or less`));
  }
  errors.push(...validateNonNegative(allocatable?.count, where.child("allocatable", "count")));
  if (isRepeated) errors.push(duplicate(where.child("name"), name));
  (topologyKeys ?? []).forEach((key, index, keys) => {
    if (!key) errors.push(required(where));
    if (keys.indexOf(key) < index) errors.push(duplicate(where, key));
    errors.push(...each(qualifiedName(key), where, key));
  });
  return errors;
}
