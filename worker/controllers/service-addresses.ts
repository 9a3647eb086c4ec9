// Repairs the IPAddress objects of services: each cluster IP has one that references its service, and each references an existing service.
// Also maintains the default ServiceCIDR. Requests with a namespace are services; the others are addresses, or the CIDR.
import type { Service } from "../../shared/k8s/api/core-v1.ts";
import type { IPAddress } from "../../shared/k8s/api/networking-v1.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { ipAddresses } from "../kinds/networking/ip-address.ts";
import { formatIp, parseIp, contains, parseCidr } from "../../shared/k8s/ip.ts";
import { defaultServiceCidr, serviceCidrs } from "../kinds/networking/service-cidr.ts";
import { services } from "../kinds/core/service/service.ts";
import {
  addressFor,
  addressesOf,
  ipAllocator,
  ipFamilyLabel,
  managedByLabel,
} from "../kinds/core/service/cluster-ip.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, type Result, defineController, requestOf, watch } from "../runtime/controller.ts";

/** The time for which upstream keeps an address without its service: the maximum duration of the request that creates both. */
const orphanGraceMs = 60_000;

export const serviceAddressController = defineController({
  name: "ipallocator-repair-controller",
  user: "system:apiserver",
  component: "ipallocator-repair-controller",
  watches: [
    watch<Service>(services, function* (next, _, client) {
      if (next && addressesOf(next).some(({ object }) => addressProblem(next, object.metadata.name ?? "", client))) {
        yield requestOf(next);
      }
    }),
    watch<IPAddress>(ipAddresses, function* (next, previous, client) {
      const { parentRef } = (next ?? previous)?.spec ?? {};
      const parent = parentRef && client.get(services, parentRef.namespace ?? "", parentRef.name ?? "");
      const name = (next ?? previous)?.metadata.name ?? "";
      if (parent && addressProblem(parent, name, client)) yield requestOf(parent);
      if (next && isManaged(next) && !hasClusterIp(parent, name)) yield requestOf(next);
      // If the address references no service, another service may still have this cluster IP.
      if (next && !parent) yield* servicesWithIp(name, client);
    }),
    watch(serviceCidrs, function* (next, previous) {
      if (!next && previous?.metadata.name === defaultServiceCidr) yield { namespace: "", name: defaultServiceCidr };
    }),
  ],
  reconcile({ namespace, name }, context) {
    const { client } = context;
    if (namespace === "") {
      if (name === defaultServiceCidr) return ensureDefaultServiceCidr(context);
      const address = client.get(ipAddresses, "", name);
      return address && syncIPAddress(address, context);
    }
    const service = client.get(services, namespace, name);
    for (const { object } of service ? addressesOf(service) : []) {
      if (service) syncService(service, object.metadata.name ?? "", context);
    }
    return undefined;
  },
});

function* servicesWithIp(ip: string, client: Client) {
  for (const service of client.each(services)) if (hasClusterIp(service, ip)) yield requestOf(service);
}

function ensureDefaultServiceCidr({ client }: ReconcileContext): undefined {
  if (client.get(serviceCidrs, "", defaultServiceCidr)) return;
  client.create(serviceCidrs, {
    metadata: { name: defaultServiceCidr },
    spec: { cidrs: [client.network.serviceCidr] },
  });
}

type Problem = "range" | "missing" | "reference" | "duplicate" | "labels";

function addressProblem({ metadata, spec }: Service, ip: string, client: Client): Problem | undefined {
  if (!(spec.clusterIPs ?? []).some((text) => text !== "None" && canonicalIp(text) === ip)) return undefined;
  const address = client.get(ipAddresses, "", ip);
  if (!isInRange(ip, client)) return "range";
  if (!address) return "missing";
  const { group, resource, namespace = "", name = "" } = address.spec.parentRef ?? {};
  if (group || resource !== "services") return "reference";
  if (namespace !== metadata.namespace || name !== metadata.name) {
    const parent = client.get(services, namespace, name);
    if (!parent) return "reference";
    if (hasClusterIp(parent, ip)) return "duplicate";
  }
  return hasLabels(address) ? undefined : "labels";
}

function syncService(service: Service, ip: string, { client, event }: ReconcileContext): void {
  const problem = addressProblem(service, ip, client);
  if (problem === undefined) return;
  const { namespace = "", name = "" } = service.metadata;
  const family = ip.includes(":") ? "IPv6" : "IPv4";
  const warn = (reason: string, message: string) => event(service, "Warning", reason, message);
  if (problem === "range") {
    const why = "is not within any configured Service CIDR; please recreate service";
    warn("ClusterIPOutOfRange", `Cluster IP [${family}]: ${ip} ${why}`);
    return;
  }
  if (problem === "duplicate") {
    const why = "was assigned to multiple services; please recreate service";
    warn("ClusterIPAlreadyAllocated", `Cluster IP [${family}]:${ip} ${why}`);
    return;
  }
  if (problem === "missing") {
    warn("ClusterIPNotAllocated", `Cluster IP [${family}]: ${ip} is not allocated; repairing`);
  } else if (problem === "reference") {
    const whose = `for Service ${namespace}/${name} has a wrong reference; repairing`;
    warn("ClusterIPNotAllocated", `the ClusterIP [${family}]: ${ip} ${whose}`);
  }
  client.tryDelete(ipAddresses, "", ip);
  if (!client.get(ipAddresses, "", ip)) client.create(ipAddresses, addressFor(ip, namespace, name));
}

function syncIPAddress(address: IPAddress, context: ReconcileContext): Result | undefined {
  const { client, event, nowMs } = context;
  const { name = "", creationTimestamp, deletionTimestamp } = address.metadata;
  if (!isManaged(address) || deletionTimestamp) return undefined;
  const { group = "", resource = "", namespace = "", name: parentName = "" } = address.spec.parentRef ?? {};
  const remove = (reason: string, message: string) => {
    event(address, "Warning", reason, message);
    client.tryDelete(ipAddresses, "", name);
    return undefined;
  };
  if (group || resource !== "services") {
    const reference = `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${parentName},}`;
    const why = `appears to have been modified, not referencing a Service ${reference}: cleaning up`;
    return remove("IPAddressNotAllocated", `IPAddress ${name} ${why}`);
  }
  const service = client.get(services, namespace, parentName);
  const ageMs = nowMs - parseTime(creationTimestamp ?? "");
  if (!service) {
    if (ageMs <= orphanGraceMs) return { afterMs: orphanGraceMs + 1000 - ageMs };
    const whose = `for Service ${namespace}/${parentName} appears to have leaked: cleaning up`;
    return remove("IPAddressNotAllocated", `IPAddress: ${name} ${whose}`);
  }
  if (hasClusterIp(service, name)) return undefined;
  if (service.spec.type === "ExternalName" && ageMs < orphanGraceMs) return { afterMs: orphanGraceMs - ageMs };
  const whose = `for Service ${namespace}/${parentName} has a wrong reference; cleaning up`;
  return remove("IPAddressWrongReference", `IPAddress: ${name} ${whose}`);
}

function isInRange(ip: string, client: Client): boolean {
  const bytes = parseIp(ip)?.bytes ?? [];
  const cidrs = client.list(serviceCidrs).flatMap(({ spec }) => spec.cidrs ?? []);
  return cidrs.some((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && contains(cidr, bytes);
  });
}

function hasClusterIp(service: Service | undefined, ip: string): boolean {
  return service?.spec.clusterIPs?.some((text) => canonicalIp(text) === ip) ?? false;
}

function canonicalIp(text: string): string {
  const ip = parseIp(text);
  return ip ? formatIp(ip) : text;
}

function isManaged({ metadata }: IPAddress): boolean {
  return metadata.labels?.[managedByLabel] === ipAllocator;
}

function hasLabels(address: IPAddress): boolean {
  const family = address.metadata.name?.includes(":") ? "IPv6" : "IPv4";
  return isManaged(address) && address.metadata.labels?.[ipFamilyLabel] === family;
}
