// Removes duplicate owner references and adds a warning (upstream: handlers.dedupOwnerReferencesAndAddWarning).
import type { OwnerReference } from "../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { WriteOptions } from "./registry.ts";

export function dedupOwnerReferencesAndAddWarning(
  { metadata }: KubeObject,
  options: WriteOptions,
  afterMutatingAdmission: boolean,
): void {
  const all = metadata.ownerReferences ?? [];
  if (all.length < 2) return;
  const texts = new Set<string>();
  const repeated: OwnerReference[] = [];
  const rest = all.filter((reference) => {
    const text = textOf(reference);
    if (texts.has(text)) repeated.push(reference);
    return texts.size < texts.add(text).size;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = rest;
  const when = afterMutatingAdmission ? " after mutating admission happens" : "";
  const advice =
    "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";
  const what = `.metadata.ownerReferences contains duplicate entries${when}`;
  options.warn?.(`${what}; ${advice}; duplicate UID(s) observed: ${repeated.map(({ uid }) => uid).join(", ")}`);
}

/** Returns a text that is equal for equal references. */
function textOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
}
