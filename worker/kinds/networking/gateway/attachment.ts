// Which routes belong to which listeners of a gateway, and what may name what in another namespace.
import { labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";
import {
  gatewayGroup,
  type GatewaySpec,
  type Listener,
  type ParentReference,
  type Read,
  type ReferenceGrantSpec,
  type RouteSpec,
} from "./objects.ts";

type Labels = Readonly<Record<string, string>> | undefined;

export function isServedProtocol({ protocol, tls }: Listener): boolean {
  return protocol === "HTTP" || (protocol === "HTTPS" && tls?.mode !== "Passthrough");
}

/** Why a listener cannot stand beside those before it. */
export function conflictOf(
  listener: Listener,
  all: readonly Listener[],
): "ProtocolConflict" | "HostnameConflict" | undefined {
  const others = all.filter((one) => one !== listener && one.port === listener.port);
  if (others.some(({ protocol }) => protocol !== listener.protocol)) return "ProtocolConflict";
  return others.some(({ hostname }) => hostname === listener.hostname) ? "HostnameConflict" : undefined;
}

/** The listeners of each gateway that serve routes: computing them compares all with all. */
const serving = new WeakMap<readonly Listener[], ReadonlySet<Listener>>();

export function servesRoutes(listener: Listener, all: readonly Listener[]): boolean {
  let found = serving.get(all);
  if (!found) {
    found = new Set(all.filter((one) => isServedProtocol(one) && conflictOf(one, all) === undefined));
    serving.set(all, found);
  }
  return found.has(listener);
}

export type Attachment =
  | { readonly listeners: readonly Listener[] }
  | { readonly reason: "NoMatchingParent" | "NotAllowedByListeners" | "NoMatchingListenerHostname" };

export function isParent(
  route: Read<RouteSpec>,
  { group, kind, namespace, name }: ParentReference,
  gateway: Read<GatewaySpec>,
): boolean {
  if (group !== gatewayGroup || kind !== "Gateway" || name !== gateway.name) return false;
  return (namespace ?? route.namespace) === gateway.namespace;
}

export function attached(
  route: Read<RouteSpec>,
  { sectionName, port }: ParentReference,
  gateway: Read<GatewaySpec>,
  labelsOf: (namespace: string) => Labels,
): Attachment {
  const all = gateway.spec.listeners;
  const named = all.filter((one) => (sectionName ?? one.name) === one.name && (port ?? one.port) === one.port);
  if (named.length === 0) return { reason: "NoMatchingParent" };
  const allowing = named.filter((one) => servesRoutes(one, all) && allows(one, route, gateway, labelsOf));
  if (allowing.length === 0) return { reason: "NotAllowedByListeners" };
  const listeners = allowing.filter(({ hostname }) => hostnamesOf(route.spec, hostname).length > 0);
  return listeners.length === 0 ? { reason: "NoMatchingListenerHostname" } : { listeners };
}

function allows(
  { allowedRoutes: { namespaces, kinds } }: Listener,
  route: Read<RouteSpec>,
  gateway: Read<GatewaySpec>,
  labelsOf: (namespace: string) => Labels,
): boolean {
  if (kinds.length > 0 && !kinds.some(({ group, kind }) => group === gatewayGroup && kind === "HTTPRoute"))
    return false;
  if (namespaces.from === "All") return true;
  if (namespaces.from === "Selector") {
    return labelSelectorAsSelector(namespaces.selector).matches(labelsOf(route.namespace) ?? {});
  }
  return namespaces.from === "Same" && route.namespace === gateway.namespace;
}

/** The hosts of a route at a listener: what is in both, the narrower of two; "" is any. */
export function hostnamesOf({ hostnames }: RouteSpec, own: string): string[] {
  if (hostnames.length === 0) return [own];
  return hostnames.flatMap((one) => {
    if (own === "" || covers(own, one)) return [one];
    return covers(one, own) ? [own] : [];
  });
}

/** `*.example.com` covers each name below it, however deep. */
export function covers(pattern: string, host: string): boolean {
  if (pattern === "" || pattern === host) return true;
  return pattern.startsWith("*.") && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1;
}

export interface Referenced {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Whether something of one namespace may name something of another; `grants`: those of the other. */
export function isGranted(
  from: { readonly kind: string; readonly namespace: string },
  to: Referenced,
  grants: readonly ReferenceGrantSpec[],
): boolean {
  if (from.namespace === to.namespace) return true;
  return grants.some(
    (grant) =>
      grant.from.some(
        (one) => one.group === gatewayGroup && one.kind === from.kind && one.namespace === from.namespace,
      ) && grant.to.some((one) => one.group === to.group && one.kind === to.kind && (one.name ?? to.name) === to.name),
  );
}
