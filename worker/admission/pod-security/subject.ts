// The subject of a check: the metadata and the spec of a pod or a pod template.
import type { Container, PodSpec, SecurityContext } from "../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";

export interface PodLike {
  readonly metadata: Pick<ObjectMeta, "annotations">;
  readonly spec: PodSpec;
}

/** Returns the init containers, the containers and the ephemeral containers, in this order. */
export function containersOf({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): Container[] {
  // An ephemeral container has the fields of a container, and the name of its target.
  return [...initContainers, ...containers, ...(ephemeralContainers as Container[])];
}

export function namesWhere({ spec }: PodLike, is: (context: SecurityContext | undefined) => boolean): string[] {
  return containersOf(spec)
    .filter(({ securityContext }) => is(securityContext))
    .map(({ name }) => name);
}

/** Returns the values that containers set, with the containers' names. */
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

/** Reports whether a pod has its own user namespace, in which fewer checks apply. */
export function inUserNamespace({ spec }: PodLike): boolean {
  return spec.hostUsers === false;
}
