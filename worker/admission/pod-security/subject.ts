// What a check looks at: the metadata and the spec of a pod, or of a pod template.
import type { Container, PodSpec, SecurityContext } from "../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";

export interface PodLike {
  readonly metadata: Pick<ObjectMeta, "annotations">;
  readonly spec: PodSpec;
}

/** Init containers first, ephemeral ones last. */
export function containersOf({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): Container[] {
  // An ephemeral container has the same fields, and the name of its target.
  return [...initContainers, ...containers, ...(ephemeralContainers as Container[])];
}

export function namesWhere({ spec }: PodLike, is: (context: SecurityContext | undefined) => boolean): string[] {
  return containersOf(spec)
    .filter(({ securityContext }) => is(securityContext))
    .map(({ name }) => name);
}

/** What the containers of a pod set, of those that set it. */
export function setByContainers<T>(
  { spec }: PodLike,
  of: (context: SecurityContext) => T | undefined,
): { readonly name: string; readonly value: T }[] {
  return containersOf(spec).flatMap(({ name, securityContext }) => {
    const value = securityContext && of(securityContext);
    return value === undefined ? [] : [{ name, value }];
  });
}

export function isWindows({ spec }: PodLike): boolean {
  return spec.os?.name === "windows";
}

/** Pods in a user namespace are held to less. */
export function inUserNamespace({ spec }: PodLike): boolean {
  return spec.hostUsers === false;
}
