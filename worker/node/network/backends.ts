// What is behind a port of a Service: the ready endpoints, and since when each is ready.
import type { Pod, Service, ServicePort } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { endpointSlices } from "../../kinds/discovery/endpoint-slice.ts";
import { endpoints } from "../../kinds/core/endpoints.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { parseSelector } from "../../../shared/k8s/selectors/labels.ts";

type Client = ReconcileContext["client"];

export interface Backend {
  readonly address: string;
  readonly port: number;
  /** Undefined: it is none of the cluster's pods. */
  readonly pod: Pod | undefined;
  readonly sinceMs: number;
}

export function backendsOf(client: Client, service: Service, { name: portName = "" }: ServicePort): Backend[] {
  const { namespace = "", name = "" } = service.metadata;
  const { publishNotReadyAddresses = false, selector } = service.spec;
  const found = selector
    ? (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
        const port = ports.find((one) => (one.name ?? "") === portName)?.port;
        return port === undefined ? [] : addresses.map(({ ip, targetRef }) => ({ ip, port, podName: targetRef?.name }));
      })
    : slicedOf(client, namespace, name, portName);
  return found.map(({ ip, port, podName }) => {
    const pod = podName === undefined ? undefined : client.get(pods, namespace, podName);
    return { address: ip, port, pod, sinceMs: publishNotReadyAddresses ? 0 : readyMs(pod) };
  });
}

/** Those that a user says himself. */
function slicedOf(client: Client, namespace: string, name: string, portName: string) {
  const selector = parseSelector(`kubernetes.io/service-name=${name}`);
  return client.list(endpointSlices, { namespace, labels: selector }).flatMap(({ ports, endpoints: listed }) => {
    const port = ports?.find((one) => (one.name ?? "") === portName)?.port;
    if (port === undefined) return [];
    return (listed ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses = [], targetRef }) => addresses.map((ip) => ({ ip, port, podName: targetRef?.name })));
  });
}

/** Since when a pod answers behind a Service. */
export function readyMs(pod: Pod | undefined): number {
  const time = pod?.status.conditions?.find((one) => one.type === "Ready")?.lastTransitionTime;
  return time ? parseTime(time) : 0;
}
