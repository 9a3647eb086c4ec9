// Validates a device of a ResourceSlice: attributes, capacity, taints, counters, and its nodes.
import { utf8Length } from "../../../shared/base/utf8.ts";
import type { Counter, Device, DeviceAttribute, DeviceTaint } from "../../../shared/k8s/api/resource-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
  tooLong,
  tooMany,
} from "../../../shared/k8s/field.ts";
import { dns1123Subdomain, labelValue, qualifiedName } from "../../../shared/k8s/names.ts";
import { internalForm } from "../common/go-struct.ts";
import { each } from "../common/checks.ts";
import { validateNodeSelectorTerms } from "../core/pod/validation/scheduling.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { validateCapacity } from "./capacity.ts";
import { validateSet } from "./device-claim.ts";
import { validateLabel, validateSlice, validateQualifiedName } from "./names.ts";
import { taintEffects } from "./selectors.ts";

const max = { facts: 32, values: 48, taints: 16, consumptions: 2, counters: 32, valueBytes: 64, keyLength: 96 };
const number = "(0|[1-9]\\d*)";
const preRelease = "(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)";
const build = "[0-9a-zA-Z-]+";
const semver = new RegExp(
  `^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`,
);
const valueFields = ["int", "bool", "string", "version", "ints", "bools", "strings", "versions"] as const;
const perDeviceOnly =
  "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const oneOfNodes =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

export function validateDevice(device: Device, perDevice: boolean, at: FieldPath): FieldError[] {
  const { attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  const errors = validateLabel(device.name, at.child("name"));
  const facts = Object.keys(attributes).length + Object.keys(capacity).length;
  if (facts > max.facts) {
    const why = `the total number of attributes and capacities must not exceed ${max.facts}`;
    errors.push(invalid(at, facts, why));
  }
  if (Object.keys(attributes).length > max.values) {
    const why = `the total number of attribute values must not exceed ${max.values}`;
    errors.push(invalid(at, Object.keys(attributes).length, why));
  }
  const isShared = device.allowMultipleAllocations === true;
  errors.push(...validateMap(attributes, at.child("attributes"), validateAttribute));
  errors.push(
    ...validateMap(capacity, at.child("capacity"), (deviceCapacity, where) =>
      validateCapacity(deviceCapacity, isShared, where),
    ),
  );
  errors.push(...validateSlice(taints, max.taints, at.child("taints"), validateTaint));
  errors.push(
    ...validateSet(
      consumesCounters,
      max.consumptions,
      at.child("consumesCounters"),
      (consumption) => consumption.counterSet,
      (consumption, where) => validateCounters(consumption.counterSet, consumption.counters, where, "counterSet"),
    ),
  );
  errors.push(...(perDevice ? validateNodes(device, at) : validateNoNodes(device, at)));
  return [...errors, ...validateBindingConditions(device, at)];
}

/** Validates a set of counters, or the consumption of one. */
export function validateCounters(
  name: string,
  counters: Readonly<Record<string, Counter>> | undefined,
  at: FieldPath,
  nameField: string,
): FieldError[] {
  const errors = name ? validateLabel(name, at.child(nameField)) : [required(at.child(nameField))];
  const keys = Object.keys(counters ?? {});
  const where = at.child("counters");
  if (!keys.length) return [...errors, required(where)];
  if (keys.length > max.counters) return [...errors, tooMany(where, keys.length, max.counters)];
  return [...errors, ...keys.flatMap((key) => validateLabel(key, where))];
}

/** Returns which fields select nodes, and their errors. */
export function nodeChoice(
  selection: Pick<Device, "nodeName" | "nodeSelector" | "allNodes">,
  at: FieldPath,
  why: { readonly empty: string; readonly notTrue: string },
): { readonly fields: string[]; readonly errors: FieldError[] } {
  const { nodeName, nodeSelector, allNodes } = selection;
  const fields: string[] = [];
  const errors: FieldError[] = [];
  if (nodeName) {
    fields.push("`nodeName`");
    errors.push(...each(dns1123Subdomain(nodeName), at.child("nodeName"), nodeName));
  } else if (nodeName !== undefined) errors.push(invalid(at.child("nodeName"), nodeName, why.empty));
  if (nodeSelector) {
    fields.push("`nodeSelector`");
    const where = at.child("nodeSelector", "nodeSelectorTerms");
    errors.push(...validateNodeSelectorTerms(nodeSelector.nodeSelectorTerms, where));
  }
  if (allNodes) fields.push("`allNodes`");
  else if (allNodes !== undefined) errors.push(invalid(at.child("allNodes"), allNodes, why.notTrue));
  return { fields, errors };
}

function validateMap<T>(
  map: Readonly<Record<string, T>>,
  at: FieldPath,
  check: (entryValue: T, at: FieldPath) => FieldError[],
) {
  return Object.entries(map).flatMap(([key, entryValue]) => [
    ...validateQualifiedName(key, at),
    ...check(entryValue, at.key(shortenKey(key))),
  ]);
}

/** Truncates keys in the middle, as upstream's paths do. */
function shortenKey(key: string): string {
  if (key.length <= max.keyLength) return key;
  const left = max.keyLength - 3;
  return `${key.slice(0, Math.floor((left + 1) / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

function validateAttribute(attribute: DeviceAttribute, at: FieldPath): FieldError[] {
  const { string, version } = attribute;
  const errors =
    string !== undefined && utf8Length(string) > max.valueBytes ? [tooLong(at.child("string"), max.valueBytes)] : [];
  if (version !== undefined) {
    const where = at.child("version");
    if (!semver.test(version)) {
      errors.push(invalid(where, version, "must be a string compatible with semver.org spec 2.0.0"));
    }
    if (utf8Length(version) > max.valueBytes) errors.push(tooLong(where, max.valueBytes));
  }
  const count = valueFields.filter((field) => attribute[field] !== undefined).length;
  if (count === 1) return errors;
  const printed = count ? internalForm("io.k8s.api.resource.v1.DeviceAttribute", attribute) : "";
  return [...errors, invalid(at, printed, "exactly one value must be specified")];
}

function validateTaint({ key, value, effect }: DeviceTaint, at: FieldPath): FieldError[] {
  const errors = each(qualifiedName(key), at.child("key"), key);
  if (value) errors.push(...each(labelValue(value), at.child("value"), value));
  if (!effect) errors.push(required(at.child("effect")));
  else if (!taintEffects.includes(effect)) {
    errors.push(notSupportedInOrder(at.child("effect"), effect, taintEffects));
  }
  return errors;
}

function validateNodes(device: Device, at: FieldPath): FieldError[] {
  const why = { empty: "must not be empty", notTrue: "must be either unset or set to true" };
  const { fields, errors } = nodeChoice(device, at, why);
  if (!fields.length) errors.push(required(at, oneOfNodes));
  if (fields.length > 1) errors.push(invalid(at, `{${fields.join(", ")}}`, oneOfNodes));
  return errors;
}

function validateNoNodes({ nodeName, nodeSelector, allNodes }: Device, at: FieldPath): FieldError[] {
  const isSet = nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined;
  return isSet ? [invalid(at, null, perDeviceOnly)] : [];
}
