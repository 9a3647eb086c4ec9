// The service controller with a simulated cloud: assigns addresses to Services of type LoadBalancer, and releases them.
import type { Node, Service, ServicePort } from "../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted, type KubeObject } from "../../shared/k8s/meta.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { services } from "../kinds/core/service/service.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../runtime/controller.ts";
import { freeBalancedAddress } from "./common/balanced-addresses.ts";
import { hasFinalizer, withFinalizer, withoutFinalizer } from "./common/finalizers.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";

const loadBalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";
const excluded = "node.kubernetes.io/exclude-from-external-load-balancers";
const leaving = "ToBeDeletedByClusterAutoscaler";

/** The changes since the last reconcile of each Service. Losing it costs events, not addresses. */
interface Memory {
  /** The previous state of changed Services by uid. */
  readonly before: Map<string, Service>;
  /** The uids of Services whose hosts have changed. */
  readonly rehosted: Set<string>;
}

export const loadBalancerController = defineController({
  name: "service-controller",
  component: "service-controller",
  memory: (): Memory => ({ before: new Map(), rehosted: new Set() }),
  watches: [
    watch<Service, Memory>(services, function* (next, previous, _client, memory) {
      const uid = (next ?? previous)?.metadata.uid ?? "";
      if (!next) {
        memory.before.delete(uid);
        memory.rehosted.delete(uid);
        return;
      }
      if (previous && needsBalancerUpdate(next, previous) && !memory.before.has(uid)) memory.before.set(uid, previous);
      if (wantsBalancer(next) || hasFinalizer(next, loadBalancerFinalizer)) yield requestOf(next);
    }),
    watch<Node, Memory>(nodes, function* (next, previous, client, memory): Generator<Request> {
      if (isHost(next) === isHost(previous)) return;
      for (const service of client.each(services)) {
        if (!wantsBalancer(service) || addressesOf(service).length === 0) continue;
        // A node from before the Service is not a change, even after a restart.
        if (next && !previous && madeMs(next) <= madeMs(service)) continue;
        memory.rehosted.add(service.metadata.uid ?? "");
        yield requestOf(service);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const service = context.client.get(services, namespace, name);
    if (!service) return undefined;
    if (wantsBalancer(service) && !isBeingDeleted(service)) ensure(service, context);
    else if (hasFinalizer(service, loadBalancerFinalizer)) cleanUp(service, context);
    return undefined;
  },
});

function madeMs({ metadata }: KubeObject): number {
  return metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
}

/** Reports whether a node can receive traffic. */
function isHost(node: Node | undefined): boolean {
  if (!node || node.metadata.labels?.[excluded] !== undefined) return false;
  return !node.spec.taints?.some(({ key }) => key === leaving);
}

function ensure(service: Service, { client, event, memory }: ReconcileContext<Memory>): void {
  const { uid = "", name = "" } = service.metadata;
  const before = memory.before.get(uid);
  const isRehosted = memory.rehosted.has(uid);
  memory.before.delete(uid);
  memory.rehosted.delete(uid);
  const families = (service.spec.ipFamilies ?? ["IPv4"]).map((family) => (family === "IPv6" ? family : "IPv4"));
  const isEnsured = addressesOf(service).length >= families.length && hasFinalizer(service, loadBalancerFinalizer);
  if (isEnsured && !before) {
    if (isRehosted) event(service, "Normal", "UpdatedLoadBalancer", "Updated load balancer with new hosts");
    return;
  }
  const change = before && balancerChange(service, before);
  if (change) event(service, "Normal", change.reason, change.message);
  event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
  const protectedService = hasFinalizer(service, loadBalancerFinalizer)
    ? service
    : client.update(services, { ...service, metadata: withFinalizer(service.metadata, loadBalancerFinalizer) });
  const ingress = families.flatMap((family) => {
    const ip = addressFor(protectedService, family, client);
    return ip === undefined ? [] : [{ ip, ipMode: "VIP" as const }];
  });
  if (ingress.length < families.length) {
    const message = "failed to ensure load balancer: no address is free";
    event(protectedService, "Warning", "SyncLoadBalancerFailed", `Error syncing load balancer: ${message}`);
    throw ApiError.conflict(services.groupResource, name, message);
  }
  if (!client.list(nodes).some(isHost)) {
    event(protectedService, "Warning", "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
  }
  event(protectedService, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
  client.updateStatus(services, {
    ...protectedService,
    status: { ...protectedService.status, loadBalancer: { ingress } },
  });
}

function cleanUp(service: Service, { client, event, memory }: ReconcileContext<Memory>): void {
  const uid = service.metadata.uid ?? "";
  const before = memory.before.get(uid);
  memory.before.delete(uid);
  const change = before && balancerChange(service, before);
  if (change) event(service, "Normal", change.reason, change.message);
  event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
  // The status is written first, since the Service may be gone once its finalizer is removed.
  const freed = client.updateStatus(services, { ...service, status: { ...service.status, loadBalancer: {} } });
  client.update(services, { ...freed, metadata: withoutFinalizer(freed.metadata, loadBalancerFinalizer) });
  event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
}

function addressesOf({ status }: Service): string[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
}

/** Returns the current address, the requested one, or the first free one. */
function addressFor(service: Service, family: "IPv4" | "IPv6", client: Client): string | undefined {
  const isOf = (ip: string) => ip.includes(":") === (family === "IPv6");
  const current = addressesOf(service).find(isOf);
  const requested = service.spec.loadBalancerIP;
  const wantsOther = requested !== undefined && isOf(requested) && requested !== current;
  if (current !== undefined && !wantsOther) return current;
  const otherServices = client.list(services).filter(({ metadata }) => metadata.uid !== service.metadata.uid);
  const taken = new Set(otherServices.flatMap(addressesOf));
  if (wantsOther && !taken.has(requested)) return requested;
  return current ?? freeBalancedAddress(family, taken);
}

interface BalancerChange {
  readonly reason: string;
  readonly message: string;
}

type Told = string | number | readonly string[] | undefined;

/** Reports whether the Service needs a load balancer. A load balancer class is for other controllers. */
function wantsBalancer({ spec }: Service): boolean {
  return spec.type === "LoadBalancer" && spec.loadBalancerClass === undefined;
}

/** Reports whether the load balancer must be created, updated or deleted. */
function needsBalancerUpdate(next: Service, previous: Service): boolean {
  if (wantsBalancer(next) !== wantsBalancer(previous)) return true;
  return wantsBalancer(next) && !semanticEqual(relevant(next), relevant(previous));
}

/** Returns the first difference, as upstream reports only that. */
function balancerChange(next: Service, previous: Service): BalancerChange | undefined {
  const [now, before] = [next.spec, previous.spec];
  const arrow = (reason: string, from: Told, to: Told) => ({ reason, message: `${text(from)} -> ${text(to)}` });
  if (wantsBalancer(next) !== wantsBalancer(previous)) return arrow("Type", before.type, now.type);
  const ranges = [before.loadBalancerSourceRanges ?? [], now.loadBalancerSourceRanges ?? []];
  if (!semanticEqual(ranges[0], ranges[1])) return arrow("LoadBalancerSourceRanges", ranges[0], ranges[1]);
  if (!semanticEqual(portsOf(previous), portsOf(next)) || before.sessionAffinity !== now.sessionAffinity) {
    return undefined;
  }
  if ((before.loadBalancerIP ?? "") !== (now.loadBalancerIP ?? "")) {
    return arrow("LoadbalancerIP", before.loadBalancerIP, now.loadBalancerIP);
  }
  const [old = [], external = []] = [before.externalIPs, now.externalIPs];
  if (old.length !== external.length) {
    return { reason: "ExternalIP", message: `Count: ${old.length} -> ${external.length}` };
  }
  const added = external.find((ip, at) => ip !== old[at]);
  if (added !== undefined) return { reason: "ExternalIP", message: `Added: ${added}` };
  if (!semanticEqual(previous.metadata.annotations, next.metadata.annotations)) return undefined;
  if (before.externalTrafficPolicy !== now.externalTrafficPolicy) {
    return arrow("ExternalTrafficPolicy", before.externalTrafficPolicy, now.externalTrafficPolicy);
  }
  if ((before.healthCheckNodePort ?? 0) !== (now.healthCheckNodePort ?? 0)) {
    return arrow("HealthCheckNodePort", before.healthCheckNodePort ?? 0, now.healthCheckNodePort ?? 0);
  }
  return undefined;
}

function relevant(service: Service) {
  const { spec, metadata } = service;
  return [
    spec.loadBalancerSourceRanges ?? [],
    portsOf(service),
    spec.sessionAffinity,
    spec.loadBalancerIP ?? "",
    spec.externalIPs ?? [],
    metadata.annotations ?? {},
    spec.externalTrafficPolicy,
    spec.healthCheckNodePort ?? 0,
    spec.ipFamilies?.length ?? 0,
  ];
}

function portsOf({ spec }: Service): Partial<ServicePort>[] {
  return (spec.ports ?? []).map(({ name = "", protocol = "TCP", port, nodePort = 0 }) => ({
    name,
    protocol,
    port,
    nodePort,
  }));
}

/** Prints a value as Go does. */
function text(value: Told): string {
  return typeof value === "object" ? `[${value.join(" ")}]` : String(value ?? "");
}
