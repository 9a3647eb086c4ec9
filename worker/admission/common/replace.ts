// Replaces the contents of a draft.
import type { KubeObject } from "../../../shared/k8s/meta.ts";

/** Copies the fields of `next` into the draft. The draft stays the same instance, because later steps refer to it. */
export function replace(draft: KubeObject, next: KubeObject): void {
  // Both are plain JSON objects.
  const fields = draft as unknown as Record<string, unknown>;
  for (const key of Object.keys(fields)) delete fields[key];
  Object.assign(fields, next);
}
