// GET of one object, or of its status or another subresource that is read like it.
import type { Kind } from "../../kinds/kind.ts";
import { mustRead } from "../../registry/registry.ts";
import { objectResponse, storedKind } from "../present.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";

export function get(call: Call, kind: Kind, info: ResourceInfo): Response {
  return objectResponse(call, kind, mustRead(call.service.registry, storedKind(kind), info.namespace, info.name));
}
