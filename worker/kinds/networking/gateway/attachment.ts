// Matches routes with the listeners of gateways, and checks references between namespaces.
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

/** Returns why a listener conflicts with an earlier one. */
export function conflictOf(
  listener: Listener,
  all: readonly Listener[],
): "ProtocolConflict" | "HostnameConflict" | undefined {
  const samePortListeners = all.filter((candidate) => candidate !== listener && candidate.port === listener.port);
  if (samePortListeners.some(({ protocol }) => protocol !== listener.protocol)) return "ProtocolConflict";
  return samePortListeners.some(({ hostname }) => hostname === listener.hostname) ? "HostnameConflict" : undefined;
}

/** A cache of the listeners that serve routes: computing them compares all pairs. */
const serving = new WeakMap<readonly Listener[], ReadonlySet<Listener>>();

export function servesRoutes(listener: Listener, all: readonly Listener[]): boolean {
  let servingListeners = serving.get(all);
  if (!servingListeners) {
    servingListeners = new Set(
      all.filter((candidate) => isServedProtocol(candidate) && conflictOf(candidate, all) === undefined),
    );
    serving.set(all, servingListeners);
  }
  return servingListeners.has(listener);
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

export function routeAttachments(
  route: Read<RouteSpec>,
  { sectionName, port }: ParentReference,
  gateway: Read<GatewaySpec>,
  labelsOf: (namespace: string) => Labels,
): Attachment {
  const all = gateway.spec.listeners;
  const named = all.filter(
    (listener) => (sectionName ?? listener.name) === listener.name && (port ?? listener.port) === listener.port,
  );
  if (named.length === 0) return { reason: "NoMatchingParent" };
  const allowing = named.filter(
    (listener) => servesRoutes(listener, all) && allows(listener, route, gateway, labelsOf),
  );
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

/** Returns the hostnames of a route at a listener: the intersections. "" is any host. */
export function hostnamesOf({ hostnames }: RouteSpec, listenerHost: string): string[] {
  if (hostnames.length === 0) return [listenerHost];
  return hostnames.flatMap((routeHost) => {
    if (listenerHost === "" || covers(listenerHost, routeHost)) return [routeHost];
    return covers(routeHost, listenerHost) ? [listenerHost] : [];
  });
}

/** Reports whether a pattern covers a host. `*.example.com` covers subdomains at any depth. */
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

/** Reports whether an object may reference an object in another namespace. `grants` are those of the other namespace. */
export function isGranted(
  from: { readonly kind: string; readonly namespace: string },
  to: Referenced,
  grants: readonly ReferenceGrantSpec[],
): boolean {
  if (from.namespace === to.namespace) return true;
  return grants.some(
    (grant) =>
      grant.from.some(
        (grantFrom) =>
          grantFrom.group === gatewayGroup && grantFrom.kind === from.kind && grantFrom.namespace === from.namespace,
      ) &&
      grant.to.some(
        (grantTo) => grantTo.group === to.group && grantTo.kind === to.kind && (grantTo.name ?? to.name) === to.name,
      ),
  );
}
