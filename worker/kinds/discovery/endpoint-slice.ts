// The kind EndpointSlice of discovery.k8s.io.
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  path,
  notSupported,
  required,
  tooMany,
} from "../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from "../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { parseIp } from "../../../shared/k8s/ip.ts";
import { each, validateProtocol } from "../common/checks.ts";
import { getWarningsForIp, validateEndpointIp, validateIpForLegacyField } from "../common/ip-validation.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const max = { endpoints: 1000, ports: 20_000, addresses: 100, hints: 8 };
/** The number of ports and addresses in the table. */
const maxShown = 3;

export const endpointSlices = defineKind<EndpointSlice>("discovery.k8s.io", "v1", "endpointslices", {
  defaults(draft) {
    for (const port of draft.ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepareForCreate(draft) {
    draft.metadata.generation = 1;
    dropTopology(draft);
  },
  // The topology is compared before it is dropped.
  prepareForUpdate(draft, previous) {
    const isSame =
      semanticEqual({ ...draft, metadata: undefined }, { ...previous, metadata: undefined }) &&
      semanticEqual(draft.metadata.labels, previous.metadata.labels);
    if (!isSame) draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    dropTopology(draft);
  },
  validate: (slice) => [
    ...validateAddressType(slice.addressType),
    ...validateEndpoints(slice.endpoints ?? [], slice.addressType, path("endpoints")),
    ...validatePorts(slice.ports ?? [], path("ports")),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...validateImmutable(next.addressType, previous.addressType, path("addressType")),
  ],
  warnings: (slice, previous) => {
    const fqdn = !previous && slice.addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
    const canonical = (slice.endpoints ?? []).flatMap(({ addresses }, at) =>
      addresses.flatMap((ip, index) =>
        getWarningsForIp(ip, path("endpoints").index(at).child("addresses").index(index)),
      ),
    );
    return [...fqdn, ...canonical];
  },
  columns: [
    nameColumn,
    {
      name: "AddressType",
      type: "string",
      description: "What kind of addresses all endpoints of the slice have.",
      cell: (slice) => slice.addressType,
    },
    {
      name: "Ports",
      type: "string",
      description: "Ports of every endpoint of the slice; the first three.",
      cell: ({ ports = [] }) =>
        formatList(
          ports.map((endpointPort) =>
            endpointPort.port === undefined ? endpointPort.name || "*" : `${endpointPort.port}`,
          ),
        ),
    },
    {
      name: "Endpoints",
      type: "string",
      description: "Addresses of the endpoints; the first three.",
      cell: ({ endpoints = [] }) => formatList(endpoints.flatMap((endpoint) => endpoint.addresses)),
    },
    ageColumn,
  ],
});

/** Drops the topology, which only exists for conversion: v1 never stores it. */
function dropTopology(draft: EndpointSlice): void {
  for (const endpoint of draft.endpoints ?? []) {
    if (endpoint.deprecatedTopology) delete endpoint.deprecatedTopology;
  }
}

function validateAddressType(type: string): FieldError[] {
  if (!type) return [required(path("addressType"))];
  return addressTypes.includes(type) ? [] : [notSupported(path("addressType"), type, addressTypes)];
}

function validateEndpoints(list: readonly Endpoint[], type: string, at: FieldPath): FieldError[] {
  if (list.length > max.endpoints) return [tooMany(at, list.length, max.endpoints)];
  return list.flatMap((endpoint, index) => validateEndpoint(endpoint, type, at.index(index)));
}

function validateEndpoint({ addresses, nodeName, hostname, hints }: Endpoint, type: string, at: FieldPath) {
  const where = at.child("addresses");
  const errors: FieldError[] = [];
  if (!addresses.length) errors.push(required(where, "must contain at least 1 address"));
  else if (addresses.length > max.addresses) errors.push(tooMany(where, addresses.length, max.addresses));
  addresses.forEach((address, index) => errors.push(...validateAddress(address, type, where, index)));
  if (nodeName !== undefined) errors.push(...each(dns1123Subdomain(nodeName), at.child("nodeName"), nodeName));
  if (hostname !== undefined) errors.push(...each(dns1123Label(hostname), at.child("hostname"), hostname));
  if (hints) errors.push(...validateHints(hints, at.child("hints")));
  return errors;
}

function validateAddress(address: string, type: string, all: FieldPath, index: number): FieldError[] {
  const at = all.index(index);
  if (type === "FQDN") return validateFullyQualifiedDomainName(address, at);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = validateIpForLegacyField(address, at);
  if (errors.length) return errors;
  // Upstream reports the address family at the list.
  const familyErrors = parseIp(address)?.family === type ? [] : [invalid(all, address, `must be an ${type} address`)];
  return [...familyErrors, ...validateEndpointIp(address, at)];
}

function validateFullyQualifiedDomainName(name: string, at: FieldPath): FieldError[] {
  if (!name) return [required(at)];
  const bare = name.endsWith(".") ? name.slice(0, -1) : name;
  const errors = dns1123Subdomain(bare);
  if (errors.length) return each(errors, at, bare);
  if (bare.split(".").length < 2) {
    return [invalid(at, bare, "should be a domain with at least two segments separated by dots")];
  }
  const long = bare.split(".").filter((label) => label.length > 63);
  return long.flatMap((label) => each(dns1123Label(label), at, label));
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, at: FieldPath): FieldError[] {
  return [
    ...validateHintNames(forZones, at.child("forZones"), labelValue),
    ...validateHintNames(forNodes, at.child("forNodes"), dns1123Subdomain),
  ];
}

function validateHintNames(hints: readonly { name: string }[], at: FieldPath, check: (name: string) => string[]) {
  if (hints.length > max.hints) return [tooMany(at, hints.length, max.hints)];
  const portNames = new Set<string>();
  return hints.flatMap(({ name }, index) => {
    const where = at.index(index).child("name");
    const repeated = portNames.has(name) ? [duplicate(where, name)] : [];
    portNames.add(name);
    return [...repeated, ...each(check(name), where, name)];
  });
}

function validatePorts(ports: readonly EndpointPort[], at: FieldPath): FieldError[] {
  if (ports.length > max.ports) return [tooMany(at, ports.length, max.ports)];
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, index) => {
    const where = at.index(index);
    const errors = name ? each(dns1123Label(name), where.child("name"), name) : [];
    if (names.has(name)) errors.push(duplicate(where.child("name"), name));
    names.add(name);
    errors.push(...validatePortProtocol(protocol, where.child("protocol")));
    if (appProtocol !== undefined) {
      errors.push(...each(qualifiedName(appProtocol), where.child("appProtocol"), appProtocol));
    }
    return errors;
  });
}

/** Validates a protocol. Unlike elsewhere, an empty one counts as set, and is invalid. */
function validatePortProtocol(protocol: string | undefined, at: FieldPath): FieldError[] {
  return protocol === "" ? [notSupported(at, protocol, ["SCTP", "TCP", "UDP"])] : validateProtocol(protocol, at);
}

function formatList(all: readonly string[]): string {
  const text = all.slice(0, maxShown).join(",");
  return all.length > maxShown ? `${text} + ${all.length - maxShown} more...` : text || "<unset>";
}
