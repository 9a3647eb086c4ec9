// Refusals to Kubernetes clients, as upstream's `Status`.
import type { ApiError } from "../../shared/k8s/status.ts";

export function statusResponse(error: ApiError): Response {
  return new Response(`${JSON.stringify(error.toStatus())}\n`, {
    status: error.code,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff",
    },
  });
}
