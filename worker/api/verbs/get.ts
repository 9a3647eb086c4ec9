// GET of an object, its status, or another subresource that is read like it.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead, readsOf } from "../../registry/registry.ts";
import { objectResponse, outputOf, storedKind } from "../present/present.ts";
import { isTrue, unreadableVersion } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { tooLarge } from "./list.ts";

export function get(req: ApiRequest, kind: Kind, info: ResourceInfo): Response {
  // A form that cannot be served is refused before anything is read.
  const output = outputOf(req, kind);
  checkQuery(req);
  const object = kind.computed
    ? computedObject(req, kind, info)
    : mustRead(req.server.registry, storedKind(kind), info.namespace, info.name, kind);
  return objectResponse(req, kind, object, 200, output);
}

/** Rejects a resourceVersion in the future without waiting for it. */
function checkQuery({ url, server }: ApiRequest): void {
  if (url.search === "") return;
  const query = url.searchParams;
  if (query.has("export") && isTrue(query.get("export"))) {
    throw ApiError.badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const version = query.get("resourceVersion") ?? "";
  const unreadable = unreadableVersion(version);
  if (unreadable !== undefined) throw ApiError.badRequest(unreadable);
  const { revision } = server.registry.store;
  if (Number(version) > revision) throw tooLarge(Number(version), revision);
}

function computedObject({ server }: ApiRequest, kind: Kind, { namespace, name }: ResourceInfo): KubeObject {
  const all = kind.computed?.(readsOf(server.registry), namespace || undefined);
  const listed = all?.find(({ metadata }) => metadata.name === name);
  // Upstream's error has the singular here, and the namespace with the name.
  if (listed) return listed;
  throw ApiError.notFound(
    { group: kind.group, name: kind.kind.toLowerCase() },
    namespace ? `${namespace}/${name}` : name,
  );
}
