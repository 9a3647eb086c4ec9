// GET of one object, or of its status or another subresource that is read like it.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead, readsOf } from "../../registry/registry.ts";
import { objectResponse, storedKind } from "../present.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";

export function get(call: Call, kind: Kind, info: ResourceInfo): Response {
  if (kind.computed) return objectResponse(call, kind, computedObject(call, kind, info));
  return objectResponse(call, kind, mustRead(call.service.registry, storedKind(kind), info.namespace, info.name));
}

function computedObject({ service }: Call, kind: Kind, { namespace, name }: ResourceInfo): KubeObject {
  const all = kind.computed?.(readsOf(service.registry), namespace || undefined);
  const found = all?.find(({ metadata }) => metadata.name === name);
  // Upstream says the singular here, and the namespace with the name.
  if (found) return found;
  throw ApiError.notFound(
    { group: kind.group, name: kind.kind.toLowerCase() },
    namespace ? `${namespace}/${name}` : name,
  );
}
