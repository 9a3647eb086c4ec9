// The kind ResourceSlice of resource.k8s.io: the devices that a driver publishes.
import type { ResourceSlice, ResourceSliceSpec } from "../../../shared/k8s/api/resource-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, invalid, path, required } from "../../../shared/k8s/field.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { validateSet } from "./device-claim.ts";
import { nodeChoice, validateCounters, validateDevice } from "./device.ts";
import { validatePoolName } from "./names.ts";
import { internalForm } from "../common/go-struct.ts";
import { defineKind } from "../kind.ts";
import { validateCsiDriverName } from "../storage/parameters.ts";

const max = { devices: 128, devicesWithExtras: 64, counterSets: 8 };
const at = path("spec");
const oneOfNodes = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

export const resourceSlices = defineKind<ResourceSlice>("resource.k8s.io", "v1", "resourceslices", {
  deletion: { returnsObject: true },
  prepareForCreate: (draft, { nowMs }) => prepare(draft.spec, nowMs),
  prepareForUpdate: (draft, _previous, { nowMs }) => prepare(draft.spec, nowMs),
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  validate: ({ spec }) => validateSpec(spec, undefined),
  validateUpdate: ({ spec }, previous, check) => [...check.objectMetaUpdate(), ...validateSpec(spec, previous.spec)],
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`],
  selectableFields: ({ spec }) => ({ "spec.nodeName": spec.nodeName ?? "", "spec.driver": spec.driver }),
  fieldLabelError: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  columns: [
    nameColumn,
    { name: "Node", type: "string", description: "The devices' node.", cell: ({ spec }) => spec.nodeName ?? "" },
    { name: "Driver", type: "string", description: "The devices' driver.", cell: ({ spec }) => spec.driver },
    { name: "Pool", type: "string", description: "The pool that the slice is of.", cell: ({ spec }) => spec.pool.name },
    ageColumn,
  ],
});

/** Sets the times of taints, and drops fields behind disabled feature gates. */
function prepare({ devices = [] }: ResourceSliceSpec, nowMs: number): void {
  for (const device of devices) {
    delete device.nodeAllocatableResourceMappings;
    for (const taint of device.taints ?? []) taint.timeAdded ??= rfc3339(nowMs);
    for (const attribute of Object.values(device.attributes ?? {})) {
      for (const field of ["ints", "bools", "strings", "versions"] as const) delete attribute[field];
    }
  }
}

/** Validates the spec. Errors about immutable fields come between the others, as upstream. */
function validateSpec(spec: ResourceSliceSpec, previous: ResourceSliceSpec | undefined): FieldError[] {
  return [
    ...validateCsiDriverName(spec.driver, at.child("driver")),
    ...validatePool(spec, at.child("pool")),
    ...(previous ? validateKept(spec, previous) : []),
    ...validateNodes(spec),
    ...validateContent(spec),
  ];
}

function validateKept(next: ResourceSliceSpec, previous: ResourceSliceSpec): FieldError[] {
  return [
    ...validateImmutable(next.pool.name, previous.pool.name, at.child("pool", "name")),
    ...validateImmutable(next.driver, previous.driver, at.child("driver")),
    ...validateImmutable(next.nodeName, previous.nodeName, at.child("nodeName")),
  ];
}

function validatePool({ pool }: ResourceSliceSpec, where: FieldPath): FieldError[] {
  const { name, resourceSliceCount: count, generation } = pool;
  const errors = validatePoolName(name, where.child("name"));
  if (count <= 0) errors.push(invalid(where.child("resourceSliceCount"), count, "must be greater than zero"));
  if (generation < 0) {
    errors.push(invalid(where.child("generation"), generation, "must be greater than or equal to zero"));
  }
  return errors;
}

function validateNodes(spec: ResourceSliceSpec): FieldError[] {
  const { nodeSelector, perDeviceNodeSelection: perDevice } = spec;
  const notTrue = "must be either unset or set to true";
  const empty = "must be either unset or set to a non-empty string";
  const { fields, errors } = nodeChoice(spec, at, { empty, notTrue });
  const terms = nodeSelector?.nodeSelectorTerms;
  if (terms && terms.length !== 1) {
    const printed = terms.map((term) => internalForm("io.k8s.api.core.v1.NodeSelectorTerm", term));
    const where = at.child("nodeSelector", "nodeSelectorTerms");
    errors.push(invalid(where, terms.length > 0 ? printed : null, "must have exactly one node selector term"));
  }
  if (perDevice) fields.push("`perDeviceNodeSelection`");
  else if (perDevice !== undefined) errors.push(invalid(at.child("perDeviceNodeSelection"), perDevice, notTrue));
  if (!fields.length) errors.push(required(at, oneOfNodes));
  if (fields.length > 1) {
    errors.push(invalid(at, `{${fields.join(", ")}}`, `${oneOfNodes}, but multiple fields are set`));
  }
  return errors;
}

function validateContent({ devices, sharedCounters, perDeviceNodeSelection }: ResourceSliceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (sharedCounters && devices) errors.push(invalid(at, "", "only one of `sharedCounters` or `devices` is allowed"));
  const all = devices ?? [];
  const hasExtras = all.some(({ taints, consumesCounters }) => taints?.length || consumesCounters?.length);
  const limit = hasExtras ? max.devicesWithExtras : max.devices;
  const perDevice = perDeviceNodeSelection === true;
  errors.push(
    ...validateSet(
      all,
      limit,
      at.child("devices"),
      ({ name }) => name,
      (publishedDevice, where) => validateDevice(publishedDevice, perDevice, where),
    ),
    ...validateSet(
      sharedCounters ?? [],
      max.counterSets,
      at.child("sharedCounters"),
      ({ name }) => name,
      (counterSet, where) => validateCounters(counterSet.name, counterSet.counters, where, "name"),
    ),
  );
  return errors;
}
