// The variables by which containers find Services (upstream: envvars.FromServices): those that were there when the container began.
import { apiServiceAddress, type ClusterNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ClusterView, ServiceLink } from "./world.ts";

/** What there is where nothing is known of the cluster. */
function ownApi(ranges: ClusterNetwork): ServiceLink {
  const ports = [{ name: "https", port: 443, protocol: "TCP" }];
  return { name: apiName, address: apiServiceAddress(ranges), sinceMs: 0, ports };
}

const apiName = "kubernetes";

export function serviceVariables({ metadata, spec }: Pod, view: ClusterView, beganMs: number): Record<string, string> {
  const api = view.links("default").find(({ name }) => name === apiName) ?? ownApi(view.ranges);
  const own = (spec.enableServiceLinks ?? true) ? view.links(metadata.namespace ?? "") : [];
  const found = new Map([api, ...own.filter(({ sinceMs }) => sinceMs <= beganMs)].map((one) => [one.name, one]));
  // Each port is seven variables of each container: more than some hundreds would be worked out again and again.
  let left: number = limits.serviceLinkPorts;
  const told = [...found.values()].filter(({ ports }) => {
    if (ports.length > left) return false;
    left -= ports.length;
    return true;
  });
  return Object.assign({}, ...told.map(variablesOf)) as Record<string, string>;
}

function variablesOf({ name, address, ports }: ServiceLink): Record<string, string> {
  const prefix = shouted(name);
  const host = address.includes(":") ? `[${address}]` : address;
  const [first] = ports;
  const variables: Record<string, string> = {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: String(first?.port ?? ""),
  };
  for (const { name: own, port } of ports) if (own) variables[`${prefix}_SERVICE_PORT_${shouted(own)}`] = String(port);
  for (const { port, protocol } of ports) {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    const link = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    variables[`${prefix}_PORT`] ??= url;
    Object.assign(variables, {
      [link]: url,
      [`${link}_PROTO`]: protocol.toLowerCase(),
      [`${link}_PORT`]: String(port),
      [`${link}_ADDR`]: address,
    });
  }
  return variables;
}

function shouted(name: string): string {
  return name.replaceAll("-", "_").toUpperCase();
}
