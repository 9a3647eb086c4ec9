// Whether a namespace still takes new content.
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";

/** Upstream's `phase == NamespaceActive`, which is also the phase of a namespace that was just written without one. */
export function isActive(namespace: Namespace): boolean {
  return namespace.metadata.deletionTimestamp === undefined && namespace.status.phase !== "Terminating";
}

export function isNamespaceTerminating(error: ApiError): boolean {
  return error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
