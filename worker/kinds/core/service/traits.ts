// The properties of a Service that follow from its type, in upstream's terms.
import type { Service, ServicePort } from "../../../../shared/k8s/api/core-v1.ts";

export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None";
}

export function needsClusterIp({ spec }: Service): boolean {
  return spec.type !== "ExternalName";
}

export function needsNodePort({ spec }: Service): boolean {
  if (spec.type === "NodePort") return true;
  return spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false;
}

export function needsHealthCheck({ spec }: Service): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

export function isExternallyAccessible({ spec }: Service): boolean {
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") return true;
  return spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0;
}

export function portsOf({ spec }: Service): ServicePort[] {
  return spec.ports ?? [];
}

export function nodePortsOf(service: Service): number[] {
  return portsOf(service).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}
