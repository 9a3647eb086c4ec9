// The endpoints controller: maintains one Endpoints object for each Service, with the addresses of its pods.
import type { EndpointAddress, Endpoints, EndpointSubset, Pod, Service } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { endpoints } from "../kinds/core/endpoints.ts";
import { services } from "../kinds/core/service/service.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, defineController, requestOf, self, watch } from "../runtime/controller.ts";
import { type Offer, addressCount, maxCapacity, repackSubsets, truncateEndpoints } from "./common/endpoints/subsets.ts";
import { isNamespaceTerminating } from "./common/namespaces.ts";
import { isPodReady } from "./common/pod-ready.ts";
import {
  hasOwnEndpoints,
  hostnameIn,
  isHeadless,
  isIpv6,
  shouldPodBeInEndpoints,
  podsBehind,
  servicesOfChangedPods,
  findPort,
  triggerTime,
} from "./common/endpoints/service-pods.ts";

const managedBy = "endpoints.kubernetes.io/managed-by";
const headless = "service.kubernetes.io/headless";
const lastChange = "endpoints.kubernetes.io/last-change-trigger-time";
const overCapacity = "endpoints.kubernetes.io/over-capacity";
const controllerName = "endpoint-controller";

export const endpointsController = defineController({
  name: controllerName,
  component: controllerName,
  watches: [
    self(services),
    servicesOfChangedPods,
    // A deleted object is created again if its Service exists. After a restart, an object may be left over from a deleted Service.
    watch(endpoints, function* (next, previous, client) {
      if (!next && previous) yield requestOf(previous);
      if (next && !previous && isLeftOver(next, client)) yield requestOf(next);
    }),
  ],
  reconcile({ namespace, name }, context) {
    const service = context.client.get(services, namespace, name);
    if (!service) context.client.tryDelete(endpoints, namespace, name);
    else if (hasOwnEndpoints(service)) reconcile(service, context);
    return undefined;
  },
});

/** Reports whether an object of this controller has no Service. */
function isLeftOver({ metadata: { namespace = "", name = "", labels } }: Endpoints, client: Client): boolean {
  return labels?.[managedBy] === controllerName && !client.get(services, namespace, name);
}

function reconcile(service: Service, context: ReconcileContext): void {
  const { namespace = "", name = "" } = service.metadata;
  const current = context.client.get(endpoints, namespace, name);
  const pods = podsBehind(context.client, service).filter((pod) => shouldPodBeInEndpoints(pod, publishesAll(service)));
  const subsets = repackSubsets(pods.flatMap((pod) => offersOf(pod, service)));
  const isTooMany = addressCount(subsets) > maxCapacity;
  if (current && isUpToDate(current, service, subsets, isTooMany)) return;
  const { [lastChange]: _time, [overCapacity]: _capacity, ...annotations } = current?.metadata.annotations ?? {};
  const time = current ? lastChangeOf(current, pods) : service.metadata.creationTimestamp;
  const draft = {
    metadata: {
      ...(current?.metadata ?? { namespace, name }),
      labels: labelsFor(service),
      annotations: {
        ...annotations,
        ...(time ? { [lastChange]: time } : {}),
        ...(isTooMany ? { [overCapacity]: "truncated" } : {}),
      },
    },
    subsets: isTooMany ? truncateEndpoints(subsets) : subsets,
  };
  try {
    if (current) context.client.update(endpoints, draft);
    else context.client.create(endpoints, draft);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // In a terminating namespace, creation fails and is not needed.
    if (!current && isNamespaceTerminating(error)) return;
    report(error, service, current, context);
    throw error;
  }
}

function report(error: ApiError, service: Service, current: Endpoints | undefined, { event }: ReconcileContext): void {
  const { namespace = "", name = "" } = service.metadata;
  const about = { apiVersion: "v1", kind: "Endpoints", metadata: current?.metadata ?? { namespace, name } };
  if (current) {
    const message = `Failed to update endpoint ${namespace}/${name}: ${error.message}`;
    event(about, "Warning", "FailedToUpdateEndpoint", message);
  } else {
    const message = `Failed to create endpoint for service ${namespace}/${name}: ${error.message}`;
    event(about, "Warning", "FailedToCreateEndpoint", message);
  }
}

function publishesAll({ spec }: Service): boolean {
  return spec.publishNotReadyAddresses ?? false;
}

function offersOf(pod: Pod, service: Service): Offer[] {
  const address = addressOf(pod, service);
  if (!address) return [];
  const ready = publishesAll(service) || isPodReady(pod);
  const { ports = [], clusterIP } = service.spec;
  if (ports.length === 0) return clusterIP === "None" ? [{ address, port: undefined, ready }] : [];
  return ports.flatMap((port) => {
    const number = findPort(pod, port);
    if (number === undefined) return [];
    const { name, protocol, appProtocol } = port;
    const named = { ...(name ? { name } : {}), port: number, ...(protocol ? { protocol } : {}) };
    return [{ address, port: { ...named, ...(appProtocol === undefined ? {} : { appProtocol }) }, ready }];
  });
}

/** Returns the pod's address of the Service's first family. */
function addressOf(pod: Pod, service: Service): EndpointAddress | undefined {
  const wantsIpv6 = service.spec.ipFamilies?.[0] === "IPv6";
  const ip = pod.status.podIPs?.map((podIP) => podIP.ip).find((address) => isIpv6(address) === wantsIpv6);
  if (!ip) return undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const hostname = hostnameIn(pod, service);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    nodeName: pod.spec.nodeName ?? "",
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

function labelsFor(service: Service): Record<string, string> {
  const { [headless]: _own, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) ? { [headless]: "" } : {}), [managedBy]: controllerName };
}

function isUpToDate(
  current: Endpoints,
  service: Service,
  subsets: readonly EndpointSubset[],
  isTooMany: boolean,
): boolean {
  const isMarked = current.metadata.annotations?.[overCapacity] !== undefined;
  const desiredSubsets = isTooMany ? truncateEndpoints(subsets) : subsets;
  return (
    isMarked === isTooMany &&
    semanticEqual(current.subsets ?? [], desiredSubsets) &&
    semanticEqual(current.metadata.labels, labelsFor(service))
  );
}

/** Returns the earliest change of the pods that these endpoints do not contain yet. Consumers measure their delay from it. */
function lastChangeOf(current: Endpoints, pods: readonly Pod[]): string | undefined {
  const publishedReadiness = new Map<string, boolean>();
  for (const { addresses = [], notReadyAddresses = [] } of current.subsets ?? []) {
    for (const { targetRef } of addresses) publishedReadiness.set(targetRef?.uid ?? "", true);
    for (const { targetRef } of notReadyAddresses) publishedReadiness.set(targetRef?.uid ?? "", false);
  }
  return pods
    .filter((pod) => publishedReadiness.get(pod.metadata.uid ?? "") !== isPodReady(pod))
    .map(triggerTime)
    .filter((time) => time !== undefined)
    .sort()[0];
}
