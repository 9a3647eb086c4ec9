// Whether a refusal only says that the namespace is going away (upstream: `v1.NamespaceTerminatingCause`).
import type { ApiError } from "../../../shared/k8s/status.ts";

export function isNamespaceTerminating(error: ApiError): boolean {
  return error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
