// The kind ServiceCIDR of networking.k8s.io: a range of service addresses.
import { parseCidr } from "../../../shared/k8s/ip.ts";
import type { ServiceCIDR } from "../../../shared/k8s/api/networking-v1.ts";
import { type FieldError, invalid, path, required } from "../../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { validateCidr } from "../common/ip-validation.ts";
import { statusAlone } from "../common/status-metadata.ts";

/** The name of the cluster's default range. */
export const defaultServiceCidr = "kubernetes";

const immutable = "field is immutable";
const at = path("spec", "cidrs");

export const serviceCidrs = defineKind<ServiceCIDR>("networking.k8s.io", "v1", "servicecidrs", {
  validate({ spec, metadata }, context): FieldError[] {
    // Upstream validates values only when they are new. An update may add a second one.
    const previous = context.get(serviceCidrs, "", metadata.name ?? "")?.spec.cidrs ?? [];
    const next = spec.cidrs ?? [];
    const isExtended = previous.length === 1 && next.length === 2;
    return previous.length && !isExtended ? [] : validateCidrs(next);
  },
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateChange(next.spec.cidrs ?? [], previous.spec.cidrs ?? []),
  ],
  ...statusAlone(),
  columns: [
    nameColumn,
    {
      name: "CIDRs",
      type: "string",
      description: "The ranges, one of each family at most.",
      cell: ({ spec }) => (spec.cidrs ?? []).join(","),
    },
    ageColumn,
  ],
});

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  if (!cidrs.length) return [required(at, "at least one CIDR required")];
  // Upstream prints its internal struct here, whose fields have no JSON names.
  if (cidrs.length > 2) return [invalid(at, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const errors = cidrs.flatMap((cidr, index) => validateCidr(cidr, at.index(index)));
  const [first, second] = cidrs.map(familyOf);
  if (first && first === second) {
    const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalid(at, cidrs, why));
  }
  return errors;
}

function validateChange(next: readonly string[], previous: readonly string[]): FieldError[] {
  const isExtended = previous.length === 1 && next.length === 2;
  if (next.length !== previous.length && !isExtended) return [invalid(at, next, immutable)];
  return previous.flatMap((cidr, index) =>
    next[index] === cidr ? [] : [invalid(at.index(index), next[index], immutable)],
  );
}

function familyOf(text: string): string | undefined {
  return parseCidr(text)?.family;
}
