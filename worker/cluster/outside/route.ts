// Finds the destination of a request to a server outside the cluster: a public address, a backend of a Service, or the Service's tunnel.
// Without a destination, returns the reason, in upstream's words if there are any.
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import type { Service } from "../../../shared/k8s/api/core-v1.ts";
import type { Recipient, ServiceAddress } from "../../../shared/k8s/outbound-call.ts";
import { endpointSlices } from "../../kinds/discovery/endpoint-slice.ts";
import type { Reads } from "../../kinds/kind.ts";
import { services } from "../../kinds/core/service/service.ts";
import { isPublicHost } from "../../../shared/base/public-host.ts";

export const backendAnnotation = "sandbar.dev/backend";
const help = "see docs/WEBHOOKS.md";

export type Route =
  | { readonly origin: string; readonly path: string; readonly serverName: string }
  | { readonly tunnel: ServiceAddress; readonly path: string; readonly serverName: string }
  /** To the Service's own pods, as far as one of them answers; `failure`: why not, if none does. */
  | { readonly pods: ServiceAddress; readonly path: string; readonly serverName: string; readonly failure: string }
  | { readonly failure: string; readonly pods?: undefined };

export interface RouteOptions {
  readonly reads: Pick<Reads, "get" | "list">;
  hasTunnel(namespace: string, name: string): boolean;
  /** This runs on the user's own machine, which may ask whom it likes. */
  readonly isLocal: boolean;
}

export function routeOf(to: Recipient, options: RouteOptions): Route {
  const url = parseUrl(to.url);
  if (!url) return { failure: "invalid URL" };
  const path = url.pathname + url.search;
  if (to.service) return serviceRoute(to, to.service, path, options);
  const failure = refusalOf(url, options.isLocal);
  if (failure) return { failure };
  return { origin: url.origin, path, serverName: url.hostname };
}

function serviceRoute(to: Recipient, address: ServiceAddress, path: string, options: RouteOptions): Route {
  const { namespace, name, port } = address;
  const service = options.reads.get(services, namespace, name);
  if (!service) return { failure: `service ${JSON.stringify(name)} not found` };
  const { type, ports = [] } = service.spec;
  if (type === "ExternalName") return { failure: `unsupported service type ${JSON.stringify(type)}` };
  if (!ports.some((candidate) => candidate.port === port)) {
    return { failure: `no service port ${port} found for service ${JSON.stringify(name)}` };
  }
  const serverName = `${name}.${namespace}.svc`;
  const backend = service.metadata.annotations?.[backendAnnotation];
  if (backend !== undefined) {
    const url = parseUrl(backend);
    const failure = url ? refusalOf(url, options.isLocal) : "invalid URL";
    if (!url || failure) return { failure: `annotation ${backendAnnotation} of service ${name}: ${failure}` };
    // A bundle of its own vouches for the Service's name; the public authorities do for the backend's.
    return { origin: url.origin, path, serverName: to.caBundle ? serverName : url.hostname };
  }
  if (options.hasTunnel(namespace, name)) return { tunnel: address, path, serverName };
  const hasEndpoints = [...options.reads.list(endpointSlices, namespace)].some((slice) => isReadyFor(slice, name));
  if (!hasEndpoints) return { failure: `no endpoints available for service ${JSON.stringify(name)}` };
  return { pods: address, path, serverName, failure: unreachable(service, port) };
}

/** Its pods are simulated, and few of them speak TLS. */
function unreachable({ spec }: Service, port: number): string {
  const why = `containers are simulated: name a backend in the annotation ${backendAnnotation}, or open a tunnel; ${help}`;
  return `dial tcp ${spec.clusterIP ?? ""}:${port}: connect: connection refused (${why})`;
}

function isReadyFor({ metadata, endpoints = [] }: EndpointSlice, service: string): boolean {
  if (metadata.labels?.["kubernetes.io/service-name"] !== service) return false;
  return endpoints.some(({ conditions }) => conditions.ready !== false);
}

function refusalOf(url: URL, isLocal: boolean): string | undefined {
  if (url.protocol !== "https:") return "only https is called";
  if (url.username || url.password) return "a URL with a password is not called";
  if (isLocal || isPublicHost(url.hostname)) return undefined;
  return `dial tcp ${url.hostname}: the address is not public, and no other is called: open a tunnel; ${help}`;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
