// Restores allocated values that an update leaves out, and drops values that a changed type does not support.
import type { Service } from "../../../../shared/k8s/api/core-v1.ts";
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  needsNodePort,
  nodePortsOf,
  portsOf,
} from "./traits.ts";

/** Restores allocated values. Omitting them does not release them. */
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

/** Synchronizes `clusterIP` and `clusterIPs` for clients that only know one of them. */
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

/** Drops the policy of an ExternalName service, as upstream. An invalid value stays for validation. */
export function dropInternalPolicy({ spec }: Service): void {
  const { type, internalTrafficPolicy: policy } = spec;
  if (type === "ExternalName" && (policy === "Cluster" || policy === "Local")) delete spec.internalTrafficPolicy;
}

function hasNodePorts({ spec: { type } }: Service): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

/** Drops values that the new type does not support, unless the client changed them too. */
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
  const remainingPorts = new Set(nodePortsOf(previous).filter((port) => used.has(port)));
  const byName = new Map(portsOf(previous).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of portsOf(draft)) {
    if (port.nodePort) continue;
    const before = byName.get(port.name ?? "");
    if (before && !remainingPorts.has(before)) port.nodePort = before;
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
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function sameSet(a: readonly number[], b: readonly number[]): boolean {
  return a.every((item) => b.includes(item)) && b.every((item) => a.includes(item));
}
