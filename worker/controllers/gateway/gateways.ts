// The Deployment and the Service of a Gateway, and its status.
import { must } from "../../../shared/base/assert.ts";
import { stableHex } from "../../../shared/base/stable.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { ServicePort } from "../../../shared/k8s/api/core-v1.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { services } from "../../kinds/core/service/service.ts";
import {
  routeAttachments,
  conflictOf,
  isGranted,
  isParent,
  isServedProtocol,
} from "../../kinds/networking/gateway/attachment.ts";
import {
  gatewayGroup,
  gatewayLabel,
  type GatewaySpec,
  type Listener,
  type Read,
} from "../../kinds/networking/gateway/objects.ts";
import type { Client } from "../../registry/client.ts";
import { conditionsOf, statusOf, type Told, writeStatus } from "./conditions.ts";
import { eachRoute, grantsOf, kindOf, servedGateway } from "./kinds.ts";

const image = "sandbar.dev/sandbar/gateway:v1";
const longestName = 63;

export function reconcileGateway(client: Client, namespace: string, name: string, nowMs: number): void {
  const gateway = servedGateway(client, namespace, name);
  if (!gateway || gateway.object.metadata.deletionTimestamp) return;
  const resourceName = ownName(gateway);
  serve(client, gateway, resourceName);
  const addresses = (client.get(services, namespace, resourceName)?.status.loadBalancer?.ingress ?? []).flatMap(
    ({ ip }) => ip ?? [],
  );
  const before = statusOf(gateway.object);
  const generation = gateway.object.metadata.generation ?? 1;
  const previousListeners = Array.isArray(before["listeners"])
    ? (before["listeners"] as readonly { name?: string; conditions?: unknown }[])
    : [];
  const counts = attachedRoutes(client, gateway);
  const listeners = gateway.spec.listeners.map((listener) => {
    const { told: listenerConditions, kinds } = toldOf(client, gateway, listener);
    const conditions = conditionsOf(
      listenerConditions,
      previousListeners.find((each) => each.name === listener.name)?.conditions,
      generation,
      nowMs,
    );
    return { name: listener.name, supportedKinds: kinds, attachedRoutes: counts.get(listener.name) ?? 0, conditions };
  });
  const isValid = listeners.every(({ conditions }) =>
    conditions.every(({ type, status }) => (type === "Conflicted") !== (status === "True")),
  );
  const hasAddress = addresses.length > 0;
  const gatewayConditions: Told[] = [
    isValid
      ? { type: "Accepted", isTrue: true, reason: "Accepted", message: "Gateway is accepted" }
      : { type: "Accepted", isTrue: true, reason: "ListenersNotValid", message: "One or more listeners are not valid" },
    hasAddress
      ? { type: "Programmed", isTrue: true, reason: "Programmed", message: "Gateway is programmed" }
      : {
          type: "Programmed",
          isTrue: false,
          reason: "AddressNotAssigned",
          message: "No addresses have been assigned to the Gateway",
        },
  ];
  writeStatus(client, must(kindOf(client, "gateways"), "gateways"), gateway.object, {
    ...before,
    addresses: addresses.map((value) => ({ type: "IPAddress", value })),
    conditions: conditionsOf(gatewayConditions, before["conditions"], generation, nowMs),
    listeners,
  });
}

/** Returns the name of these objects, as other gateway controllers form it: from the gateway and its class. */
function ownName({ name, spec }: Read<GatewaySpec>): string {
  const fullName = `${name}-${spec.gatewayClassName}`.replaceAll(".", "-");
  return fullName.length <= longestName ? fullName : `${fullName.slice(0, longestName - 9)}-${stableHex(fullName, 8)}`;
}

function serve(client: Client, { object, namespace, name, spec }: Read<GatewaySpec>, resourceName: string): void {
  const { uid = "" } = object.metadata;
  const labels = { [gatewayLabel]: name };
  const owner = {
    apiVersion: `${gatewayGroup}/v1`,
    kind: "Gateway",
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const metadata = { name: resourceName, namespace, labels, ownerReferences: [owner] };
  const numbers = [...new Set(spec.listeners.filter(isServedProtocol).map(({ port }) => port))].sort((a, b) => a - b);
  if (numbers.length === 0) return;
  const args = [`--gateway=${namespace}/${name}`, `--ports=${numbers.join(",")}`];
  const ports = numbers.map((port): ServicePort => ({ name: `port-${port}`, port, protocol: "TCP", targetPort: port }));
  const service = client.get(services, namespace, resourceName);
  if (!service) client.create(services, { metadata, spec: { type: "LoadBalancer", selector: labels, ports } });
  else if (
    !semanticEqual(
      service.spec.ports?.map(({ port }) => port),
      numbers,
    )
  ) {
    const nextPorts = ports.map(
      (desiredPort) => service.spec.ports?.find(({ port }) => port === desiredPort.port) ?? desiredPort,
    );
    client.update(services, { ...service, spec: { ...service.spec, ports: nextPorts } });
  }
  const deployment = client.get(deployments, namespace, resourceName);
  const container = { name: "gateway", image, args, resources: { requests: { cpu: "10m", memory: "32Mi" } } };
  const template = { metadata: { labels }, spec: { containers: [{ ...container, readinessProbe: probeOf(numbers) }] } };
  if (!deployment) {
    client.create(deployments, { metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
    return;
  }
  const [present] = deployment.spec.template.spec.containers;
  if (!present || semanticEqual(present.args, args)) return;
  const containers = [{ ...present, args, readinessProbe: probeOf(numbers) }];
  const changed = { ...deployment.spec.template, spec: { ...deployment.spec.template.spec, containers } };
  client.update(deployments, { ...deployment, spec: { ...deployment.spec, template: changed } });
}

function probeOf([port = 80]: readonly number[]) {
  return { tcpSocket: { port } };
}

function toldOf(client: Client, gateway: Read<GatewaySpec>, listener: Listener) {
  const conflict = conflictOf(listener, gateway.spec.listeners);
  const isServed = isServedProtocol(listener);
  const requestedKinds = listener.allowedRoutes.kinds;
  const isRoute = ({ group, kind }: { readonly group: string; readonly kind: string }) =>
    group === gatewayGroup && kind === "HTTPRoute";
  const kinds =
    requestedKinds.length === 0 || requestedKinds.some(isRoute) ? [{ group: gatewayGroup, kind: "HTTPRoute" }] : [];
  const reference =
    certificateProblem(client, gateway, listener) ??
    (requestedKinds.some((routeKind) => !isRoute(routeKind)) ? "InvalidRouteKinds" : undefined);
  const isProgrammed = isServed && conflict === undefined && reference === undefined;
  const conditions: Told[] = [
    {
      type: "Accepted",
      isTrue: isServed && conflict === undefined,
      reason: isServed ? (conflict === undefined ? "Accepted" : "PortUnavailable") : "UnsupportedProtocol",
      message: isServed ? "Listener is accepted" : `Protocol ${listener.protocol} is unsupported`,
    },
    {
      type: "Conflicted",
      isTrue: conflict !== undefined,
      reason: conflict ?? "NoConflicts",
      message: conflict === undefined ? "No conflicts" : "Another listener of the gateway has the same port",
    },
    {
      type: "Programmed",
      isTrue: isProgrammed,
      reason: isProgrammed ? "Programmed" : "Invalid",
      message: isProgrammed ? "Listener is programmed" : "Listener is invalid",
    },
    {
      type: "ResolvedRefs",
      isTrue: reference === undefined,
      reason: reference ?? "ResolvedRefs",
      message: reference === undefined ? "All references are resolved" : messages[reference],
    },
  ];
  return { told: conditions, kinds: isServed ? kinds : [] };
}

const messages = {
  InvalidCertificateRef: "A certificate reference leads to no Secret with a certificate and its key",
  RefNotPermitted: "A certificate reference to another namespace is not permitted by any ReferenceGrant",
  InvalidRouteKinds: "A kind of routes is not supported",
} as const;

function certificateProblem(
  client: Client,
  { namespace: gatewayNamespace }: Read<GatewaySpec>,
  { protocol, tls }: Listener,
): "InvalidCertificateRef" | "RefNotPermitted" | undefined {
  if (protocol !== "HTTPS" || tls?.mode === "Passthrough") return undefined;
  const references = tls?.certificateRefs ?? [];
  if (references.length === 0) return "InvalidCertificateRef";
  for (const { group, kind, name, namespace = gatewayNamespace } of references) {
    if (group !== "" || kind !== "Secret") return "InvalidCertificateRef";
    const grants = namespace === gatewayNamespace ? [] : grantsOf(client, namespace);
    if (!isGranted({ kind: "Gateway", namespace: gatewayNamespace }, { group, kind, namespace, name }, grants))
      return "RefNotPermitted";
    const { data } = client.get(secrets, namespace, name) ?? {};
    if (!/^LS0tLS1CRUdJTi/.test(data?.["tls.crt"] ?? "") || !data?.["tls.key"]) return "InvalidCertificateRef";
  }
  return undefined;
}

/** Counts the attached routes by listener name. */
function attachedRoutes(client: Client, gateway: Read<GatewaySpec>): ReadonlyMap<string, number> {
  const labelsOf = (name: string) => client.get(namespaces, "", name)?.metadata.labels;
  const counts = new Map<string, number>();
  for (const route of eachRoute(client)) {
    const names = route.spec.parentRefs.flatMap((reference) => {
      const attachment = isParent(route, reference, gateway)
        ? routeAttachments(route, reference, gateway, labelsOf)
        : undefined;
      return attachment && "listeners" in attachment ? attachment.listeners.map(({ name }) => name) : [];
    });
    for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
