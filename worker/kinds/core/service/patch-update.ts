// What an update of a Service keeps though the client left it out, and what a change of type makes void.
import type { Service } from "../../../../shared/k8s/api/core-v1.ts";
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  needsNodePort,
  nodePortsOf,
  portsOf,
} from "./traits.ts";

/** Leaving out what was allocated means keeping it. */
export function patchAllocatedValues(draft: Service, previous: Service): void {
  const { spec } = draft;
  const before = previous.spec;
  if (needsClusterIp(previous) && needsClusterIp(draft)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs && before.clusterIPs && spec.clusterIP === before.clusterIP) {
      spec.clusterIPs = [...before.clusterIPs];
    }
  }
  if (needsNodePort(previous) && needsNodePort(draft)) keepNodePorts(draft, previous);
  if (needsHealthCheck(previous) && needsHealthCheck(draft) && before.healthCheckNodePort) {
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  }
}

/** Clients that know only one of the two fields may use that one. */
export function normalizeClusterIps(draft: Service, previous: Service | undefined): void {
  const { spec } = draft;
  const { clusterIP = "" } = spec;
  if (!previous) {
    if (clusterIP && !spec.clusterIPs) spec.clusterIPs = [clusterIP];
    return;
  }
  const before = previous.spec;
  if (clusterIP === (before.clusterIP ?? "") || !sameList(spec.clusterIPs, before.clusterIPs)) return;
  if (clusterIP) spec.clusterIPs = [clusterIP];
  else delete spec.clusterIPs;
}

/** Names outside have no endpoints; upstream leaves the field out when it is read. A wrong value stays to be refused. */
export function dropInternalPolicy({ spec }: Service): void {
  const { type, internalTrafficPolicy: policy } = spec;
  if (type === "ExternalName" && (policy === "Cluster" || policy === "Local")) delete spec.internalTrafficPolicy;
}

function hasNodePorts({ spec: { type } }: Service): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

/** What the new type cannot have goes, unless the client changed it too. */
export function dropTypeDependentFields(draft: Service, previous: Service): void {
  const { spec } = draft;
  const before = previous.spec;
  const lost = (needs: (service: Service) => boolean) => needs(previous) && !needs(draft);
  if (lost(needsClusterIp)) dropClusterIps(draft, previous);
  if (lost(hasNodePorts) && sameSet(nodePortsOf(draft), nodePortsOf(previous))) {
    for (const port of portsOf(draft)) delete port.nodePort;
  }
  const dropIfSame = (field: "healthCheckNodePort" | "loadBalancerClass" | "externalTrafficPolicy") => {
    if (spec[field] === before[field]) delete spec[field];
  };
  if (lost(needsHealthCheck)) dropIfSame("healthCheckNodePort");
  if (lost((service) => service.spec.type === "LoadBalancer")) {
    dropIfSame("loadBalancerClass");
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
  }
  if (lost(isExternallyAccessible)) dropIfSame("externalTrafficPolicy");
}

function keepNodePorts(draft: Service, previous: Service): void {
  const used = new Set(nodePortsOf(draft));
  const kept = new Set(nodePortsOf(previous).filter((port) => used.has(port)));
  const byName = new Map(portsOf(previous).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of portsOf(draft)) {
    if (port.nodePort) continue;
    const before = byName.get(port.name ?? "");
    if (before && !kept.has(before)) port.nodePort = before;
  }
}

function dropClusterIps({ spec }: Service, { spec: before }: Service): void {
  if (spec.clusterIP === before.clusterIP && sameList(spec.clusterIPs, before.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameList(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

function sameSet(a: readonly number[], b: readonly number[]): boolean {
  return a.every((one) => b.includes(one)) && b.every((one) => a.includes(one));
}
