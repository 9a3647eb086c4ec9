// Adds and removes finalizers in a copy of an object's metadata.
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** Reports whether an object is being deleted and has this finalizer. */
export function isDeletionCandidate(object: KubeObject, finalizer: string): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, finalizer);
}

export function needToAddFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.deletionTimestamp === undefined && !hasFinalizer(object, finalizer);
}

export function withFinalizer(metadata: ObjectMeta, finalizer: string): ObjectMeta {
  return { ...metadata, finalizers: [...(metadata.finalizers ?? []), finalizer] };
}

export function withoutFinalizer(metadata: ObjectMeta, finalizer: string): ObjectMeta {
  return { ...metadata, finalizers: (metadata.finalizers ?? []).filter((candidate) => candidate !== finalizer) };
}
