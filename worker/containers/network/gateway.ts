// Where a gateway sends a request: by its listeners, and the HTTPRoutes that belong to them.
import type { Spend } from "../../../shared/base/pattern.ts";
import { stableFraction } from "../../../shared/base/stable.ts";
import { readWithin } from "../../../shared/k8s/bounds/entries.ts";
import type { Headers } from "../../../shared/k8s/outbound-call.ts";
import type { ShownCertificate } from "../../../shared/k8s/port-request.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { services } from "../../kinds/core/service/service.ts";
import { attached, covers, isGranted, isParent, servesRoutes } from "../../kinds/networking/gateway/attachment.ts";
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
import type { GatewayAnswered, GatewayAsked, GatewayRoute, HeaderChanges } from "./gateway-route.ts";
import { backendsOf } from "./backends.ts";
import { certificateOf } from "./certificates.ts";
import { type Matched, matchedBy } from "./http-route-match.ts";
import { probeBudget } from "./probe-budget.ts";

type Client = ReconcileContext["client"];

/** What reading a route or a grant costs beside its entries, and what reading a certificate costs. */
const readWork = 10;
const certificateWork = 300;

const failed = (status: 404 | 500 | 503): GatewayRoute => ({ kind: "failed", status });

/** `pays` is told of the units of work that it takes; past a bound nothing more is looked at. */
export function gatewayRoute(client: Client, asked: GatewayAsked, pays: (units: number) => void): GatewayAnswered {
  const spend = probeBudget(pays);
  const gateway = gatewayAt(client, asked);
  const listener = gateway && listenerFor(gateway, asked.port, asked.host);
  if (!gateway || !listener) return { route: failed(404), isTls: false };
  const isTls = listener.protocol === "HTTPS";
  const kind = client.kindAt(gatewayVersion, "httproutes");
  if (!kind) return { route: failed(404), isTls };
  const objects = readWithin(client.each(kind), spend, readWork);
  if (!objects) return { route: failed(503), isTls };
  const labelsOf = (name: string) => client.get(namespaces, "", name)?.metadata.labels;
  const routes: Read<RouteSpec>[] = [];
  for (const object of objects) {
    const route = readRoute(object);
    const isHere = route?.spec.parentRefs.some((reference) => {
      if (!isParent(route, reference, gateway)) return false;
      const found = attached(route, reference, gateway, labelsOf);
      return "listeners" in found && found.listeners.includes(listener);
    });
    if (route && isHere) routes.push(route);
  }
  const matched = matchedBy(routes, listener.hostname, asked, spend);
  return { route: matched ? routeOf(client, matched, { ...asked, isTls }, spend) : failed(404), isTls };
}

function gatewayAt(client: Client, { namespace, name }: { readonly namespace: string; readonly name: string }) {
  const kind = client.kindAt(gatewayVersion, "gateways");
  return kind && readGateway(client.get(kind, namespace, name));
}

/** The one whose host is closest. */
function listenerFor({ spec: { listeners } }: Read<GatewaySpec>, port: number, host: string): Listener | undefined {
  const fitting = listeners.filter(
    (one) => one.port === port && servesRoutes(one, listeners) && covers(one.hostname, host),
  );
  const rank = ({ hostname }: Listener) => (hostname.startsWith("*.") ? hostname.length : hostname === "" ? 0 : 1000);
  return fitting.sort((a, b) => rank(b) - rank(a))[0];
}

/** The certificate that a listener shows to who asks for a name. */
export function gatewayCertificate(
  client: Client,
  asked: { readonly namespace: string; readonly name: string; readonly port: number },
  serverName: string | undefined,
  pays: (units: number) => void,
): ShownCertificate | undefined {
  const gateway = gatewayAt(client, asked);
  const listener = gateway && listenerFor(gateway, asked.port, serverName ?? "");
  const reference = listener?.protocol === "HTTPS" ? listener.tls?.certificateRefs[0] : undefined;
  if (!gateway || !reference) return undefined;
  const { name, namespace = gateway.namespace } = reference;
  const to = { group: "", kind: "Secret", namespace, name };
  const grants = grantsOf(client, gateway.namespace, namespace, probeBudget(pays));
  if (!isGranted({ kind: "Gateway", namespace: gateway.namespace }, to, grants)) return undefined;
  pays(certificateWork);
  return certificateOf(client.get(secrets, namespace, name));
}

/** None where it is asked of one's own, or where reading them all would cost too much. */
function grantsOf(client: Client, own: string, namespace: string, spend: Spend) {
  if (own === namespace) return [];
  const kind = grantVersions
    .map((version) => client.kindAt(version, "referencegrants"))
    .find((one) => one !== undefined);
  const grants = kind && readWithin(client.each(kind, { namespace }), spend, readWork);
  return grants?.flatMap((one) => readGrant(one)?.spec ?? []) ?? [];
}

type AskedAt = GatewayAsked & { readonly isTls: boolean };

function routeOf(client: Client, { route, rule, match }: Matched, asked: AskedAt, spend: Spend): GatewayRoute {
  const redirect = rule.filters.find(({ type }) => type === "RequestRedirect")?.requestRedirect;
  const prefix = match.path.type === "PathPrefix" ? match.path.value : "/";
  if (redirect) {
    const { scheme = asked.isTls ? "https" : "http", hostname = asked.host, port, path, statusCode } = redirect;
    const usual = scheme === "https" ? 443 : 80;
    const own = port ?? (redirect.scheme === undefined ? asked.port : usual);
    const location = `${scheme}://${hostname}${own === usual ? "" : `:${own}`}${changedPath(path, asked.path, prefix)}`;
    return { kind: "redirect", status: statusCode, location: /^[!-~]{1,4096}$/.test(location) ? location : "/" };
  }
  const chosen = chosenOf(rule.backendRefs, asked);
  if (!chosen) return failed(500);
  const { group, kind, name, port, namespace = route.namespace } = chosen;
  const to = { group, kind, namespace, name };
  const isAllowed = isGranted(
    { kind: "HTTPRoute", namespace: route.namespace },
    to,
    grantsOf(client, route.namespace, namespace, spend),
  );
  const service = group === "" && kind === "Service" && isAllowed ? client.get(services, namespace, name) : undefined;
  const own = service?.spec.ports?.find((one) => one.port === port);
  if (!service || !own) return failed(500);
  const ready = backendsOf(client, service, own).filter((one) => one.sinceMs <= asked.atMs);
  const target = ready[Math.floor(asked.atMs / 7) % ready.length];
  if (!target) return failed(503);
  const rewrite = rule.filters.find(({ type }) => type === "URLRewrite")?.urlRewrite;
  const filters = [...rule.filters, ...chosen.filters];
  return {
    kind: "backend",
    address: target.address,
    port: target.port,
    path: changedPath(rewrite?.path, asked.path, prefix),
    ...(rewrite?.hostname === undefined ? {} : { host: rewrite.hostname }),
    request: changesOf(filters, "requestHeaderModifier"),
    response: changesOf(filters, "responseHeaderModifier"),
  };
}

/** By weight: any of them, but the same when it is asked again. */
function chosenOf(backends: readonly RouteBackend[], { atMs, from, path }: GatewayAsked): RouteBackend | undefined {
  const whole = backends.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  let left = stableFraction(`${atMs}/${from}/${path}`) * whole;
  return backends.find(({ weight }) => weight > 0 && (left -= weight) < 0);
}

type PathModifier = NonNullable<RouteFilter["urlRewrite"]>["path"];

function changedPath(modifier: PathModifier, path: string, prefix: string): string {
  const at = path.indexOf("?");
  const [bare, query] = at < 0 ? [path, ""] : [path.slice(0, at), path.slice(at)];
  if (modifier?.type === "ReplaceFullPath") return (modifier.replaceFullPath ?? "/") + query;
  if (modifier?.type !== "ReplacePrefixMatch") return path;
  const rest = bare.slice(prefix.replace(/\/$/, "").length);
  const whole = `${(modifier.replacePrefixMatch ?? "").replace(/\/$/, "")}${rest}`;
  return (whole.startsWith("/") ? whole : `/${whole}`) + query;
}

function changesOf(
  filters: readonly RouteFilter[],
  name: "requestHeaderModifier" | "responseHeaderModifier",
): HeaderChanges[] {
  const pairs = (all: readonly { readonly name: string; readonly value: string }[]): Headers =>
    all.filter((one) => isHeader(one.name, one.value)).map((one) => [one.name, one.value] as const);
  return filters.flatMap((one) => {
    const found = one[name];
    return found ? [{ set: pairs(found.set), add: pairs(found.add), remove: found.remove }] : [];
  });
}

/** What can stand in a head. */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name) && /^[\t -~]{0,4096}$/.test(value);
}
