// The handler chain of the Kubernetes API: the filters of a request before its endpoint.
import { discardBody } from "../../shared/base/discard.ts";
import { limits } from "../../shared/base/limits.ts";
import type { ApiServer } from "./api-server.ts";
import { dispatch } from "./endpoints.ts";
import { withAudit, withAuditInit } from "./filters/audit.ts";
import { withAuthentication } from "./filters/authentication.ts";
import { withAuthorization } from "./filters/authorization.ts";
import { withFaults } from "./filters/faults.ts";
import { withErrorStatus } from "./filters/error-status.ts";
import { type Filter, type Handler, newFilterContext } from "./filters/filter.ts";
import { withImpersonation } from "./filters/impersonation.ts";
import { withLifeline } from "./filters/lifeline.ts";
import { withMaxInFlightLimit } from "./filters/max-in-flight.ts";
import { withMetrics } from "./filters/metrics.ts";
import { withPriorityAndFairness } from "./filters/priority-and-fairness.ts";
import { withRequestDeadline } from "./filters/request-deadline.ts";
import { withRequestInfo } from "./filters/request-info.ts";
import { withCacheControl, withContentTypeOptions } from "./filters/response-headers.ts";

/** The filters, outermost first. An asynchronous filter costs a promise for each request, so filters are synchronous if possible. */
const filters: readonly Filter[] = [
  withMetrics,
  withAuditInit,
  withCacheControl,
  withErrorStatus,
  withRequestInfo,
  withRequestDeadline,
  withAuthentication,
  withLifeline,
  withAudit,
  withContentTypeOptions,
  withImpersonation,
  withPriorityAndFairness,
  withMaxInFlightLimit,
  withAuthorization,
  withFaults,
];

const chain = filters.reduceRight<Handler>((next, filter) => filter(next), dispatch);

export async function handle(server: ApiServer, request: Request): Promise<Response> {
  const context = newFilterContext(server, request);
  const response = await chain(context);
  for (const tell of context.onAnswer.reverse()) tell(response.status);
  await discardBody(request, limits.discardedBodyBytes);
  // The edge sets the headers of sockets.
  if (response.status === 101) return response;
  const { headers, defaultHeaders } = context;
  const { headers: answered } = response;
  for (const name in headers) answered.set(name, headers[name] ?? "");
  for (const name in defaultHeaders) if (!answered.has(name)) answered.set(name, defaultHeaders[name] ?? "");
  return response;
}
