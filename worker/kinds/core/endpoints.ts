// The kind Endpoints: the older form of EndpointSlices.
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, path, required } from "../../../shared/k8s/field.ts";
import { dns1123Label, dns1123Subdomain, portNumber, qualifiedName } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { each, validateProtocol } from "../common/checks.ts";
import { getWarningsForIp, validateEndpointIp, validateIpForLegacyField } from "../common/ip-validation.ts";

/** The number of addresses in the table. */
const maxShownAddresses = 3;

export const endpoints = defineKind<Endpoints>("", "v1", "endpoints", {
  resourcePrefix: "services/endpoints",
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  allowCreateOnUpdate: true,
  defaults(draft) {
    for (const port of draft.subsets?.flatMap((subset) => subset.ports ?? []) ?? []) port.protocol ??= "TCP";
  },
  validateUpdate: (_next, _previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.objectMeta(),
    ...check.validate(),
  ],
  validate: ({ subsets = [] }) => subsets.flatMap((subset, at) => validateSubset(subset, path("subsets").index(at))),
  warnings: ({ subsets = [] }) =>
    subsets.flatMap((subset, at) => {
      const where = path("subsets").index(at);
      const of = (field: "addresses" | "notReadyAddresses") =>
        (subset[field] ?? []).flatMap(({ ip }, index) =>
          getWarningsForIp(ip, where.child(field).index(index).child("ip")),
        );
      return [...of("addresses"), ...of("notReadyAddresses")];
    }),
  columns: [
    nameColumn,
    {
      name: "Endpoints",
      type: "string",
      description: "Addresses and ports that are ready; the first three.",
      cell: ({ subsets = [] }) => formatSubsets(subsets),
    },
    ageColumn,
  ],
});

function validateSubset({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset, at: FieldPath) {
  const errors: FieldError[] = [];
  if (!addresses.length && !notReadyAddresses.length) {
    errors.push(required(at, "must specify `addresses` or `notReadyAddresses`"));
  }
  addresses.forEach((address, index) => errors.push(...validateAddress(address, at.child("addresses").index(index))));
  notReadyAddresses.forEach((address, index) =>
    errors.push(...validateAddress(address, at.child("notReadyAddresses").index(index))),
  );
  ports.forEach((endpointPort, index) =>
    errors.push(...validatePort(endpointPort, ports.length > 1, at.child("ports").index(index))),
  );
  return errors;
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, at: FieldPath): FieldError[] {
  const errors = validateIpForLegacyField(ip, at.child("ip"));
  if (hostname) errors.push(...each(dns1123Label(hostname), at.child("hostname"), hostname));
  if (nodeName !== undefined) errors.push(...each(dns1123Subdomain(nodeName), at.child("nodeName"), nodeName));
  return [...errors, ...validateEndpointIp(ip, at.child("ip"))];
}

function validatePort({ name, port, protocol, appProtocol }: EndpointPort, needsName: boolean, at: FieldPath) {
  const errors: FieldError[] = [];
  if (name) errors.push(...each(dns1123Label(name), at.child("name"), name));
  else if (needsName) errors.push(required(at.child("name")));
  errors.push(...each(portNumber(port), at.child("port"), port), ...validateProtocol(protocol, at.child("protocol")));
  if (appProtocol !== undefined) {
    errors.push(...each(qualifiedName(appProtocol), at.child("appProtocol"), appProtocol));
  }
  return errors;
}

function formatSubsets(subsets: readonly EndpointSubset[]): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length
      ? ports.flatMap(({ port }) => addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)))
      : addresses.map(({ ip }) => ip),
  );
  if (!subsets.length) return "<none>";
  const text = all.slice(0, maxShownAddresses).join(",");
  return all.length > maxShownAddresses ? `${text} + ${all.length - maxShownAddresses} more...` : text;
}
