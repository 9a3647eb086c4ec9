// The endpoint slice controller: maintains the slices of a Service's pods, for each address type and set of ports.
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointPort, EndpointSlice, EndpointHints } from "../../../shared/k8s/api/discovery-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { selectorFromSet } from "../../../shared/k8s/selectors/labels.ts";
import { type Draft, isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { endpointSlices } from "../../kinds/discovery/endpoint-slice.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { services } from "../../kinds/core/service/service.ts";
import { type ReconcileContext, defineController, self, watch } from "../../runtime/controller.ts";
import {
  type AddressType,
  hashEndpoint,
  podToEndpoint,
  portsKey,
  getEndpointPorts,
  endpointsEqualBeyondHash,
} from "../common/endpoints/endpoint-of-pod.ts";
import {
  addressTypes,
  isOwnedBy,
  labelsFor,
  newSlice,
  sameLabels,
  sameOwnLabels,
  serviceNameOf,
  sliceLabelsOf,
} from "./shape.ts";
import { hintsEnabled, type PlannedSlices, inZones } from "./zones.ts";
import { planSlices } from "./slices.ts";
import { isNamespaceTerminating } from "../common/namespaces.ts";
import {
  hasOwnEndpoints,
  shouldPodBeInEndpoints,
  podsBehind,
  servicesOf,
  servicesOfChangedPods,
  triggerTime,
} from "../common/endpoints/service-pods.ts";

const lastChange = "endpoints.kubernetes.io/last-change-trigger-time";
const zoneLabel = "topology.kubernetes.io/zone";

export const endpointSliceController = defineController({
  name: "endpointslice-controller",
  component: "endpoint-slice-controller",
  watches: [
    self(services),
    servicesOfChangedPods,
    // A slice of this controller was changed or deleted by someone else.
    watch(endpointSlices, function* (next, previous) {
      if (next && previous && next.metadata.generation === previous.metadata.generation && sameLabels(next, previous)) {
        return;
      }
      for (const slice of [next, previous]) {
        const name = slice && serviceNameOf(slice);
        if (name) yield { namespace: slice.metadata.namespace ?? "", name };
      }
    }),
    // Endpoints have the zone of their node. Pods on a missing node have no endpoint.
    watch(nodes, function* (next, previous, client) {
      if (next && previous && next.metadata.labels?.[zoneLabel] === previous.metadata.labels?.[zoneLabel]) return;
      const onNode = client.byIndexValue(pods, (next ?? previous)?.metadata.name ?? "");
      const namespaces = new Set(onNode.map(({ metadata }) => metadata.namespace ?? ""));
      for (const namespace of namespaces) {
        const inNamespace = onNode.filter(({ metadata }) => metadata.namespace === namespace);
        yield* servicesOf(client, namespace, inNamespace);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const service = context.client.get(services, namespace, name);
    if (!service || !hasOwnEndpoints(service)) return undefined;
    try {
      reconcile(service, context);
    } catch (error) {
      if (error instanceof ApiError) reportFailure(service, error.message, context);
      throw error;
    }
    return undefined;
  },
});

/** The slices of one address type and their planned changes. */
type Changes = PlannedSlices;

function reconcile(service: Service, context: ReconcileContext): void {
  const { namespace = "", name = "" } = service.metadata;
  const selector = selectorFromSet(sliceLabelsOf(name));
  const existing = context.client
    .list(endpointSlices, { namespace, labels: selector })
    .filter((slice) => !isBeingDeleted(slice));
  const behind = podsBehind(context.client, service).filter((pod) => shouldPodBeInEndpoints(pod, true));
  const types = addressTypes(service);
  for (const type of types) {
    const ofType = existing.filter(({ addressType }) => addressType === type);
    const groups = groupByPorts(service, type, behind, context);
    const time = ofType.length === 0 ? service.metadata.creationTimestamp : lastChangeOf(ofType, groups, behind);
    const changes = inZones(service, type, reconcileByAddressType(service, type, ofType, groups), ofType, context);
    write(service, reuse(service, changes), time, context);
  }
  for (const slice of existing.filter(({ addressType }) => !types.some((type) => type === addressType))) {
    context.client.tryDelete(endpointSlices, namespace, slice.metadata.name ?? "");
  }
}

interface Group {
  readonly ports: EndpointPort[];
  readonly endpoints: Endpoint[];
}

function groupByPorts(
  service: Service,
  type: AddressType,
  behind: readonly Pod[],
  context: ReconcileContext,
): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const pod of behind) {
    const ports = getEndpointPorts(pod, service);
    const group = groups.get(portsKey(ports)) ?? { ports, endpoints: [] };
    groups.set(portsKey(ports), group);
    const nodeName = pod.spec.nodeName ?? "";
    const node = context.client.get(nodes, "", nodeName);
    if (!node && !service.spec.publishNotReadyAddresses) {
      // The creation of the node triggers a reconcile, so this error is not retried.
      const { namespace = "", name = "" } = service.metadata;
      const podName = pod.metadata.name ?? "";
      const message = `skipping Pod ${podName} for Service ${namespace}/${name}: Node ${nodeName} Not Found`;
      reportFailure(service, message, context);
      continue;
    }
    const endpoint = podToEndpoint(pod, node, service, type);
    if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
  }
  return groups;
}

function reconcileByAddressType(
  service: Service,
  type: AddressType,
  existing: readonly EndpointSlice[],
  groups: ReadonlyMap<string, Group>,
): Changes {
  const owned = existing.filter((slice) => isOwnedBy(slice, service));
  const desiredLabels = labelsFor(service);
  const sliceLabels = { labels: desiredLabels, differ: (slice: EndpointSlice) => !sameOwnLabels(slice, desiredLabels) };
  const changes: Changes = {
    create: [],
    update: [],
    delete: existing.filter((slice) => !isOwnedBy(slice, service) || !groups.has(portsKey(slice.ports))),
    unchanged: [],
  };
  // Zones are distributed over all slices of a type after these are planned.
  const isAuto = hintsEnabled(service);
  const withZoneHints = (list: readonly Endpoint[]) => (isAuto ? [...list] : withHints(list, service));
  for (const [key, { ports, endpoints }] of groups) {
    const ofPorts = owned.filter((slice) => portsKey(slice.ports) === key);
    const plan = planSlices(ofPorts, endpoints, sliceLabels);
    const touched = new Set([...plan.update, ...plan.delete].map(({ metadata }) => metadata.name));
    const rest = ofPorts.filter(({ metadata }) => !touched.has(metadata.name));
    const rehinted = rest.filter((slice) => !isAuto && hintsDiffer(slice, service));
    changes.unchanged.push(...rest.filter((slice) => !rehinted.includes(slice)));
    for (const slice of [...plan.update, ...rehinted]) {
      changes.update.push({ ...slice, endpoints: withZoneHints(slice.endpoints ?? []) });
    }
    for (const list of plan.create) {
      changes.create.push({ ...newSlice(service, type), ports, endpoints: withZoneHints(list) });
    }
    changes.delete.push(...plan.delete);
  }
  return withPlaceholder(service, type, existing, changes);
}

/** Adds an empty slice to a Service without endpoints, so that consumers can distinguish "none" from "unknown". */
function withPlaceholder(
  service: Service,
  type: AddressType,
  existing: readonly EndpointSlice[],
  changes: Changes,
): Changes {
  if (existing.length !== changes.delete.length || changes.create.length > 0) return changes;
  const [only] = changes.delete;
  const isPlaceholder =
    only !== undefined &&
    changes.delete.length === 1 &&
    (only.ports ?? []).length === 0 &&
    (only.endpoints ?? []).length === 0 &&
    isOwnedBy(only, service) &&
    semanticEqual(only.metadata.labels, labelsFor(service));
  if (isPlaceholder) return { ...changes, delete: [] };
  return { ...changes, create: [{ ...newSlice(service, type), ports: [], endpoints: [] }] };
}

/** Reuses slices to delete for slices to create: one write instead of two. */
function reuse(service: Service, changes: Changes): Changes {
  const create = [...changes.create];
  const update = [...changes.update];
  const gone = changes.delete.filter((slice) => {
    if (!isOwnedBy(slice, service)) return true;
    const next = create.pop();
    if (!next) return true;
    const { name = "", resourceVersion = "" } = slice.metadata;
    update.push({ ...next, metadata: { ...next.metadata, name, resourceVersion } });
    return false;
  });
  return { create, update, delete: gone, unchanged: changes.unchanged };
}

function write(service: Service, changes: Changes, time: string | undefined, { client }: ReconcileContext): void {
  const { namespace = "" } = service.metadata;
  try {
    // For a Service that is being deleted, new slices would race with garbage collection.
    const create = isBeingDeleted(service) ? [] : changes.create;
    for (const slice of create) client.create(endpointSlices, withTime(slice, time));
  } catch (error) {
    if (error instanceof ApiError && isNamespaceTerminating(error)) return;
    throw error;
  }
  for (const slice of changes.update) client.update(endpointSlices, withTime(slice, time));
  for (const slice of changes.delete) client.tryDelete(endpointSlices, namespace, slice.metadata.name ?? "");
}

function withTime(slice: Draft<EndpointSlice>, time: string | undefined): Draft<EndpointSlice> {
  const { [lastChange]: _old, ...otherAnnotations } = slice.metadata?.annotations ?? {};
  const annotations = { ...otherAnnotations, ...(time ? { [lastChange]: time } : {}) };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}

/** Returns the earliest change of the pods that the slices do not contain yet. */
function lastChangeOf(
  existing: readonly EndpointSlice[],
  groups: ReadonlyMap<string, Group>,
  behind: readonly Pod[],
): string | undefined {
  const publishedEndpoints = new Map(
    existing.flatMap(({ endpoints = [] }) => endpoints).map((endpoint) => [hashEndpoint(endpoint), endpoint]),
  );
  const changed = new Set<string>();
  for (const endpoint of [...groups.values()].flatMap(({ endpoints }) => endpoints)) {
    const before = publishedEndpoints.get(hashEndpoint(endpoint));
    if (!before || !endpointsEqualBeyondHash(before, endpoint)) changed.add(endpoint.targetRef?.uid ?? "");
  }
  const times = behind.filter(({ metadata }) => changed.has(metadata.uid ?? "")).map(triggerTime);
  return times.filter((time) => time !== undefined).sort()[0];
}

function reportFailure(service: Service, message: string, { event }: ReconcileContext): void {
  const { namespace = "", name = "" } = service.metadata;
  const text = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${message}`;
  event(service, "Warning", "FailedToUpdateEndpointSlices", text);
}

const close: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"]);

/** Returns the endpoints with the hints that the Service requests, or without hints. */
function withHints(endpoints: readonly Endpoint[], { spec }: Service): Endpoint[] {
  const distribution = spec.trafficDistribution ?? "";
  return endpoints.map((endpoint) => {
    const { hints: old, ...plain } = endpoint;
    // An endpoint that is not ready keeps its hints, which saves a write. It gets no traffic.
    if (close.has(distribution) && !endpoint.conditions.ready) return old ? { ...plain, hints: old } : plain;
    const hints = close.has(distribution) ? hintsFor(endpoint, distribution) : undefined;
    return hints ? { ...plain, hints } : plain;
  });
}

function hintsDiffer(slice: EndpointSlice, service: Service): boolean {
  const before = slice.endpoints ?? [];
  return withHints(before, service).some(({ hints }, at) => !semanticEqual(hints, before[at]?.hints));
}

function hintsFor({ zone, nodeName }: Endpoint, distribution: string): EndpointHints | undefined {
  const forNodes = nodeName && distribution === "PreferSameNode" ? [{ name: nodeName }] : undefined;
  if (!zone && !forNodes) return undefined;
  return { ...(zone ? { forZones: [{ name: zone }] } : {}), ...(forNodes ? { forNodes } : {}) };
}
