// Computes the status of an HTTPRoute: for each parent gateway whether it accepts the route, and whether the references resolve.
import { must } from "../../../shared/base/assert.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { services } from "../../kinds/core/service/service.ts";
import { routeAttachments, isGranted, isParent } from "../../kinds/networking/gateway/attachment.ts";
import { type ParentReference, type Read, readRoute, type RouteSpec } from "../../kinds/networking/gateway/objects.ts";
import type { Client } from "../../registry/client.ts";
import { conditionsOf, statusOf, type Told, writeStatus } from "./conditions.ts";
import { controllerOf, grantsOf, kindOf, servedGateway } from "./kinds.ts";

export function reconcileRoute(client: Client, namespace: string, name: string, nowMs: number): void {
  const kind = kindOf(client, "httproutes");
  const route = kind && readRoute(client.get(kind, namespace, name));
  if (!route || route.object.metadata.deletionTimestamp) return;
  const status = statusOf(route.object);
  const before = Array.isArray(status["parents"]) ? (status["parents"] as readonly Parent[]) : [];
  const ownParents = route.spec.parentRefs.flatMap(
    (reference) => parentOf(client, route, reference, before, nowMs) ?? [],
  );
  const controllers = new Set(ownParents.map((parent) => parent.controllerName));
  const served = new Set([
    ...controllers,
    ...before.filter(({ conditions }) => isOurs(conditions)).map((parent) => parent.controllerName),
  ]);
  const foreignParents = before.filter(({ controllerName }) => !served.has(controllerName));
  if (ownParents.length === 0 && before.length === foreignParents.length) return;
  writeStatus(client, must(kind, "httproutes"), route.object, {
    ...status,
    parents: [...foreignParents, ...ownParents],
  });
}

interface Parent {
  readonly parentRef: object;
  readonly controllerName: string;
  readonly conditions: readonly { readonly message?: string }[];
}

const accepted = "Route is accepted";
const resolved = "Resolved all the Object references for the Route";

function isOurs(conditions: unknown): boolean {
  return (
    Array.isArray(conditions) &&
    conditions.some((condition: { readonly message?: string }) => condition.message === resolved)
  );
}

function parentOf(
  client: Client,
  route: Read<RouteSpec>,
  reference: ParentReference,
  before: readonly Parent[],
  nowMs: number,
): Parent | undefined {
  const gateway = servedGateway(client, reference.namespace ?? route.namespace, reference.name);
  const controllerName = gateway && controllerOf(client, gateway);
  if (!gateway || controllerName === undefined || !isParent(route, reference, gateway)) return undefined;
  const attachment = routeAttachments(
    route,
    reference,
    gateway,
    (name) => client.get(namespaces, "", name)?.metadata.labels,
  );
  const isTaken = "listeners" in attachment;
  const { group, kind, namespace, name, sectionName, port } = reference;
  const parentRef = {
    group,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(port === undefined ? {} : { port }),
  };
  const conditions: Told[] = [
    {
      type: "Accepted",
      isTrue: isTaken,
      reason: isTaken ? "Accepted" : attachment.reason,
      message: isTaken ? accepted : refusals[attachment.reason],
    },
    referencesOf(client, route),
  ];
  const key = JSON.stringify(parentRef);
  const earlier = before.find((parent) => JSON.stringify(parent.parentRef) === key)?.conditions;
  const generation = route.object.metadata.generation ?? 1;
  return { parentRef, controllerName, conditions: conditionsOf(conditions, earlier, generation, nowMs) };
}

const refusals = {
  NoMatchingParent: "No listeners match this parent ref",
  NotAllowedByListeners: "No listeners included by this parent ref allowed this attachment.",
  NoMatchingListenerHostname:
    "There were no hostname intersections between the HTTPRoute and this parent ref's Listener(s).",
} as const;

/** Returns the condition about the backends: whether they exist and may be referenced. */
function referencesOf(client: Client, { spec, namespace: routeNamespace }: Read<RouteSpec>): Told {
  const unresolved = (reason: string, message: string): Told => ({
    type: "ResolvedRefs",
    isTrue: false,
    reason,
    message,
  });
  for (const { group, kind, name, namespace = routeNamespace, port } of spec.rules.flatMap(
    ({ backendRefs }) => backendRefs,
  )) {
    if (group !== "" || kind !== "Service")
      return unresolved(
        "InvalidKind",
        `Group is invalid, only the core API group (specified by omitting the group field or setting it to an empty string) and the kind Service are supported`,
      );
    const to = { group, kind, namespace, name };
    if (
      !isGranted(
        { kind: "HTTPRoute", namespace: routeNamespace },
        to,
        namespace === routeNamespace ? [] : grantsOf(client, namespace),
      )
    )
      return unresolved(
        "RefNotPermitted",
        `Backend ref to Service ${namespace}/${name} not permitted by any ReferenceGrant`,
      );
    const service = client.get(services, namespace, name);
    if (!service) return unresolved("BackendNotFound", `Service ${namespace}/${name} not found`);
    if (!service.spec.ports?.some((servicePort) => servicePort.port === port))
      return unresolved("BackendNotFound", `TCP Port ${port ?? 0} not found on Service ${namespace}/${name}`);
  }
  return { type: "ResolvedRefs", isTrue: true, reason: "ResolvedRefs", message: resolved };
}
