// The endpoint slice mirroring controller: mirrors user-written Endpoints of Services without a selector as slices.
import type { Endpoints, Service, EndpointAddress } from "../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice, Endpoint, EndpointPort } from "../../shared/k8s/api/discovery-v1.ts";
import { selectorFromSet } from "../../shared/k8s/selectors/labels.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { endpointSlices } from "../kinds/discovery/endpoint-slice.ts";
import { endpoints as endpointsKind } from "../kinds/core/endpoints.ts";
import { services } from "../kinds/core/service/service.ts";
import { type ReconcileContext, type Request, defineController, self, watch } from "../runtime/controller.ts";
import { portsKey, type AddressType } from "./common/endpoints/endpoint-of-pod.ts";
import { isNamespaceTerminating } from "./common/namespaces.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { newControllerRef } from "./common/controller-ref.ts";
import { repackSubsets } from "./common/endpoints/subsets.ts";
import { isIpv6 } from "./common/endpoints/service-pods.ts";

export const endpointSliceMirroring = defineController({
  name: "endpointslicemirroring-controller",
  component: "endpoint-slice-mirroring-controller",
  watches: [
    self(endpointsKind),
    self<Service>(services, (next, previous) => !next || !previous || isSelecting(next) !== isSelecting(previous)),
    watch<EndpointSlice>(endpointSlices, function* (next, previous): Generator<Request> {
      for (const slice of [next, previous]) {
        const { labels, namespace = "" } = slice?.metadata ?? {};
        if (labels?.[managedByLabel] !== mirroringName) continue;
        yield { namespace, name: labels[serviceNameLabel] ?? "" };
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const labels = selectorFromSet({ [serviceNameLabel]: name, [managedByLabel]: mirroringName });
    const existing = context.client.list(endpointSlices, { namespace, labels });
    const endpoints = context.client.get(endpointsKind, namespace, name);
    const service = context.client.get(services, namespace, name);
    if (endpoints && service && !isSelecting(service) && isMirrored(endpoints)) write(endpoints, existing, context);
    else for (const slice of existing) remove(slice, context);
    return undefined;
  },
});

function isSelecting({ spec }: Service): boolean {
  return spec.selector !== undefined;
}

function write(endpoints: Endpoints, existing: readonly EndpointSlice[], context: ReconcileContext): void {
  const { mirrors, skipped } = mirrorsOf(endpoints);
  if (skipped > 0) {
    const message = `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
    context.event(endpoints, "Warning", "TooManyAddressesToMirror", message);
  }
  const left = new Set(existing);
  const take = (matches: (slice: EndpointSlice) => boolean) => {
    const matching = [...left].find(matches);
    if (matching) left.delete(matching);
    return matching;
  };
  const planned = mirrors.map((mirror) => ({
    mirror,
    slice: take(({ addressType, ports }) => `${addressType}-${portsKey(ports)}` === mirror.key),
  }));
  for (const { mirror, slice } of planned) {
    // A slice to delete is reused for a slice to create: one write instead of two.
    const place = slice ?? take(({ addressType }) => addressType === mirror.addressType);
    const draft = mirrorSlice(endpoints, mirror, place);
    if (place) context.client.update(endpointSlices, draft);
    else if (!endpoints.metadata.deletionTimestamp) create(draft, context);
  }
  for (const slice of left) remove(slice, context);
}

function create(draft: ReturnType<typeof mirrorSlice>, { client }: ReconcileContext): void {
  try {
    client.create(endpointSlices, draft);
  } catch (error) {
    if (!(error instanceof ApiError && isNamespaceTerminating(error))) throw error;
  }
}

function remove({ metadata }: EndpointSlice, { client }: ReconcileContext): void {
  client.tryDelete(endpointSlices, metadata.namespace ?? "", metadata.name ?? "");
}

const mirroringName = "endpointslicemirroring-controller.k8s.io";
const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const serviceNameLabel = "kubernetes.io/service-name";
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
/** The annotations that are not copied to slices. */
const keptBack: readonly string[] = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];
/** The default of upstream's `--mirroring-max-endpoints-per-subset`. */
const maxPerSubset = 1000;

interface Mirror {
  readonly key: string;
  readonly addressType: AddressType;
  readonly ports: EndpointPort[];
  readonly endpoints: Endpoint[];
}

function isMirrored({ metadata }: Endpoints): boolean {
  return metadata.labels?.[skipMirrorLabel] !== "true" && metadata.annotations?.[leaderAnnotation] === undefined;
}

/** Returns one slice for each set of ports and address type, and the number of skipped addresses. */
function mirrorsOf({ subsets = [] }: Endpoints): { mirrors: Mirror[]; skipped: number } {
  const mirrors = new Map<string, Mirror>();
  let skipped = 0;
  const offers = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [...addresses.map((address) => ({ address, ready: true })), ...notReadyAddresses.map(notReady)].flatMap(
      (candidate) => (ports.length > 0 ? ports : [undefined]).map((port) => ({ ...candidate, port })),
    ),
  );
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(offers)) {
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

/** Builds a slice. `existing` is the slice that is overwritten. */
function mirrorSlice(
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
