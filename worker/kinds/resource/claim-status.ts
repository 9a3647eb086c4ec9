// Validates the status of a ResourceClaim: allocated devices, users, and the reports of drivers.
import { utf8Length } from "../../../shared/base/utf8.ts";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimStatus,
} from "../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  notSupportedInOrder,
  path,
  required,
  tooLong,
  tooMany,
} from "../../../shared/k8s/field.ts";
import { internalForm } from "../common/go-struct.ts";
import { formatIp, parseIp } from "../../../shared/k8s/ip.ts";
import { validateNodeSelectorTerms } from "../core/pod/validation/scheduling.ts";
import { validateCsiDriverName } from "../storage/parameters.ts";
import { validateConditions } from "../../../shared/k8s/validate-conditions.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import { requestNames, validateRequestName, validateSet } from "./device-claim.ts";
import { validateLabel, validateSlice, validatePoolName, validateUid } from "./names.ts";
import { validateConfiguration, validateRaw } from "./selectors.ts";

const max = { users: 256, results: 32, config: 64, requests: 32, conditions: 8, dataBytes: 10 * 1024, ips: 16 };
const maxBytes = { interfaceName: 256, hardwareAddress: 128 } as const;
const sources = ["FromClaim", "FromClass"];
const at = path("status");

export function validateClaimStatus(next: ResourceClaim, previous: ResourceClaim): FieldError[] {
  const { status } = next;
  const { reservedFor = [], devices = [], allocation } = status;
  const errors = validateSet(
    reservedFor,
    max.users,
    at.child("reservedFor"),
    ({ uid }) => uid,
    (user, where) =>
      (["resource", "name", "uid"] as const).flatMap((field) => (user[field] ? [] : [required(where.child(field))])),
  );
  const allocated = (allocation?.devices.results ?? []).map(identity);
  const where = at.child("devices");
  errors.push(...devices.flatMap((device, index) => validateDevice(device, where.index(index), allocated)));
  const keys = devices.map(identity);
  keys.forEach((key, index) => {
    if (keys.findIndex((candidate) => semanticEqual(candidate, key)) < index)
      errors.push(duplicate(where.index(index), key));
  });
  errors.push(...validateUsers(next, previous));
  const allocationAt = at.child("allocation");
  if (!allocation) return errors;
  if (!previous.status.allocation) return [...errors, ...validateAllocation(allocation, next, allocationAt)];
  if (semanticEqual(allocation, previous.status.allocation)) return errors;
  const printed = internalForm("io.k8s.api.resource.v1.AllocationResult", allocation);
  return [...errors, invalid(allocationAt, printed, "field is immutable")];
}

/** Drops the reports about devices that are no longer allocated. */
export function dropDeallocated(draft: ResourceClaimStatus, previous: ResourceClaimStatus): void {
  const texts = ({ allocation }: ResourceClaimStatus) =>
    (allocation?.devices.results ?? []).map((result) => JSON.stringify(identity(result)));
  const now = texts(draft);
  const gone = texts(previous).filter((text) => !now.includes(text));
  const left = draft.devices?.filter((report) => !gone.includes(JSON.stringify(identity(report))));
  if (left?.length) draft.devices = left;
  else delete draft.devices;
}

/** Returns the identity of a device as upstream prints it. */
function identity({ driver, pool, device, shareID = "" }: AllocatedDeviceStatus | DeviceRequestAllocationResult) {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

function validateUsers({ metadata, status }: ResourceClaim, previous: ResourceClaim): FieldError[] {
  const { reservedFor = [], allocation } = status;
  const where = at.child("reservedFor");
  if (!reservedFor.length) return [];
  if (!allocation) return [forbidden(where, "may not be specified when `allocated` is not set")];
  const old = previous.status.reservedFor ?? [];
  const isAdded = reservedFor.some((user) => !old.some((previousUser) => semanticEqual(previousUser, user)));
  if (!metadata.deletionTimestamp || !isAdded) return [];
  const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  return [forbidden(where, why)];
}

function validateAllocation({ devices, nodeSelector }: AllocationResult, claim: ResourceClaim, where: FieldPath) {
  const names = requestNames(claim.spec.devices);
  const inDevices = where.child("devices");
  return [
    ...validateSlice(devices.results ?? [], max.results, inDevices.child("results"), (result, place) =>
      validateResult(result, names, place),
    ),
    ...validateSlice(devices.config ?? [], max.config, inDevices.child("config"), (config, place) => [
      ...validateSource(config.source, place.child("source")),
      ...validateSet(
        config.requests ?? [],
        max.requests,
        place.child("requests"),
        (name) => name,
        (name, nameAt) => validateRequestName(name, names, nameAt),
      ),
      ...validateConfiguration(config.opaque, place),
    ]),
    ...(nodeSelector
      ? validateNodeSelectorTerms(nodeSelector.nodeSelectorTerms, where.child("nodeSelector", "nodeSelectorTerms"))
      : []),
  ];
}

function validateResult(result: DeviceRequestAllocationResult, names: ReadonlySet<string>, where: FieldPath) {
  return [
    ...validateRequestName(result.request, names, where.child("request")),
    ...validateCsiDriverName(result.driver, where.child("driver")),
    ...validatePoolName(result.pool, where.child("pool")),
    ...validateLabel(result.device, where.child("device")),
    ...validateBindingConditions(result, where),
    ...(result.shareID === undefined ? [] : validateUid(result.shareID, where.child("shareID"))),
  ];
}

function validateSource(source: string, where: FieldPath): FieldError[] {
  if (!source) return [required(where)];
  return sources.includes(source) ? [] : [notSupportedInOrder(where, source, sources)];
}

function validateDevice(device: AllocatedDeviceStatus, where: FieldPath, allocated: readonly unknown[]): FieldError[] {
  const { driver, pool, device: name, shareID, conditions, data, networkData } = device;
  const key = identity(device);
  const list = conditions ?? [];
  const conditionsAt = where.child("conditions");
  return [
    ...validateCsiDriverName(driver, where.child("driver")),
    ...validatePoolName(pool, where.child("pool")),
    ...validateLabel(name, where.child("device")),
    ...(shareID === undefined ? [] : validateUid(shareID, where.child("shareID"))),
    ...(allocated.some((candidate) => semanticEqual(candidate, key))
      ? []
      : [invalid(where, key, "must be an allocated device in the claim")]),
    ...(list.length > max.conditions ? [tooMany(conditionsAt, list.length, max.conditions)] : []),
    ...validateConditions(list, conditionsAt),
    ...(data === undefined ? [] : validateRaw(data, where.child("data"), max.dataBytes)),
    ...(networkData ? validateNetwork(networkData, where.child("networkData")) : []),
  ];
}

function validateNetwork(data: NetworkDeviceData, where: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["interfaceName", "hardwareAddress"] as const) {
    if (utf8Length(data[field] ?? "") > maxBytes[field]) errors.push(tooLong(where.child(field), maxBytes[field]));
  }
  return [...errors, ...validateSet(data.ips ?? [], max.ips, where.child("ips"), (ip) => ip, validateInterfaceAddress)];
}

/** Validates an address with a prefix length. */
function validateInterfaceAddress(value: string, where: FieldPath): FieldError[] {
  const [address = "", length = "", ...more] = value.split("/");
  const ip = parseIp(address);
  const bits = Number(length) - (ip?.isMapped && Number(length) > 32 ? 96 : 0);
  if (!ip || more.length || !/^\d+$/.test(length) || bits < 0 || bits > ip.bytes.length * 8) {
    return [invalid(where, value, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")];
  }
  const canonical = `${formatIp(ip)}/${bits}`;
  return value === canonical ? [] : [invalid(where, value, `must be in canonical form (${JSON.stringify(canonical)})`)];
}
