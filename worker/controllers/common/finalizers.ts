// Finalizers of an object: taken away, or set, in a copy of its metadata.
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** Nothing but this and other finalizers holds it. */
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
  return { ...metadata, finalizers: (metadata.finalizers ?? []).filter((one) => one !== finalizer) };
}
