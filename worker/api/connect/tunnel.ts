// The path that opens a tunnel: a WebSocket for one Service, allowed for users who may update that Service.
import { tunnelPath } from "../../../shared/contract/tunnel.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { RequestInfo, ResourceAttributes } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";

/** Returns the Service as the resource whose update is authorized. The Service need not exist yet. */
export function tunnelTarget(info: RequestInfo, query: URLSearchParams): ResourceAttributes | undefined {
  if (info.isResource || info.path !== tunnelPath) return undefined;
  const namespace = query.get("namespace") || "default";
  const name = query.get("service") ?? "";
  if (!/^[a-z0-9.-]{1,63}$/.test(name) || !/^[a-z0-9-]{1,63}$/.test(namespace)) {
    throw ApiError.badRequest("a tunnel is for one Service: ?namespace=<namespace>&service=<name>");
  }
  return { isResource: true, verb: "update", group: "", plural: "services", subresource: "", namespace, name };
}

export function openTunnel(
  { server, request, credential }: ApiRequest,
  { namespace, name }: ResourceAttributes,
): Response {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
    throw ApiError.badRequest("a tunnel is a WebSocket");
  if (!server.tunnels) throw new ApiError(501, "NotImplemented", "this cluster has no tunnels", {});
  return server.tunnels.open(namespace, name, credential);
}
