// Selects where a gateway sends a request, by its listeners and their HTTPRoutes.
import type { Spend } from "../../../shared/base/pattern.ts";
import { stableFraction } from "../../../shared/base/stable.ts";
import { takeWithinBudget } from "../../../shared/k8s/bounds/entries.ts";
import type { Headers } from "../../../shared/k8s/outbound-call.ts";
import type { ShownCertificate } from "../../../shared/k8s/port-request.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { services } from "../../kinds/core/service/service.ts";
import {
  routeAttachments,
  covers,
  isGranted,
  isParent,
  servesRoutes,
} from "../../kinds/networking/gateway/attachment.ts";
import {
  gatewayVersion,
  type GatewaySpec,
  grantVersions,
  type Listener,
  type Read,
  readGateway,
  readGrant,
  readRoute,
  type RouteBackend,
  type RouteFilter,
  type RouteSpec,
} from "../../kinds/networking/gateway/objects.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { GatewayAnswer, GatewayRequest, GatewayRoute, HeaderChanges } from "./gateway-route.ts";
import { backendsOf } from "./backends.ts";
import { certificateOf } from "./certificates.ts";
import { type Matched, matchedBy } from "./http-route-match.ts";
import { probeBudget } from "./probe-budget.ts";

type Client = ReconcileContext["client"];

/** The work of reading a route or a grant in addition to its entries, and of reading a certificate. */
const readWork = 10;
const certificateWork = 300;

const failedRoute = (status: 404 | 500 | 503): GatewayRoute => ({ kind: "failed", status });

/** Routes a request. `pays` receives the units of work; past a bound nothing more is read. */
export function gatewayRoute(client: Client, request: GatewayRequest, pays: (units: number) => void): GatewayAnswer {
  const spend = probeBudget(pays);
  const gateway = gatewayAt(client, request);
  const listener = gateway && listenerFor(gateway, request.port, request.host);
  if (!gateway || !listener) return { route: failedRoute(404), isTls: false };
  const isTls = listener.protocol === "HTTPS";
  const kind = client.kindAt(gatewayVersion, "httproutes");
  if (!kind) return { route: failedRoute(404), isTls };
  const objects = takeWithinBudget(client.each(kind), spend, readWork);
  if (!objects) return { route: failedRoute(503), isTls };
  const labelsOf = (name: string) => client.get(namespaces, "", name)?.metadata.labels;
  const routes: Read<RouteSpec>[] = [];
  for (const object of objects) {
    const route = readRoute(object);
    const isHere = route?.spec.parentRefs.some((reference) => {
      if (!isParent(route, reference, gateway)) return false;
      const attachment = routeAttachments(route, reference, gateway, labelsOf);
      return "listeners" in attachment && attachment.listeners.includes(listener);
    });
    if (route && isHere) routes.push(route);
  }
  const matched = matchedBy(routes, listener.hostname, request, spend);
  return { route: matched ? routeOf(client, matched, { ...request, isTls }, spend) : failedRoute(404), isTls };
}

function gatewayAt(client: Client, { namespace, name }: { readonly namespace: string; readonly name: string }) {
  const kind = client.kindAt(gatewayVersion, "gateways");
  return kind && readGateway(client.get(kind, namespace, name));
}

/** Returns the listener whose hostname is most specific. */
function listenerFor({ spec: { listeners } }: Read<GatewaySpec>, port: number, host: string): Listener | undefined {
  const fitting = listeners.filter(
    (candidate) => candidate.port === port && servesRoutes(candidate, listeners) && covers(candidate.hostname, host),
  );
  const rank = ({ hostname }: Listener) => (hostname.startsWith("*.") ? hostname.length : hostname === "" ? 0 : 1000);
  return fitting.sort((a, b) => rank(b) - rank(a))[0];
}

/** Returns the certificate that a listener presents for a server name. */
export function gatewayCertificate(
  client: Client,
  endpoint: { readonly namespace: string; readonly name: string; readonly port: number },
  serverName: string | undefined,
  pays: (units: number) => void,
): ShownCertificate | undefined {
  const gateway = gatewayAt(client, endpoint);
  const listener = gateway && listenerFor(gateway, endpoint.port, serverName ?? "");
  const reference = listener?.protocol === "HTTPS" ? listener.tls?.certificateRefs[0] : undefined;
  if (!gateway || !reference) return undefined;
  const { name, namespace = gateway.namespace } = reference;
  const to = { group: "", kind: "Secret", namespace, name };
  const grants = grantsOf(client, gateway.namespace, namespace, probeBudget(pays));
  if (!isGranted({ kind: "Gateway", namespace: gateway.namespace }, to, grants)) return undefined;
  pays(certificateWork);
  return certificateOf(client.get(secrets, namespace, name));
}

/** Returns the grants of a namespace; none for the route's own namespace, or if reading them would cost too much. */
function grantsOf(client: Client, routeNamespace: string, namespace: string, spend: Spend) {
  if (routeNamespace === namespace) return [];
  const kind = grantVersions
    .map((version) => client.kindAt(version, "referencegrants"))
    .find((candidate) => candidate !== undefined);
  const grants = kind && takeWithinBudget(client.each(kind, { namespace }), spend, readWork);
  return grants?.flatMap((grant) => readGrant(grant)?.spec ?? []) ?? [];
}

type AskedAt = GatewayRequest & { readonly isTls: boolean };

function routeOf(client: Client, { route, rule, match }: Matched, request: AskedAt, spend: Spend): GatewayRoute {
  const redirect = rule.filters.find(({ type }) => type === "RequestRedirect")?.requestRedirect;
  const prefix = match.path.type === "PathPrefix" ? match.path.value : "/";
  if (redirect) {
    const { scheme = request.isTls ? "https" : "http", hostname = request.host, port, path, statusCode } = redirect;
    const usual = scheme === "https" ? 443 : 80;
    const targetPort = port ?? (redirect.scheme === undefined ? request.port : usual);
    const location = `${scheme}://${hostname}${targetPort === usual ? "" : `:${targetPort}`}${changedPath(path, request.path, prefix)}`;
    return { kind: "redirect", status: statusCode, location: /^[!-~]{1,4096}$/.test(location) ? location : "/" };
  }
  const chosen = chosenOf(rule.backendRefs, request);
  if (!chosen) return failedRoute(500);
  const { group, kind, name, port, namespace = route.namespace } = chosen;
  const to = { group, kind, namespace, name };
  const isAllowed = isGranted(
    { kind: "HTTPRoute", namespace: route.namespace },
    to,
    grantsOf(client, route.namespace, namespace, spend),
  );
  const service = group === "" && kind === "Service" && isAllowed ? client.get(services, namespace, name) : undefined;
  const servicePort = service?.spec.ports?.find((candidate) => candidate.port === port);
  if (!service || !servicePort) return failedRoute(500);
  const ready = backendsOf(client, service, servicePort).filter((backend) => backend.sinceMs <= request.atMs);
  const target = ready[Math.floor(request.atMs / 7) % ready.length];
  if (!target) return failedRoute(503);
  const rewrite = rule.filters.find(({ type }) => type === "URLRewrite")?.urlRewrite;
  const filters = [...rule.filters, ...chosen.filters];
  return {
    kind: "backend",
    address: target.address,
    port: target.port,
    path: changedPath(rewrite?.path, request.path, prefix),
    ...(rewrite?.hostname === undefined ? {} : { host: rewrite.hostname }),
    request: changesOf(filters, "requestHeaderModifier"),
    response: changesOf(filters, "responseHeaderModifier"),
  };
}

/** Selects a backend by weight. The choice is random, but the same if it is repeated. */
function chosenOf(backends: readonly RouteBackend[], { atMs, from, path }: GatewayRequest): RouteBackend | undefined {
  const totalWeight = backends.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  let left = stableFraction(`${atMs}/${from}/${path}`) * totalWeight;
  return backends.find(({ weight }) => weight > 0 && (left -= weight) < 0);
}

type PathModifier = NonNullable<RouteFilter["urlRewrite"]>["path"];

function changedPath(modifier: PathModifier, path: string, prefix: string): string {
  const at = path.indexOf("?");
  const [bare, query] = at < 0 ? [path, ""] : [path.slice(0, at), path.slice(at)];
  if (modifier?.type === "ReplaceFullPath") return (modifier.replaceFullPath ?? "/") + query;
  if (modifier?.type !== "ReplacePrefixMatch") return path;
  const rest = bare.slice(prefix.replace(/\/$/, "").length);
  const newPath = `${(modifier.replacePrefixMatch ?? "").replace(/\/$/, "")}${rest}`;
  return (newPath.startsWith("/") ? newPath : `/${newPath}`) + query;
}

function changesOf(
  filters: readonly RouteFilter[],
  name: "requestHeaderModifier" | "responseHeaderModifier",
): HeaderChanges[] {
  const pairs = (all: readonly { readonly name: string; readonly value: string }[]): Headers =>
    all.filter((header) => isHeader(header.name, header.value)).map((header) => [header.name, header.value] as const);
  return filters.flatMap((filter) => {
    const modifier = filter[name];
    return modifier ? [{ set: pairs(modifier.set), add: pairs(modifier.add), remove: modifier.remove }] : [];
  });
}

/** Reports whether a header is valid in a request. */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name) && /^[\t -~]{0,4096}$/.test(value);
}
