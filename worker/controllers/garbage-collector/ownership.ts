// What an object's owner references say at this moment: which owner lives, waits for its dependents, or is gone.
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

export type Owner =
  /** There, and not being deleted in the foreground. */
  | { readonly state: "solid" }
  /** Being deleted, once its blocking dependents are gone. */
  | { readonly state: "waiting"; readonly kind: Kind; readonly object: KubeObject }
  /** No object of that kind, name and uid is there. */
  | { readonly state: "dangling"; readonly kind: Kind }
  /** Nothing can be said: the kind is not served, or is one that this dependent cannot refer to. */
  | { readonly state: "unknown" };

/** Upstream's `isDangling` and `classifyReferences` for one reference. */
export function ownerOf(dependent: KubeObject, reference: OwnerReference, client: Client): Owner {
  const kind = client.kindOf(reference.apiVersion, reference.kind);
  const namespace = dependent.metadata.namespace ?? "";
  // A cluster-scoped object cannot refer to a namespaced owner; upstream leaves it alone.
  if (!kind || (kind.namespaced && namespace === "")) return { state: "unknown" };
  const object = client.get(kind, kind.namespaced ? namespace : "", reference.name);
  if (!object || object.metadata.uid !== reference.uid) return { state: "dangling", kind };
  return isAwaitingDependents(object) ? { state: "waiting", kind, object } : { state: "solid" };
}

/** Being deleted in the foreground. */
export function isAwaitingDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foregroundFinalizer) === true;
}

/** Being deleted, its dependents to be left alone. */
export function isOrphaning({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(orphanFinalizer) === true;
}
