// Objects of the Gateway API in a cluster that has their definitions.
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

/** Microseconds that reading an object by its schema takes, without its entries. */
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
    const found = read(object);
    if (found) yield found;
  }
}

export function eachGateway(client: Client): Iterable<Read<GatewaySpec>> {
  return each(client, "gateways", readGateway);
}

export function eachRoute(client: Client, namespace?: string): Iterable<Read<RouteSpec>> {
  return each(client, "httproutes", readRoute, namespace);
}

/** Undefined where it is none of a class that the sandbox serves. */
export function servedGateway(client: Client, namespace: string, name: string): Read<GatewaySpec> | undefined {
  const kind = kindOf(client, "gateways");
  const found = kind && readGateway(client.get(kind, namespace, name));
  return found && controllerOf(client, found) !== undefined ? found : undefined;
}

/** The name of the controller that it is served as. */
export function controllerOf(client: Client, { spec }: Read<GatewaySpec>): string | undefined {
  const kind = kindOf(client, "gatewayclasses");
  const found = kind && readClass(client.get(kind, "", spec.gatewayClassName));
  return found && isServedController(found.spec.controllerName) ? found.spec.controllerName : undefined;
}

/** What a namespace lets others name. */
export function grantsOf(client: Client, namespace: string): ReferenceGrantSpec[] {
  const kind = grantVersions
    .map((version) => client.kindAt(version, "referencegrants"))
    .find((one) => one !== undefined);
  if (!kind) return [];
  return client.list(kind, { namespace }).flatMap((one) => readGrant(one)?.spec ?? []);
}
