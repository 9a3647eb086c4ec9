// The simulated gateway controller: accepts the classes that the sandbox serves, gives Gateways an address, and sets the status of routes.
// Requests are named by kind: `gateways/web`. Without the Gateway API's definitions it does nothing.
import type { CustomResourceDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import type { Namespace, Secret, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { services } from "../../kinds/core/service/service.ts";
import {
  gatewayGroup,
  gatewayLabel,
  gatewayVersion,
  isServedController,
  ownClass,
  ownController,
  type Read,
  readClass,
  readRoute,
  type RouteSpec,
} from "../../kinds/networking/gateway/objects.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { defineController, type Request, type Watch, watch } from "../../runtime/controller.ts";
import { conditionsOf, statusOf, writeStatus } from "./conditions.ts";
import { reconcileGateway } from "./gateways.ts";
import { eachGateway, eachRoute, type GatewayKind, kindOf } from "./kinds.ts";
import { reconcileRoute } from "./routes.ts";

const classDefinition = `gatewayclasses.${gatewayGroup}`;
/** The request that creates the sandbox's own class. */
const makesClass = "make/class";

function requestFor(plural: GatewayKind, namespace: string, name: string): Request {
  return { namespace, name: `${plural}/${name}` };
}

export const gatewayController = defineController({
  name: "simulated-gateway-controller",
  user: "system:serviceaccount:kube-system:gateway-controller",
  component: "gateway-controller",
  watches: [
    watch<CustomResourceDefinition>(customResourceDefinitions, function* (next, previous): Generator<Request> {
      if (next?.metadata.name === classDefinition && isEstablished(next) && !isEstablished(previous))
        yield { namespace: "", name: makesClass };
    }),
    watch<Service>(services, function* (next, previous, client): Generator<Request> {
      if (!kindOf(client, "gateways")) return;
      const { namespace = "", name = "", labels } = (next ?? previous)?.metadata ?? {};
      const gateway = labels?.[gatewayLabel];
      if (gateway !== undefined) yield requestFor("gateways", namespace, gateway);
      if (next && previous && semanticEqual(next.spec.ports, previous.spec.ports)) return;
      for (const route of eachRoute(client))
        if (hasBackend(route, namespace, name)) yield requestFor("httproutes", route.namespace, route.name);
    }),
    watch<Secret>(secrets, function* (next, previous, client): Generator<Request> {
      const { namespace = "", name = "" } = (next ?? previous)?.metadata ?? {};
      for (const gateway of eachGateway(client)) {
        const references = gateway.spec.listeners.flatMap(({ tls }) => tls?.certificateRefs ?? []);
        if (
          references.some(
            (reference) => reference.name === name && (reference.namespace ?? gateway.namespace) === namespace,
          )
        )
          yield requestFor("gateways", gateway.namespace, gateway.name);
      }
    }),
    watch<Namespace>(namespaces, function* (next, previous, client): Generator<Request> {
      if (!next || semanticEqual(next.metadata.labels, previous?.metadata.labels)) return;
      for (const route of eachRoute(client, next.metadata.name ?? "")) yield* ofRoute(route);
    }),
  ],
  watchesOf: (kind) => watchesOf(kind),
  reconcile({ namespace, name }, { client, nowMs }) {
    const slash = name.indexOf("/");
    const [plural, objectName] = [name.slice(0, slash), name.slice(slash + 1)];
    if (name === makesClass) makeClass(client);
    else if (plural === "gatewayclasses") reconcileClass(client, objectName, nowMs);
    else if (plural === "gateways") reconcileGateway(client, namespace, objectName, nowMs);
    else reconcileRoute(client, namespace, objectName, nowMs);
    return undefined;
  },
});

function watchesOf(kind: Kind): readonly Watch[] {
  if (kind.group !== gatewayGroup) return [];
  if (kind.plural === "referencegrants")
    return [watch<KubeObject>(kind, (_next, _previous, client) => everything(client))];
  if (`${kind.group}/${kind.version}` !== gatewayVersion) return [];
  if (kind.plural === "gatewayclasses") {
    return [
      watch<KubeObject>(kind, function* (next, previous, client): Generator<Request> {
        const name = (next ?? previous)?.metadata.name ?? "";
        yield requestFor("gatewayclasses", "", name);
        if (next && previous) return;
        for (const gateway of eachGateway(client))
          if (gateway.spec.gatewayClassName === name) yield requestFor("gateways", gateway.namespace, gateway.name);
      }),
    ];
  }
  if (kind.plural === "gateways") {
    return [
      watch<KubeObject>(kind, function* (next, previous, client): Generator<Request> {
        const { namespace = "", name = "", generation } = (next ?? previous)?.metadata ?? {};
        yield requestFor("gateways", namespace, name);
        if (next && previous && generation === previous.metadata.generation) return;
        for (const route of eachRoute(client))
          if (hasParent(route, namespace, name)) yield requestFor("httproutes", route.namespace, route.name);
      }),
    ];
  }
  if (kind.plural !== "httproutes") return [];
  return [
    watch<KubeObject>(kind, function* (next, previous): Generator<Request> {
      if (next && previous && next.metadata.generation === previous.metadata.generation) return;
      for (const route of [readRoute(next), readRoute(previous)]) if (route) yield* ofRoute(route);
    }),
  ];
}

/** Requests the route and the gateways that count it. */
function* ofRoute(route: Read<RouteSpec>): Generator<Request> {
  yield requestFor("httproutes", route.namespace, route.name);
  for (const { kind, namespace = route.namespace, name } of route.spec.parentRefs)
    if (kind === "Gateway") yield requestFor("gateways", namespace, name);
}

function* everything(client: Client): Generator<Request> {
  for (const gateway of eachGateway(client)) yield requestFor("gateways", gateway.namespace, gateway.name);
  for (const route of eachRoute(client)) yield requestFor("httproutes", route.namespace, route.name);
}

function hasBackend({ spec, namespace: routeNamespace }: Read<RouteSpec>, namespace: string, name: string): boolean {
  return spec.rules.some(({ backendRefs }) =>
    backendRefs.some((backend) => backend.name === name && (backend.namespace ?? routeNamespace) === namespace),
  );
}

function hasParent({ spec, namespace: routeNamespace }: Read<RouteSpec>, namespace: string, name: string): boolean {
  return spec.parentRefs.some((parent) => parent.name === name && (parent.namespace ?? routeNamespace) === namespace);
}

function isEstablished(definition: CustomResourceDefinition | undefined): boolean {
  return (
    definition?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false
  );
}

/** Creates the class once, when its kind is added. A user may delete it. */
function makeClass(client: Client): void {
  const kind = kindOf(client, "gatewayclasses");
  if (!kind || client.get(kind, "", ownClass)) return;
  const draft = { metadata: { name: ownClass }, spec: { controllerName: ownController } };
  client.create(kind, draft);
}

function reconcileClass(client: Client, name: string, nowMs: number): void {
  const kind = kindOf(client, "gatewayclasses");
  const gatewayClass = kind && readClass(client.get(kind, "", name));
  if (!gatewayClass || !isServedController(gatewayClass.spec.controllerName)) return;
  const status = statusOf(gatewayClass.object);
  const accepted = [{ type: "Accepted", isTrue: true, reason: "Accepted", message: "GatewayClass is accepted" }];
  const conditions = conditionsOf(accepted, status["conditions"], gatewayClass.object.metadata.generation ?? 1, nowMs);
  writeStatus(client, kind, gatewayClass.object, { ...status, conditions });
}
