// The kind Lease of coordination.k8s.io.
import type { Lease, LeaseSpec } from "../../shared/k8s/api/coordination-v1.ts";
import { type FieldError, invalid, path } from "../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";

export const leases = defineKind<Lease>("coordination.k8s.io", "v1", "leases", {
  createsOnUpdate: true,
  needsVersionOnUpdate: true,
  prepareForCreate: ({ spec }) => dropElection(spec),
  prepareForUpdate: ({ spec }) => dropElection(spec),
  validate: ({ spec }) => validateSpec(spec),
  columns: [
    nameColumn,
    {
      name: "Holder",
      type: "string",
      description: "Who holds the lease now.",
      cell: (lease) => lease.spec.holderIdentity ?? "",
    },
    ageColumn,
  ],
});

/** Fields of coordinated leader election, which is off by default upstream. */
function dropElection(spec: LeaseSpec): void {
  delete spec.strategy;
  delete spec.preferredHolder;
}

function validateSpec({ leaseDurationSeconds, leaseTransitions }: LeaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  const spec = path("spec");
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid(spec.child("leaseDurationSeconds"), leaseDurationSeconds, "must be greater than 0"));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    const why = "must be greater than or equal to 0";
    errors.push(invalid(spec.child("leaseTransitions"), leaseTransitions, why));
  }
  return errors;
}
