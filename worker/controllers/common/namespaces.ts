// Reports whether a namespace accepts new content.
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";

/** Reports whether `phase == NamespaceActive`, which includes a new namespace without a phase. */
export function isActive(namespace: Namespace): boolean {
  return namespace.metadata.deletionTimestamp === undefined && namespace.status.phase !== "Terminating";
}

export function isNamespaceTerminating(error: ApiError): boolean {
  return error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
