// Putting another object in the place of a draft.
import type { KubeObject } from "../../../shared/k8s/meta.ts";

/** The draft stays the same object: the steps after this one hold it. */
export function replace(draft: KubeObject, next: KubeObject): void {
  // Both are plain JSON.
  const fields = draft as unknown as Record<string, unknown>;
  for (const key of Object.keys(fields)) delete fields[key];
  Object.assign(fields, next);
}
