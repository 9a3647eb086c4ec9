// The EndpointSlices that mirror Endpoints which no selector makes (upstream: `endpointslicemirroring`). Pure.
import type { EndpointAddress, Endpoints } from "../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { endpoints as endpointsKind } from "../../kinds/core/endpoints.ts";
import { newControllerRef } from "./controller-ref.ts";
import { type AddressType, portsKey } from "./endpoint-of-pod.ts";
import { packSubsets } from "./endpoint-subsets.ts";
import { isIpv6 } from "./service-pods.ts";

export const mirroringName = "endpointslicemirroring-controller.k8s.io";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const serviceNameLabel = "kubernetes.io/service-name";
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
/** Annotations that are the object's own. */
const keptBack: readonly string[] = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];
/** Upstream's `--mirroring-max-endpoints-per-subset`. */
export const maxPerSubset = 1000;

export interface Mirror {
  readonly key: string;
  readonly addressType: AddressType;
  readonly ports: EndpointPort[];
  readonly endpoints: Endpoint[];
}

export function isMirrored({ metadata }: Endpoints): boolean {
  return metadata.labels?.[skipMirrorLabel] !== "true" && metadata.annotations?.[leaderAnnotation] === undefined;
}

/** One slice for each set of ports and type of address, and how many addresses did not fit. */
export function mirrorsOf({ subsets = [] }: Endpoints): { mirrors: Mirror[]; skipped: number } {
  const mirrors = new Map<string, Mirror>();
  let skipped = 0;
  const offers = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [...addresses.map((address) => ({ address, ready: true })), ...notReadyAddresses.map(notReady)].flatMap((one) =>
      (ports.length > 0 ? ports : [undefined]).map((port) => ({ ...one, port })),
    ),
  );
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of packSubsets(offers)) {
    const slicePorts = ports.map(({ name = "", ...port }) => ({ name, ...port }));
    const all = [...addresses.map((address) => ({ address, ready: true })), ...notReadyAddresses.map(notReady)];
    skipped += Math.max(all.length - maxPerSubset, 0);
    for (const { address, ready } of all.slice(0, maxPerSubset)) {
      const addressType: AddressType = isIpv6(address.ip) ? "IPv6" : "IPv4";
      const key = `${addressType}-${portsKey(slicePorts)}`;
      const mirror = mirrors.get(key) ?? { key, addressType, ports: slicePorts, endpoints: [] };
      mirrors.set(key, mirror);
      mirror.endpoints.push(endpointOf(address, ready));
    }
  }
  return { mirrors: [...mirrors.values()], skipped };
}

/** `existing` is the slice that is written over. */
export function mirrorSlice(
  endpoints: Endpoints,
  { addressType, ports, endpoints: list }: Mirror,
  existing: EndpointSlice | undefined,
): Draft<EndpointSlice> {
  const { namespace = "", name = "", labels, annotations = {} } = endpoints.metadata;
  const ownAnnotations = Object.entries(annotations).filter(([key]) => !keptBack.includes(key));
  const metadata = {
    labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroringName },
    annotations: Object.fromEntries(ownAnnotations),
    ownerReferences: [newControllerRef(endpoints, endpointsKind)],
  };
  if (existing) return { ...existing, metadata: { ...existing.metadata, ...metadata }, ports, endpoints: list };
  return { metadata: { ...metadata, namespace, generateName: `${name}-` }, addressType, ports, endpoints: list };
}

function notReady(address: EndpointAddress) {
  return { address, ready: false };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName ? { nodeName } : {}),
  };
}
