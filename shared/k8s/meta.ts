// The fields that every Kubernetes object has, and short functions over metadata.
import type { ObjectMeta, OwnerReference } from "./api/meta-v1.ts";

/** Any Kubernetes object. Stored objects are frozen: change a copy. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object as a controller or a test writes it: fields that decoding fills in (apiVersion, kind, empty structs) are optional. */
export type Draft<T> = T extends (infer Item)[]
  ? readonly Draft<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Draft<T[Key]> }
    : T;

export function getControllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Returns `namespace/name`, or `name` for a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name ?? ""}` : (name ?? "");
}

/** Joins `apps/v1`; the core group is the empty string. */
export function groupVersion(group: string, version: string): string {
  return group ? `${group}/${version}` : version;
}

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
