// Reads objects of the Gateway API in clusters that have its definitions.
import { readingWork } from "../../../shared/k8s/bounds/entries.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import {
  gatewayVersion,
  grantVersions,
  type Read,
  readClass,
  readGateway,
  readGrant,
  readRoute,
  isServedController,
  type GatewaySpec,
  type ReferenceGrantSpec,
  type RouteSpec,
} from "../../kinds/networking/gateway/objects.ts";
import type { Client } from "../../registry/client.ts";

/** The work, in microseconds, of reading an object by its schema, without its entries. */
const readWork = 10;

export type GatewayKind = "gatewayclasses" | "gateways" | "httproutes";

export function kindOf(client: Client, plural: GatewayKind): Kind | undefined {
  return client.kindAt(gatewayVersion, plural);
}

function* each<Spec>(
  client: Client,
  plural: GatewayKind,
  read: (object: KubeObject) => Read<Spec> | undefined,
  namespace?: string,
) {
  const kind = kindOf(client, plural);
  if (!kind) return;
  for (const object of client.each(kind, namespace === undefined ? {} : { namespace })) {
    client.meter.account(readingWork(object, readWork));
    const parsed = read(object);
    if (parsed) yield parsed;
  }
}

export function eachGateway(client: Client): Iterable<Read<GatewaySpec>> {
  return each(client, "gateways", readGateway);
}

export function eachRoute(client: Client, namespace?: string): Iterable<Read<RouteSpec>> {
  return each(client, "httproutes", readRoute, namespace);
}

/** Returns a gateway of a class that the sandbox serves; undefined for others. */
export function servedGateway(client: Client, namespace: string, name: string): Read<GatewaySpec> | undefined {
  const kind = kindOf(client, "gateways");
  const gateway = kind && readGateway(client.get(kind, namespace, name));
  return gateway && controllerOf(client, gateway) !== undefined ? gateway : undefined;
}

/** Returns the controller name of the gateway's class, if it is served. */
export function controllerOf(client: Client, { spec }: Read<GatewaySpec>): string | undefined {
  const kind = kindOf(client, "gatewayclasses");
  const gatewayClass = kind && readClass(client.get(kind, "", spec.gatewayClassName));
  return gatewayClass && isServedController(gatewayClass.spec.controllerName)
    ? gatewayClass.spec.controllerName
    : undefined;
}

export function grantsOf(client: Client, namespace: string): ReferenceGrantSpec[] {
  const kind = grantVersions
    .map((version) => client.kindAt(version, "referencegrants"))
    .find((servedKind) => servedKind !== undefined);
  if (!kind) return [];
  return client.list(kind, { namespace }).flatMap((grant) => readGrant(grant)?.spec ?? []);
}
