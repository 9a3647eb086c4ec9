// The kind Lease of coordination.k8s.io.
import type { Lease, LeaseSpec } from "../../../shared/k8s/api/coordination-v1.ts";
import { type FieldError, invalid, path } from "../../../shared/k8s/field.ts";
import { parseTime, rfc3339Micro } from "../../../shared/k8s/time.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { isSimulatedLease, lastBeatMs } from "../core/node/simulated.ts";

export const leases = defineKind<Lease>("coordination.k8s.io", "v1", "leases", {
  mayUseReserve: () => true,
  metadataRules: "apimachinery",
  validateUpdate: (_next, _previous, check) => [...check.objectMetaUpdate(), ...check.validate()],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: ({ spec }) => dropElection(spec),
  prepareForUpdate: ({ spec }) => dropElection(spec),
  decorator: {
    decorate(lease, nowMs) {
      if (!isSimulatedLease(lease)) return lease;
      const { renewTime } = lease.spec;
      const beatMs = Math.max(lastBeatMs(nowMs, renewMs), renewTime ? parseTime(renewTime) : 0);
      return { ...lease, spec: { ...lease.spec, renewTime: rfc3339Micro(beatMs) } };
    },
    strip(draft, previous) {
      // The last renewal of a node that becomes silent is written.
      if (!isSimulatedLease(previous) || !isSimulatedLease(draft)) return;
      if (previous.spec.renewTime) draft.spec.renewTime = previous.spec.renewTime;
      else delete draft.spec.renewTime;
    },
  },
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

/** The interval at which a kubelet renews its lease. */
const renewMs = 10_000;

/** Drops the fields of coordinated leader election, which is off by default upstream. */
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
