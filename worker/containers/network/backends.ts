// What is behind a port of a Service: endpoints of its slices, and since when each is ready; and which of them a node sends to, as kube-proxy.
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
  /** Undefined: it is none of the cluster's pods. */
  readonly pod: Pod | undefined;
  readonly node: string | undefined;
  readonly hints: EndpointHints | undefined;
  /** Its pod is going, and still serves. */
  readonly isTerminating: boolean;
  readonly sinceMs: number;
}

/** From where a connection is made, and whether it may only go to endpoints of that node. */
export interface Origin {
  readonly node: string | undefined;
  readonly zone: string | undefined;
  readonly isLocal: boolean;
}

/** Those that are ready, for who asks for endpoints himself. */
export function backendsOf(client: Client, service: Service, port: ServicePort): Backend[] {
  return backendsIn(slicesOf(client, service), client, service, port).filter((one) => !one.isTerminating);
}

/** Those that kube-proxy knows: that are ready, and that serve while they go. */
export function proxiedBackendsOf(client: Client, service: Service, port: ServicePort): Backend[] {
  return backendsIn(
    slicesOf(client, service).filter((one) => !isElsewhere(one)),
    client,
    service,
    port,
  );
}

/** Whether kube-proxy leaves a Service or a slice to somebody else, by its labels: nobody here. */
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
    const port = ports?.find((one) => (one.name ?? "") === portName)?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).filter(isServing).flatMap(({ addresses = [], targetRef, nodeName, hints, conditions }) => {
      const pod = targetRef?.name === undefined ? undefined : client.get(pods, namespace, targetRef.name);
      const sinceMs = publishNotReadyAddresses ? 0 : readyMs(pod);
      const isTerminating = conditions?.ready === false;
      return addresses.map((address) => ({ address, port, pod, node: nodeName, hints, isTerminating, sinceMs }));
    });
  });
}

/** The controller's where the Service selects pods, and otherwise those that a user says himself. */
function slicesOf(client: Client, { metadata, spec }: Service): readonly EndpointSlice[] {
  const { namespace = "", name = "", uid = "" } = metadata;
  if (spec.selector) return client.controlledBy(endpointSlices, uid);
  return client.list(endpointSlices, { namespace, labels: parseSelector(`kubernetes.io/service-name=${name}`) });
}

function isServing({ conditions: { ready, serving, terminating } = {} }: Endpoint): boolean {
  return ready !== false || (serving === true && terminating === true);
}

/** Ready ones as near as their hints ask for; where there are none, those that are going. */
export function reachable(all: readonly Backend[], origin: Origin): readonly Backend[] {
  const within = origin.isLocal ? all.filter((one) => one.node === origin.node) : all;
  const ready = within.filter((one) => !one.isTerminating);
  if (ready.length === 0) return within;
  return origin.isLocal ? ready : nearest(ready, origin);
}

/** Hints count if every endpoint has some and one of them is for this place: the node's before the zone's. */
function nearest(ready: readonly Backend[], { node, zone }: Origin): readonly Backend[] {
  const kinds = [
    { names: ({ hints }: Backend) => hints?.forNodes ?? [], own: node },
    { names: ({ hints }: Backend) => hints?.forZones ?? [], own: zone },
  ];
  for (const { names, own } of kinds) {
    const near = ready.filter((one) => names(one).some(({ name }) => name === own));
    if (near.length > 0 && ready.every((one) => names(one).length > 0)) return near;
  }
  return ready;
}

/** Since when a pod answers behind a Service. */
export function readyMs(pod: Pod | undefined): number {
  const time = pod?.status.conditions?.find((one) => one.type === "Ready")?.lastTransitionTime;
  return time ? parseTime(time) : 0;
}
