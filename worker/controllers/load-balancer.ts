// The service controller with a simulated cloud: a Service of type LoadBalancer gets an address of its own, until it goes.
import type { Service } from "../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { services } from "../kinds/services.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, defineController, requestOf, watch } from "../runtime/controller.ts";
import { hasFinalizer, withFinalizer, withoutFinalizer } from "./parts/finalizers.ts";

const loadBalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";

/** Ranges that are kept for documentation, so that nobody's network has them. */
const prefixes = ["203.0.113", "198.51.100", "192.0.2"];

export const loadBalancerController = defineController({
  name: "service-controller",
  component: "service-controller",
  watches: [
    watch<Service>(services, function* (next) {
      if (next && (wants(next) || hasFinalizer(next, loadBalancerFinalizer))) yield requestOf(next);
    }),
  ],
  reconcile({ namespace, name }, context) {
    const service = context.client.get(services, namespace, name);
    if (!service) return undefined;
    if (wants(service) && !isBeingDeleted(service)) ensure(service, context);
    else if (hasFinalizer(service, loadBalancerFinalizer)) cleanUp(service, context);
    return undefined;
  },
});

/** A class of its own is for another controller. */
function wants({ spec }: Service): boolean {
  return spec.type === "LoadBalancer" && spec.loadBalancerClass === undefined;
}

function ensure(service: Service, { client, event }: ReconcileContext): void {
  const isEnsured = addressesOf(service).length > 0 && hasFinalizer(service, loadBalancerFinalizer);
  if (isEnsured) return;
  event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
  const held = hasFinalizer(service, loadBalancerFinalizer)
    ? service
    : client.update(services, { ...service, metadata: withFinalizer(service.metadata, loadBalancerFinalizer) });
  const ip = addressesOf(held)[0] ?? freeAddress(held, client);
  if (ip === undefined) {
    const message = "failed to ensure load balancer: no address is free";
    event(held, "Warning", "SyncLoadBalancerFailed", `Error syncing load balancer: ${message}`);
    throw ApiError.conflict(services.groupResource, held.metadata.name ?? "", message);
  }
  event(held, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
  const loadBalancer = { ingress: [{ ip, ipMode: "VIP" as const }] };
  client.updateStatus(services, { ...held, status: { ...held.status, loadBalancer } });
}

function cleanUp(service: Service, { client, event }: ReconcileContext): void {
  event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
  // The status first: without its finalizer the Service may be gone.
  const freed = client.updateStatus(services, { ...service, status: { ...service.status, loadBalancer: {} } });
  client.update(services, { ...freed, metadata: withoutFinalizer(freed.metadata, loadBalancerFinalizer) });
  event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
}

function addressesOf({ status }: Service): string[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
}

/** The one that was asked for, or the first that no Service has. */
function freeAddress({ spec }: Service, client: Client): string | undefined {
  const taken = new Set(client.list(services).flatMap(addressesOf));
  if (spec.loadBalancerIP && !taken.has(spec.loadBalancerIP)) return spec.loadBalancerIP;
  for (const prefix of prefixes) {
    for (let last = 1; last < 255; last++) if (!taken.has(`${prefix}.${last}`)) return `${prefix}.${last}`;
  }
  return undefined;
}
