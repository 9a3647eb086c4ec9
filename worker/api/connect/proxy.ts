// The proxies of pods, services and nodes: a request goes on to a server in the cluster, and its answer comes back.
import { must } from "../../../shared/base/assert.ts";
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { isBodiless, passedOn } from "../../../shared/contract/passed-on.ts";
import type { Endpoints, Node, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead, read } from "../../registry/registry.ts";
import { readBody } from "../body/body.ts";
import { uncached } from "../present/present.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { admitConnection } from "./admission.ts";
import { proxiedLink, withLinks } from "./links.ts";
import { optionsObject } from "./stream-options.ts";

interface Target {
  readonly name: string;
  /** A number or a name; "" where none is given. */
  readonly port: string;
}

export async function podProxy(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  await admitConnection(req, kind, info, optionsObject("PodProxyOptions", { path: pathOf(req, info) }));
  const { name, port } = targetOf(info.name, "pod");
  const pod = mustRead(req.server.registry, kind, info.namespace, name) as Pod;
  const first = pod.spec.containers.flatMap((one) => one.ports ?? [])[0]?.containerPort;
  if (!pod.status.podIP) throw ApiError.badRequest("address not allowed");
  return answered(req, info, pod, port === "" ? (first ?? 80) : Number(port));
}

export async function serviceProxy(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  await admitConnection(req, kind, info, optionsObject("ServiceProxyOptions", { path: pathOf(req, info) }));
  const { registry } = req.server;
  const { name, port } = targetOf(info.name, "service");
  const portName = /^\d+$/.test(port) ? portNameOf(req, kind, info, { name, port }) : port;
  const kindOf = (plural: string) => must(registry.catalogue.byPath("v1", plural), plural);
  const endpoints = read(registry, kindOf("endpoints"), info.namespace, name);
  // Upstream names what the path does.
  if (!endpoints) throw ApiError.notFound(kind.groupResource, name);
  // It is of the kind that was asked for.
  const { subsets = [] } = endpoints as Endpoints;
  if (subsets.length === 0) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  const found = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((one) => (one.name ?? "") === portName)
      .flatMap((one) => addresses.map(({ targetRef }) => ({ port: one.port, pod: targetRef?.name }))),
  );
  for (const one of found) {
    const pod = one.pod === undefined ? undefined : read(registry, kindOf("pods"), info.namespace, one.pod);
    // It is of the kind that was asked for.
    if (pod) return answered(req, info, pod as Pod, one.port);
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(info.name)}`);
}

/** What little a simulated kubelet answers. */
export async function nodeProxy(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const path = pathOf(req, info);
  await admitConnection(req, kind, info, optionsObject("NodeProxyOptions", { path }));
  const { name, port } = targetOf(info.name, "node");
  const node = mustRead(req.server.registry, kind, "", name) as Node;
  const address = node.status.addresses?.find((one) => one.type === "InternalIP")?.address ?? name;
  if (port !== "" && port !== "10250") throw unreachable(`${address}:${port}`);
  const { method } = req.request;
  if (must(req.server.containers, "containers").realKubelet(name) !== undefined) throw unrouted(`${address}:10250`);
  if (method !== "GET" && method !== "HEAD") throw ApiError.notAllowed();
  const { status, contentType, body } = must(req.server.containers, "containers").kubelet(name, path);
  const headers = { ...uncached, "content-type": contentType };
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

/** `name`, `name:port` or `scheme:name:port`. */
function targetOf(id: string, what: string): Target {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length < 3 ? ["", ...parts] : parts;
  if (parts.length > 3 || name === "" || !["", "http", "https"].includes(scheme)) {
    throw ApiError.badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  }
  return { name, port };
}

function portNameOf({ server }: ApiRequest, kind: Kind, { namespace }: ResourceInfo, { name, port }: Target): string {
  const { spec } = mustRead(server.registry, kind, namespace, name) as Service;
  const found = spec.ports?.find((one) => one.port === Number(port));
  if (!found) throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return found.name ?? "";
}

async function answered(req: ApiRequest, info: ResourceInfo, pod: Pod, port: number): Promise<Response> {
  const { request, url, server } = req;
  const isHead = request.method === "HEAD";
  const bare = pathOf(req, info);
  // As upstream: pages refer to what is beside them, and so need a slash at the end of the root.
  if (info.rest === "" && !url.pathname.endsWith("/") && (request.method === "GET" || isHead)) {
    const base = new URL(request.headers.get(internalHeaders.server) ?? url.origin).pathname.replace(/\/$/, "");
    const location = `${base}${url.pathname}/${url.search}`;
    return new Response(null, { status: 301, headers: { location, ...uncached } });
  }
  const address = `${pod.status.podIP ?? ""}:${port}`;
  const containers = must(server.containers, "containers");
  if (containers.realKubelet(pod.spec.nodeName ?? "") !== undefined) throw unrouted(address);
  const visit = {
    method: request.method,
    path: bare + url.search,
    headers: [
      ["Host", address] as const,
      ...passedOn([...request.headers]),
      ["X-Forwarded-Host", address] as const,
      ["X-Forwarded-Proto", "http"] as const,
      ["X-Forwarded-Uri", url.pathname] as const,
    ],
    body: textOfBytes(await readBody(request)),
  };
  const answer = await containers.answer(pod, port, visit);
  if (!answer) throw unreachable(address);
  const { status, contentType, headers = [] } = answer;
  const prefix = url.pathname.endsWith(bare) ? url.pathname.slice(0, -bare.length) : url.pathname.replace(/\/$/, "");
  const at = { host: address, prefix };
  const body = /^text\/html\b/i.test(contentType) ? withLinks(answer.body, at) : answer.body;
  const shown = [...headers].map(([name, value]): [string, string] => {
    return [name, name.toLowerCase() === "location" ? proxiedLink(value, at) : value];
  });
  return new Response(isHead || isBodiless(status) ? null : bytesOfText(body), {
    status,
    headers: [["content-type", contentType], ...shown],
  });
}

/** A slash at its end is kept; without a path it is the root that is asked for. */
function pathOf({ url }: ApiRequest, { rest }: ResourceInfo): string {
  return `/${rest}${rest !== "" && url.pathname.endsWith("/") ? "/" : ""}`;
}

function unreachable(address: string): ApiError {
  return unavailable(`error trying to reach service: dial tcp ${address}: connect: connection refused`);
}

/** Refuses a target on a machine of the user's: no route leads there. */
function unrouted(address: string): ApiError {
  return unavailable(`error trying to reach service: dial tcp ${address}: connect: no route to host`);
}

function unavailable(message: string): ApiError {
  return new ApiError(503, "ServiceUnavailable", message);
}
