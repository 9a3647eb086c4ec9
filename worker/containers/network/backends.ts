// Finds the endpoints behind a port of a Service, and selects among them as kube-proxy does.
import type { Pod, Service, ServicePort } from "../../../shared/k8s/api/core-v1.ts";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { parseSelector } from "../../../shared/k8s/selectors/labels.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { endpointSlices } from "../../kinds/discovery/endpoint-slice.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";

type Client = ReconcileContext["client"];

export interface Backend {
  readonly address: string;
  readonly port: number;
  /** Undefined if the endpoint is not a pod of the cluster. */
  readonly pod: Pod | undefined;
  readonly node: string | undefined;
  readonly hints: EndpointHints | undefined;
  /** Whether the pod is terminating and still serves. */
  readonly isTerminating: boolean;
  /** The time since which the pod is ready; 0 if the Service publishes addresses that are not ready. */
  readonly sinceMs: number;
}

/** The node and zone of the client, and whether only endpoints of its node may be used. */
export interface Origin {
  readonly node: string | undefined;
  readonly zone: string | undefined;
  readonly isLocal: boolean;
}

/** Returns the ready endpoints, for clients that use endpoints directly. */
export function backendsOf(client: Client, service: Service, port: ServicePort): Backend[] {
  return backendsIn(slicesOf(client, service), client, service, port).filter((backend) => !backend.isTerminating);
}

/** Returns the endpoints that kube-proxy uses: ready ones, and terminating ones that still serve. */
export function proxiedBackendsOf(client: Client, service: Service, port: ServicePort): Backend[] {
  return backendsIn(
    slicesOf(client, service).filter((slice) => !isElsewhere(slice)),
    client,
    service,
    port,
  );
}

/** Reports whether kube-proxy ignores a Service or a slice because its labels assign it to another proxy, which does not exist here. */
export function isElsewhere({ metadata: { labels = {} } }: Service | EndpointSlice): boolean {
  return ["service-proxy-name", "headless"].some((name) => labels[`service.kubernetes.io/${name}`] !== undefined);
}

function backendsIn(
  slices: readonly EndpointSlice[],
  client: Client,
  service: Service,
  { name: portName = "" }: ServicePort,
): Backend[] {
  const { publishNotReadyAddresses = false } = service.spec;
  return slices.flatMap(({ ports, endpoints, metadata: { namespace = "" } }) => {
    const port = ports?.find((slicePort) => (slicePort.name ?? "") === portName)?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).filter(isServing).flatMap(({ addresses = [], targetRef, nodeName, hints, conditions }) => {
      const pod = targetRef?.name === undefined ? undefined : client.get(pods, namespace, targetRef.name);
      const sinceMs = publishNotReadyAddresses ? 0 : readyMs(pod);
      const isTerminating = conditions?.ready === false;
      return addresses.map((address) => ({ address, port, pod, node: nodeName, hints, isTerminating, sinceMs }));
    });
  });
}

/** Returns the slices of a Service: the controller's if it selects pods, otherwise those that a user created. */
function slicesOf(client: Client, { metadata, spec }: Service): readonly EndpointSlice[] {
  const { namespace = "", name = "", uid = "" } = metadata;
  if (spec.selector) return client.controlledBy(endpointSlices, uid);
  return client.list(endpointSlices, { namespace, labels: parseSelector(`kubernetes.io/service-name=${name}`) });
}

function isServing({ conditions: { ready, serving, terminating } = {} }: Endpoint): boolean {
  return ready !== false || (serving === true && terminating === true);
}

/** Selects ready endpoints, as near as their hints require; terminating ones if none is ready. */
export function reachable(all: readonly Backend[], origin: Origin): readonly Backend[] {
  const within = origin.isLocal ? all.filter((backend) => backend.node === origin.node) : all;
  const ready = within.filter((backend) => !backend.isTerminating);
  if (ready.length === 0) return within;
  return origin.isLocal ? ready : nearest(ready, origin);
}

/** Applies hints, which apply only if every endpoint has some and at least one matches. Hints for nodes come before those for zones. */
function nearest(ready: readonly Backend[], { node, zone }: Origin): readonly Backend[] {
  const hintKinds = [
    { names: ({ hints }: Backend) => hints?.forNodes ?? [], own: node },
    { names: ({ hints }: Backend) => hints?.forZones ?? [], own: zone },
  ];
  for (const { names, own: location } of hintKinds) {
    const near = ready.filter((backend) => names(backend).some(({ name }) => name === location));
    if (near.length > 0 && ready.every((backend) => names(backend).length > 0)) return near;
  }
  return ready;
}

/** Returns the time since which a pod is ready behind a Service. */
export function readyMs(pod: Pod | undefined): number {
  const time = pod?.status.conditions?.find((condition) => condition.type === "Ready")?.lastTransitionTime;
  return time ? parseTime(time) : 0;
}
