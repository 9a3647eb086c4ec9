// How a plugin says no: upstream's `admission.NewForbidden`.
import { ApiError } from "../../shared/k8s/status.ts";
import type { AdmissionRequest } from "../registry/admission.ts";

export function forbiddenBy(request: AdmissionRequest, why: string): ApiError {
  const { name = "", generateName = "" } = request.object?.metadata ?? {};
  // A name that is yet to be generated is told by its prefix.
  return ApiError.forbidden(request.kind.groupResource, request.name || name || generateName || "Unknown", why);
}
