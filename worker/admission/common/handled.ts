// Selects the writes that a plugin handles, with the object in its own type.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** Returns the object if the request writes `kind` itself (no subresource) by one of these operations. */
export function writtenObject<T extends KubeObject>(
  kind: Kind<T>,
  request: AdmissionRequest,
  ...operations: readonly AdmissionRequest["operation"][]
): { readonly object: T; readonly previous: T | undefined } | undefined {
  const isKind = request.kind.resource === kind.resource && request.subresource === "";
  if (!isKind || !operations.includes(request.operation) || !request.object) return undefined;
  // The resource determines the type.
  return { object: request.object as T, previous: request.oldObject as T | undefined };
}
