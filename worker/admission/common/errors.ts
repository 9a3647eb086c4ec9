// The error with which a plugin rejects a request (upstream: admission/errors.go).
import { ApiError } from "../../../shared/k8s/status.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

export function newForbidden(request: AdmissionRequest, why: string): ApiError {
  const { name = "", generateName = "" } = request.object?.metadata ?? {};
  // If the name is not generated yet, its prefix is used.
  return ApiError.forbidden(request.kind.groupResource, request.name || name || generateName || "Unknown", why);
}
