// The environment variables for the Services that existed at the start of a container (upstream: envvars.FromServices).
import { apiServiceAddress, type ClusterNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ClusterView, ServiceLink } from "./world.ts";

/** Returns the link to the API server, for a view without a cluster. */
function defaultApiLink(ranges: ClusterNetwork): ServiceLink {
  const ports = [{ name: "https", port: 443, protocol: "TCP" }];
  return { name: apiName, address: apiServiceAddress(ranges), sinceMs: 0, ports };
}

const apiName = "kubernetes";

export function serviceVariables({ metadata, spec }: Pod, view: ClusterView, beganMs: number): Record<string, string> {
  const api = view.links("default").find(({ name }) => name === apiName) ?? defaultApiLink(view.ranges);
  const namespaceLinks = (spec.enableServiceLinks ?? true) ? view.links(metadata.namespace ?? "") : [];
  const linksByName = new Map(
    [api, ...namespaceLinks.filter(({ sinceMs }) => sinceMs <= beganMs)].map((link) => [link.name, link]),
  );
  // Each port adds seven variables to each container, so the number of ports is bounded.
  let left: number = limits.serviceLinkPorts;
  const includedLinks = [...linksByName.values()].filter(({ ports }) => {
    if (ports.length > left) return false;
    left -= ports.length;
    return true;
  });
  return Object.assign({}, ...includedLinks.map(variablesOf)) as Record<string, string>;
}

function variablesOf({ name, address, ports }: ServiceLink): Record<string, string> {
  const prefix = shouted(name);
  const host = address.includes(":") ? `[${address}]` : address;
  const [first] = ports;
  const variables: Record<string, string> = {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: String(first?.port ?? ""),
  };
  for (const { name: portName, port } of ports)
    if (portName) variables[`${prefix}_SERVICE_PORT_${shouted(portName)}`] = String(port);
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
