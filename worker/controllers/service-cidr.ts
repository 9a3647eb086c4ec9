// The service CIDR controller: a range is ready at once, and is removed only when no service has an address in it.
import type { Condition } from "../../shared/k8s/api/meta-v1.ts";
import type { ServiceCIDR } from "../../shared/k8s/api/networking-v1.ts";
import { isBeingDeleted } from "../../shared/k8s/meta.ts";
import { parseTime, rfc3339 } from "../../shared/k8s/time.ts";
import { ipAddresses } from "../kinds/networking/ip-address.ts";
import { parseIp, type Cidr, contains, parseCidr } from "../../shared/k8s/ip.ts";
import { serviceCidrs } from "../kinds/networking/service-cidr.ts";
import { ipAllocator, managedByLabel } from "../kinds/core/service/cluster-ip.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, defineController, requestOf, self, watch } from "../runtime/controller.ts";

export const serviceCidrFinalizer = "networking.k8s.io/service-cidr-finalizer";

/** The time in which API servers notice that the range is being deleted. */
const deletionGraceMs = 10_000;
const ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;
const inUse = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

export const serviceCidrController = defineController({
  name: "service-cidrs-controller",
  component: "service-cidrs-controller",
  watches: [
    self(serviceCidrs),
    // A deleted address, or another range, may unblock the deletion of a range.
    watch(ipAddresses, function* (next, previous, client) {
      if (previous && !next) yield* waiting(client);
    }),
    watch(serviceCidrs, function* (_next, _previous, client) {
      yield* waiting(client);
    }),
  ],
  reconcile({ name }, context) {
    const range = context.client.get(serviceCidrs, "", name);
    if (!range) return undefined;
    if (!range.metadata.deletionTimestamp) {
      settle(protect(range, context), ready, context);
      return undefined;
    }
    if (canDeleteCIDR(range, context.client)) {
      settle(range, inUse, context);
      return undefined;
    }
    const leftMs = parseTime(range.metadata.deletionTimestamp) + deletionGraceMs - context.nowMs;
    if (leftMs > 0) return { afterMs: leftMs };
    const finalizers = (range.metadata.finalizers ?? []).filter((finalizer) => finalizer !== serviceCidrFinalizer);
    context.client.update(serviceCidrs, { ...range, metadata: { ...range.metadata, finalizers } });
    return undefined;
  },
});

function* waiting(client: Client) {
  for (const range of client.list(serviceCidrs)) if (isBeingDeleted(range)) yield requestOf(range);
}

function protect(range: ServiceCIDR, { client }: ReconcileContext): ServiceCIDR {
  const finalizers = range.metadata.finalizers ?? [];
  if (finalizers.includes(serviceCidrFinalizer)) return range;
  const metadata = { ...range.metadata, finalizers: [...finalizers, serviceCidrFinalizer] };
  return client.update(serviceCidrs, { ...range, metadata });
}

function settle(
  range: ServiceCIDR,
  desired: Pick<Condition, "status" | "reason" | "message">,
  context: ReconcileContext,
) {
  const conditions = range.status.conditions ?? [];
  const current = conditions.find(({ type }) => type === "Ready");
  const isSame =
    current && (["status", "reason", "message"] as const).every((field) => current[field] === desired[field]);
  if (isSame) return;
  const condition: Condition = { type: "Ready", lastTransitionTime: rfc3339(context.nowMs), ...desired };
  const otherConditions = conditions.filter(({ type }) => type !== "Ready");
  context.client.updateStatus(serviceCidrs, { ...range, status: { conditions: [...otherConditions, condition] } });
}

/** Reports whether no service has an address that is only in this range. */
function canDeleteCIDR(range: ServiceCIDR, client: Client): boolean {
  const ownCidrs = cidrsOf(range);
  const otherRanges = client.list(serviceCidrs).filter(({ metadata }) => metadata.uid !== range.metadata.uid);
  const elsewhere = otherRanges.flatMap(cidrsOf);
  return client.list(ipAddresses).some(({ metadata: { name = "", labels } }) => {
    if (labels?.[managedByLabel] !== ipAllocator) return false;
    const bytes = parseIp(name)?.bytes ?? [];
    const isIn = (cidr: Cidr) => contains(cidr, bytes);
    return ownCidrs.some(isIn) && !elsewhere.some(isIn);
  });
}

function cidrsOf({ spec }: ServiceCIDR): Cidr[] {
  return (spec.cidrs ?? []).map(parseCidr).filter((cidr) => cidr !== undefined);
}
