// Status strategies that do not change metadata: upstream's `ResetObjectMetaForStatus`.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Behaviour, SubresourceStrategy } from "../kind.ts";

const fields = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const;

/** Returns the strategy of a kind whose status updates change nothing else. */
export function statusAlone<T extends KubeObject & { spec: unknown }>(
  validateUpdate?: SubresourceStrategy<T>["validateUpdate"],
): Pick<Behaviour<T>, "resetFields" | "subresourceStrategies"> {
  return {
    resetFields: { status: ["metadata", "spec"] },
    subresourceStrategies: {
      status: {
        prepareForUpdate(draft, previous) {
          draft.spec = previous.spec;
          resetObjectMetaForStatus(draft, previous);
        },
        ...(validateUpdate ? { validateUpdate } : {}),
      },
    },
  };
}

/** Restores the metadata. Managed fields stay as the write set them. */
export function resetObjectMetaForStatus({ metadata: next }: KubeObject, { metadata: previous }: KubeObject): void {
  for (const field of fields) keep(next, previous, field);
}

function keep<Field extends (typeof fields)[number]>(
  next: KubeObject["metadata"],
  previous: KubeObject["metadata"],
  field: Field,
): void {
  if (previous[field] === undefined) delete next[field];
  else next[field] = previous[field];
}
