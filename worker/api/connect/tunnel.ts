// The path that opens a tunnel, a WebSocket. A tunnel for a Service is allowed for users who may update that Service, one for the kubelet of
// a node for that node alone.
import { nodeOf } from "../../../shared/k8s/authorizer.ts";
import { tunnelPath } from "../../../shared/contract/tunnel.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { ApiRequest } from "../api-request.ts";
import type { RequestInfo, ResourceAttributes } from "../request-info.ts";

/** Returns what a tunnel is for: the object whose update is authorized. It need not exist yet. */
export function tunnelTarget(info: RequestInfo, query: URLSearchParams): ResourceAttributes | undefined {
  if (info.isResource || info.path !== tunnelPath) return undefined;
  const node = query.get("node");
  if (node !== null) return nodeTarget(node);
  const namespace = query.get("namespace") || "default";
  const name = query.get("service") ?? "";
  if (!/^[a-z0-9.-]{1,63}$/.test(name) || !/^[a-z0-9-]{1,63}$/.test(namespace)) {
    throw ApiError.badRequest(
      "a tunnel is for one Service: ?namespace=<namespace>&service=<name>, or for one node: ?node=<name>",
    );
  }
  return { isResource: true, verb: "update", group: "", plural: "services", subresource: "", namespace, name };
}

function nodeTarget(name: string): ResourceAttributes {
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) throw ApiError.badRequest("?node= must be a node's name");
  const status = { verb: "update", group: "", plural: "nodes", subresource: "status", namespace: "", name } as const;
  return { isResource: true, ...status };
}

export function openTunnel(
  { server, request, identity, credential }: ApiRequest,
  { plural, namespace, name }: ResourceAttributes,
): Response {
  // An administrator may update any node, too, but does not run its kubelet.
  if (plural === "nodes" && nodeOf(identity.user) !== name)
    throw ApiError.forbidden(
      { group: "", name: "nodes" },
      name,
      `only the user "system:node:${name}" opens its tunnel`,
    );
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
    throw ApiError.badRequest("a tunnel is a WebSocket");
  if (!server.tunnels) throw new ApiError(501, "NotImplemented", "this cluster has no tunnels", {});
  return plural === "nodes"
    ? server.tunnels.openForNode(name, credential)
    : server.tunnels.open(namespace, name, credential);
}
