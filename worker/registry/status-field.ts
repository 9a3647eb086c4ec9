// `status` belongs to its subresource: cleared on create, put back on update, the only thing that a status write changes.
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
  /** Everything but the status is the previous object's; of the metadata, what a status writer may set is the draft's. */
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

/** The zero status as Go would print it: `{}`, or with the structs that are always there. */
function emptyStatus(kind: Kind): unknown {
  return kind.schema.empty(kind.apiVersion, kind.kind)["status"] ?? {};
}
