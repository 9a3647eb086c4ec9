// Finds the pods and ports behind a Service, and the Services that a change of a pod affects.
import type { Pod, Service, ServicePort } from "../../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { selectorFromSet } from "../../../../shared/k8s/selectors/labels.ts";
import { type Request, type Watch, type ReconcileContext, requestOf, watch } from "../../../runtime/controller.ts";
import { services } from "../../../kinds/core/service/service.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import { isPodReady, isPodTerminal, readyCondition } from "../pod-ready.ts";

type Client = ReconcileContext["client"];

/** Reports whether controllers maintain the endpoints of a Service: it has a selector and is not an ExternalName. */
export function hasOwnEndpoints({ spec }: Service): boolean {
  return spec.type !== "ExternalName" && spec.selector !== undefined && Object.keys(spec.selector).length > 0;
}

export function podsBehind(client: Client, { metadata, spec }: Service): readonly Pod[] {
  return client.list(pods, { namespace: metadata.namespace ?? "", labels: selectorFromSet(spec.selector) });
}

/** Reports whether a pod has an address and has not ended. */
export function shouldPodBeInEndpoints(pod: Pod, terminatingToo: boolean): boolean {
  if (isPodTerminal(pod)) return false;
  if (!pod.status.podIP && !pod.status.podIPs?.length) return false;
  return terminatingToo || !pod.metadata.deletionTimestamp;
}

/** Returns the hostname of a pod that requests one in the Service's subdomain (upstream's `ShouldSetHostname`). */
export function hostnameIn(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}

/** Returns the port number in a pod; undefined if the pod has no port with the name. */
export function findPort(pod: Pod, { targetPort: target, protocol }: ServicePort): number | undefined {
  if (typeof target !== "string") return target;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...pod.spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === target && port.protocol === protocol)?.containerPort;
}

export function isHeadless({ spec }: Service): boolean {
  return !spec.clusterIP || spec.clusterIP === "None";
}

export function isIpv6(ip: string): boolean {
  return ip.includes(":");
}

/** Returns the time at which the pod last became ready or not ready, as text. */
export function triggerTime(pod: Pod): string | undefined {
  return readyCondition(pod)?.lastTransitionTime ?? undefined;
}

/** Requests the Services of a pod that was created, deleted, or changed in a way that its endpoint shows. */
export const servicesOfChangedPods: Watch = watch(pods, function* (next, previous, client) {
  if (next && previous && !podEndpointsChanged(next, previous)) return;
  const changed = [next, previous].filter((pod) => pod !== undefined);
  const { namespace = "" } = changed[0]?.metadata ?? {};
  yield* servicesOf(client, namespace, changed);
});

export function* servicesOf(client: Client, namespace: string, ofPods: readonly Pod[]): Iterable<Request> {
  for (const service of client.list(services, { namespace })) {
    if (!hasOwnEndpoints(service)) continue;
    const selector = selectorFromSet(service.spec.selector);
    if (ofPods.some(({ metadata }) => selector.matches(metadata.labels))) yield requestOf(service);
  }
}

/** Reports whether the endpoint changed. The end of a pod counts too, since its endpoint is removed then. */
function podEndpointsChanged(next: Pod, previous: Pod): boolean {
  return (
    next.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    isPodReady(next) !== isPodReady(previous) ||
    isPodTerminal(next) !== isPodTerminal(previous) ||
    next.status.podIP !== previous.status.podIP ||
    next.spec.hostname !== previous.spec.hostname ||
    next.spec.subdomain !== previous.spec.subdomain ||
    !semanticEqual(next.status.podIPs, previous.status.podIPs) ||
    !semanticEqual(next.metadata.labels, previous.metadata.labels)
  );
}
