// The refusal of a plugin (upstream: admission/errors.go).
import { ApiError } from "../../../shared/k8s/status.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

export function newForbidden(request: AdmissionRequest, why: string): ApiError {
  const { name = "", generateName = "" } = request.object?.metadata ?? {};
  // In place of a name that is yet to be generated stands its prefix.
  return ApiError.forbidden(request.kind.groupResource, request.name || name || generateName || "Unknown", why);
}
