// Converts a pod to an endpoint of a slice: its addresses, conditions and ports, and the keys for comparing endpoints.
import type { Node, Pod, Service } from "../../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointPort } from "../../../../shared/k8s/api/discovery-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { isPodReady } from "../pod-ready.ts";
import { hostnameIn, isIpv6, findPort } from "./service-pods.ts";

export type AddressType = "IPv4" | "IPv6";

const zoneLabel = "topology.kubernetes.io/zone";

export function podToEndpoint(pod: Pod, node: Node | undefined, service: Service, addressType: AddressType): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const hostname = hostnameIn(pod, service);
  const zone = node?.metadata.labels?.[zoneLabel];
  const ips = (pod.status.podIPs ?? []).map(({ ip }) => ip);
  return {
    addresses: ips.filter((ip) => isIpv6(ip) === (addressType === "IPv6")).sort(),
    // A terminating pod is never ready, unless the Service publishes addresses that are not ready.
    conditions: {
      ready: service.spec.publishNotReadyAddresses || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname ? { hostname } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/** Returns the ports in a canonical order, so that equal sets are equal lists. */
export function getEndpointPorts(pod: Pod, service: Service): EndpointPort[] {
  return (service.spec.ports ?? [])
    .flatMap((port): EndpointPort[] => {
      const number = findPort(pod, port);
      if (number === undefined) return [];
      const { name = "", protocol = "TCP", appProtocol } = port;
      return [{ name, protocol, port: number, ...(appProtocol === undefined ? {} : { appProtocol }) }];
    })
    .sort(comparePorts);
}

/** Returns the key of a set of ports. */
export function portsKey(ports: readonly EndpointPort[] = []): string {
  return JSON.stringify([...ports].sort(comparePorts).map(portText));
}

/** Returns a key that identifies an endpoint independently of its conditions. */
export function hashEndpoint({ addresses, hostname = "", targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

export function endpointsEqualBeyondHash(a: Endpoint, b: Endpoint): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.conditions.ready === b.conditions.ready &&
    a.conditions.serving === b.conditions.serving &&
    a.conditions.terminating === b.conditions.terminating &&
    semanticEqual({ ...a.targetRef, resourceVersion: "" }, { ...b.targetRef, resourceVersion: "" })
  );
}

function portText({ name = "", protocol, port = 0, appProtocol }: EndpointPort): string {
  return JSON.stringify([name, protocol ?? "", port, appProtocol ?? null]);
}

function comparePorts(a: EndpointPort, b: EndpointPort): number {
  const [left, right] = [portText(a), portText(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
