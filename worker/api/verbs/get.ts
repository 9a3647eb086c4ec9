// GET of one object, or of its status or another subresource that is read like it.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead } from "../../registry/registry.ts";
import { objectResponse, storedKind } from "../present.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";

export function get(call: Call, kind: Kind, info: ResourceInfo): Response {
  if (kind.computed) return objectResponse(call, kind, computedObject(kind, info.name));
  return objectResponse(call, kind, mustRead(call.service.registry, storedKind(kind), info.namespace, info.name));
}

function computedObject(kind: Kind, name: string): KubeObject {
  const found = kind.computed?.().find(({ metadata }) => metadata.name === name);
  // Upstream says the singular here.
  if (!found) throw ApiError.notFound({ group: kind.group, name: kind.singular }, name);
  return found;
}
