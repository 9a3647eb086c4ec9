// Encodes errors for Kubernetes clients as upstream's `Status`.
import type { ApiError } from "../../shared/k8s/status.ts";

export function statusResponse(error: ApiError, { headers }: Request, warning?: string): Response {
  return new Response(`${JSON.stringify(error.toStatus())}\n`, {
    status: error.code,
    headers: {
      "content-type": "application/json",
      "audit-id": headers.get("audit-id") || crypto.randomUUID(),
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff",
      ...retryAfterOf(error),
      ...(warning ? { warning: `299 - "${warning}"` } : {}),
    },
  });
}

/** Clients read the delay from the header. */
function retryAfterOf({ details }: ApiError): Record<string, string> {
  const seconds = details?.retryAfterSeconds;
  return seconds === undefined ? {} : { "retry-after": String(seconds) };
}
