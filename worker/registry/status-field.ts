// Separates `status` from the object: creation clears it, updates of the object keep it, updates of the status change nothing else.
import { copyJson } from "../../shared/schema/json-values.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";

interface WithStatus extends KubeObject {
  status?: unknown;
}

export const statusField = {
  clear(kind: Kind, draft: WithStatus): void {
    if ("status" in kind.subresources) draft.status = emptyStatus(kind);
  },
  keep(kind: Kind, draft: WithStatus, previous: WithStatus): void {
    if ("status" in kind.subresources) draft.status = copyJson(previous.status);
  },
  /** Restores everything but the status and the metadata that a status update may set. */
  only(draft: WithStatus, previous: WithStatus): void {
    const status = draft.status;
    const { annotations, finalizers, managedFields, ownerReferences, resourceVersion } = draft.metadata;
    Object.assign(draft, copyJson(previous), { status });
    draft.metadata = { ...draft.metadata };
    for (const [field, value] of Object.entries({
      annotations,
      finalizers,
      managedFields,
      ownerReferences,
      resourceVersion,
    })) {
      if (value === undefined) Reflect.deleteProperty(draft.metadata, field);
      else Reflect.set(draft.metadata, field, value);
    }
  },
};

/** Returns the zero status as Go encodes it: `{}`, or with the structs that are always present. */
function emptyStatus(kind: Kind): unknown {
  return kind.schema.empty(kind.apiVersion, kind.kind)["status"] ?? {};
}
