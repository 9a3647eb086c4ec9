// The status of an HTTPRoute: at each of its gateways whether it is taken, and whether what it names is there.
import { must } from "../../../shared/base/assert.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { services } from "../../kinds/core/service/service.ts";
import { attached, isGranted, isParent } from "../../kinds/networking/gateway/attachment.ts";
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
  const own = route.spec.parentRefs.flatMap((reference) => parentOf(client, route, reference, before, nowMs) ?? []);
  const controllers = new Set(own.map((one) => one.controllerName));
  const served = new Set([
    ...controllers,
    ...before.filter(({ conditions }) => isOurs(conditions)).map((one) => one.controllerName),
  ]);
  const others = before.filter(({ controllerName }) => !served.has(controllerName));
  if (own.length === 0 && before.length === others.length) return;
  writeStatus(client, must(kind, "httproutes"), route.object, { ...status, parents: [...others, ...own] });
}

interface Parent {
  readonly parentRef: object;
  readonly controllerName: string;
  readonly conditions: readonly { readonly message?: string }[];
}

const accepted = "Route is accepted";
const resolved = "Resolved all the Object references for the Route";

function isOurs(conditions: unknown): boolean {
  return Array.isArray(conditions) && conditions.some((one: { readonly message?: string }) => one.message === resolved);
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
  const found = attached(route, reference, gateway, (name) => client.get(namespaces, "", name)?.metadata.labels);
  const isTaken = "listeners" in found;
  const { group, kind, namespace, name, sectionName, port } = reference;
  const parentRef = {
    group,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(port === undefined ? {} : { port }),
  };
  const told: Told[] = [
    {
      type: "Accepted",
      isTrue: isTaken,
      reason: isTaken ? "Accepted" : found.reason,
      message: isTaken ? accepted : refusals[found.reason],
    },
    referencesOf(client, route),
  ];
  const key = JSON.stringify(parentRef);
  const earlier = before.find((one) => JSON.stringify(one.parentRef) === key)?.conditions;
  const generation = route.object.metadata.generation ?? 1;
  return { parentRef, controllerName, conditions: conditionsOf(told, earlier, generation, nowMs) };
}

const refusals = {
  NoMatchingParent: "No listeners match this parent ref",
  NotAllowedByListeners: "No listeners included by this parent ref allowed this attachment.",
  NoMatchingListenerHostname:
    "There were no hostname intersections between the HTTPRoute and this parent ref's Listener(s).",
} as const;

/** Whether the backends are there and may be named. */
function referencesOf(client: Client, { spec, namespace: own }: Read<RouteSpec>): Told {
  const failed = (reason: string, message: string): Told => ({ type: "ResolvedRefs", isTrue: false, reason, message });
  for (const { group, kind, name, namespace = own, port } of spec.rules.flatMap(({ backendRefs }) => backendRefs)) {
    if (group !== "" || kind !== "Service")
      return failed(
        "InvalidKind",
        `Group is invalid, only the core API group (specified by omitting the group field or setting it to an empty string) and the kind Service are supported`,
      );
    const to = { group, kind, namespace, name };
    if (!isGranted({ kind: "HTTPRoute", namespace: own }, to, namespace === own ? [] : grantsOf(client, namespace)))
      return failed(
        "RefNotPermitted",
        `Backend ref to Service ${namespace}/${name} not permitted by any ReferenceGrant`,
      );
    const service = client.get(services, namespace, name);
    if (!service) return failed("BackendNotFound", `Service ${namespace}/${name} not found`);
    if (!service.spec.ports?.some((one) => one.port === port))
      return failed("BackendNotFound", `TCP Port ${port ?? 0} not found on Service ${namespace}/${name}`);
  }
  return { type: "ResolvedRefs", isTrue: true, reason: "ResolvedRefs", message: resolved };
}
