// The request of a preview: the ports that can be asked, the address of the API's proxy, and headers written as lines. Independent of the page.
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { ObjectRef } from "../../live/reference.ts";
import { texts } from "../../messages/preview.ts";

export interface PreviewPort {
  readonly port: number;
  /** The label: `http 80`. */
  readonly text: string;
}

/** Matches resources whose ports can be previewed. */
export const previewed = /^(pods|services)$/;

export function portsOf(resource: string, object: KubeObject): readonly PreviewPort[] {
  const ports =
    resource === "services"
      ? ((object as Service).spec.ports ?? []).map(({ port, name, protocol }) => ({ port, name, protocol }))
      : (object as Pod).spec.containers.flatMap(({ ports: containerPorts = [] }) =>
          containerPorts.map(({ containerPort, name, protocol }) => ({ port: containerPort, name, protocol })),
        );
  return ports
    .filter(({ protocol }) => (protocol ?? "TCP") === "TCP")
    .map(({ port, name }) => ({ port, text: name ? `${name} ${port}` : String(port) }));
}

/** Returns the path of the API's proxy for a path of the server. */
export function proxyPath({ resource, namespace, name }: ObjectRef, port: number, path: string): string {
  return `/api/v1/namespaces/${namespace}/${resource}/${name}:${port}/proxy/${path.replace(/^\/+/, "")}`;
}

/** Parses lines such as `Accept: text/html`. Throws for a line that is not a header. */
export function headersIn(text: string): Headers {
  const headers = new Headers();
  for (const line of text.split("\n").filter((candidate) => candidate.trim() !== "")) {
    const at = line.indexOf(":");
    const name = line.slice(0, Math.max(at, 0)).trim();
    // The proxy of the API takes the token from this header, and drops it before the server.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || name.toLowerCase() === "authorization")
      throw new Error(texts.wrongHeader(line.trim()));
    try {
      headers.append(name, line.slice(at + 1).trim());
    } catch {
      throw new Error(texts.wrongHeader(line.trim()));
    }
  }
  return headers;
}

/** Returns the kubectl line that forwards a local port. Ports below 1024 need rights, so 8080 is used for 80. */
export function forwardWords({ resource, namespace, name }: ObjectRef, port: number): readonly string[] {
  const local = port < 1024 ? 8000 + port : port;
  return [
    "port-forward",
    "-n",
    namespace,
    `${resource === "services" ? "service" : "pod"}/${name}`,
    `${local}:${port}`,
  ];
}
