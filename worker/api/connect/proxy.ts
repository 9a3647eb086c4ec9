// The proxies of pods, services and nodes: forwards a request to a server in the cluster and returns its response.
import { must } from "../../../shared/base/assert.ts";
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { base64Of } from "../../../shared/base/base64.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { isBodiless, passedOn } from "../../../shared/contract/passed-on.ts";
import type { Endpoints, Node, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead, read } from "../../registry/registry.ts";
import { readBody } from "../body/body.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { admitConnection } from "./admission.ts";
import { isSessionStep, nodeExec } from "./exec.ts";
import { kubeletCall, type RealKubelet, realKubeletOf, requireTunnel, streamed } from "./kubelet-connection.ts";
import { proxiedLink, withLinks } from "./links.ts";
import { optionsObject } from "./stream-options.ts";

interface Target {
  readonly name: string;
  /** A number or a name; "" for none. */
  readonly port: string;
}

export async function podProxy(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  await admitConnection(req, kind, info, optionsObject("PodProxyOptions", { path: pathOf(req, info) }));
  const { name, port } = targetOf(info.name, "pod");
  const pod = mustRead(req.server.registry, kind, info.namespace, name) as Pod;
  const first = pod.spec.containers.flatMap((container) => container.ports ?? [])[0]?.containerPort;
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
  // Upstream's error names the kind of the path.
  if (!endpoints) throw ApiError.notFound(kind.groupResource, name);
  // The object has this kind.
  const { subsets = [] } = endpoints as Endpoints;
  if (subsets.length === 0) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  const candidates = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((endpointPort) => (endpointPort.name ?? "") === portName)
      .flatMap((endpointPort) => addresses.map(({ targetRef }) => ({ port: endpointPort.port, pod: targetRef?.name }))),
  );
  for (const candidate of candidates) {
    const pod = candidate.pod === undefined ? undefined : read(registry, kindOf("pods"), info.namespace, candidate.pod);
    // The object has this kind.
    if (pod) return answered(req, info, pod as Pod, candidate.port);
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(info.name)}`);
}

/** Proxies to a kubelet. A simulated kubelet serves only a few paths. */
export async function nodeProxy(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const path = pathOf(req, info);
  const { name, port } = targetOf(info.name, "node");
  if (info.rest === "exec" && isSessionStep(req)) return nodeExec(req, kind, info, name);
  await admitConnection(req, kind, info, optionsObject("NodeProxyOptions", { path }));
  const node = mustRead(req.server.registry, kind, "", name) as Node;
  const kubelet = realKubeletOf(req, name);
  if (kubelet) return machineProxy(req, kubelet, path, port);
  const address = node.status.addresses?.find((nodeAddress) => nodeAddress.type === "InternalIP")?.address ?? name;
  if (info.rest === "exec") return nodeExec(req, kind, info, name);
  if (port !== "" && port !== "10250") throw unreachable(`${address}:${port}`);
  const { method } = req.request;
  if (method !== "GET" && method !== "HEAD") throw ApiError.notAllowed();
  const { status, contentType, body } = must(req.server.containers, "containers").kubelet(name, path);
  const headers = { ...uncached, "content-type": contentType };
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

/** Proxies to the kubelet of a machine. A tunnel has no way to another port. A GET is streamed. */
async function machineProxy(req: ApiRequest, kubelet: RealKubelet, path: string, port: string): Promise<Response> {
  const { request, url, server } = req;
  const { method } = request;
  const portAt = kubelet.address.lastIndexOf(":");
  if (port !== "" && port !== kubelet.address.slice(portAt + 1))
    throw unrouted(`${kubelet.address.slice(0, portAt)}:${port}`);
  const failure = (dialError: string) => unavailable(`error trying to reach service: ${dialError}`);
  requireTunnel(req, kubelet, failure);
  const isJoin = request.headers.get(internalHeaders.outside) === "join";
  if (request.headers.has("upgrade") && !isJoin)
    throw ApiError.badRequest(
      "connections to a real node's kubelet are not upgraded: use exec, attach or port-forward",
    );
  const headers = [...passedOn([...request.headers])];
  if (method === "GET")
    return streamed(req, kubelet, kubeletCall(kubelet, path + url.search, { headers }), { failure });
  const body = base64Of(await readBody(request));
  const call = kubeletCall(kubelet, path + url.search, { method, headers, body });
  const answer = (await server.tunnels?.askNode(kubelet.node, call)) ?? { error: "EOF" };
  if ("error" in answer) throw failure(answer.error);
  const answered = new Headers(uncached);
  for (const [name, value] of passedOn(answer.headers)) answered.set(name, value);
  const isEmpty = isBodiless(answer.status) || method === "HEAD";
  return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: answered });
}

/** Parses `name`, `name:port` or `scheme:name:port`. */
function targetOf(id: string, what: string): Target {
  const segments = id.split(":");
  const [scheme = "", name = "", port = ""] = segments.length < 3 ? ["", ...segments] : segments;
  if (segments.length > 3 || name === "" || !["", "http", "https"].includes(scheme)) {
    throw ApiError.badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  }
  return { name, port };
}

function portNameOf({ server }: ApiRequest, kind: Kind, { namespace }: ResourceInfo, { name, port }: Target): string {
  const { spec } = mustRead(server.registry, kind, namespace, name) as Service;
  const servicePort = spec.ports?.find((candidate) => candidate.port === Number(port));
  if (!servicePort) throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return servicePort.name ?? "";
}

async function answered(req: ApiRequest, info: ResourceInfo, pod: Pod, port: number): Promise<Response> {
  const { request, url, server } = req;
  const isHead = request.method === "HEAD";
  const bare = pathOf(req, info);
  // As upstream, the root gets a trailing slash, because pages contain relative links.
  if (info.rest === "" && !url.pathname.endsWith("/") && (request.method === "GET" || isHead)) {
    const location = `${basePath(req)}${url.pathname}/${url.search}`;
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
  const at = { host: address, prefix: `${linkBase(req)}${prefix}` };
  const body = /^text\/html\b/i.test(contentType) ? withLinks(answer.body, at) : answer.body;
  const proxiedHeaders = [...headers].map(([name, value]): [string, string] => {
    return [name, name.toLowerCase() === "location" ? proxiedLink(value, at) : value];
  });
  return new Response(isHead || isBodiless(status) ? null : bytesOfText(body), {
    status,
    headers: [["content-type", contentType], ...proxiedHeaders],
  });
}

/** Returns the path of the sandbox's server as the client sees it. */
function basePath({ request, url }: ApiRequest): string {
  return new URL(request.headers.get(internalHeaders.server) ?? url.origin).pathname.replace(/\/$/, "");
}

/** Returns the path before the API's in links. A preview's frame needs all of its address; other clients, as `kubectl proxy`, add the path. */
function linkBase(req: ApiRequest): string {
  const base = basePath(req);
  return base.startsWith("/preview/") ? base : "";
}

/** Returns the path to request. A trailing slash is kept; an empty path is the root. */
function pathOf({ url }: ApiRequest, { rest }: ResourceInfo): string {
  return `/${rest}${rest !== "" && url.pathname.endsWith("/") ? "/" : ""}`;
}

function unreachable(address: string): ApiError {
  return unavailable(`error trying to reach service: dial tcp ${address}: connect: connection refused`);
}

/** Returns the error for a target on a user's machine, to which there is no route. */
function unrouted(address: string): ApiError {
  return unavailable(`error trying to reach service: dial tcp ${address}: connect: no route to host`);
}

function unavailable(message: string): ApiError {
  return new ApiError(503, "ServiceUnavailable", message);
}
