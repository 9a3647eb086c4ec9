// The handler chain of the Kubernetes API: the filters of a request before its endpoint.
import { discardBody } from "../../shared/base/discard.ts";
import { type MaybePromise, whenThere } from "./maybe-promise.ts";
import { limits } from "../../shared/base/limits.ts";
import type { ApiServer } from "./api-server.ts";
import { dispatch } from "./endpoints.ts";
import { withAudit } from "./filters/audit.ts";
import { withAuthentication } from "./filters/authentication.ts";
import { withAuthorization } from "./filters/authorization.ts";
import { withFaults } from "./filters/faults.ts";
import { withControlPlane } from "./filters/control-plane.ts";
import { withErrorStatus } from "./filters/error-status.ts";
import { type Filter, type FilterContext, type Handler, newFilterContext } from "./filters/filter.ts";
import { withImpersonation } from "./filters/impersonation.ts";
import { withLifeline } from "./filters/lifeline.ts";
import { withMaxInFlightLimit } from "./filters/max-in-flight.ts";
import { withMetrics } from "./filters/metrics.ts";
import { withPriorityAndFairness } from "./filters/priority-and-fairness.ts";
import { withRequestDeadline } from "./filters/request-deadline.ts";
import { withRequestInfo } from "./filters/request-info.ts";
import { withCacheControl, withContentTypeOptions } from "./filters/response-headers.ts";
import { noHeaders } from "./negotiation/answer-headers.ts";

/** The filters, outermost first. An asynchronous filter costs a promise for each request, so filters are synchronous if possible. */
const filters: readonly Filter[] = [
  withMetrics,
  withCacheControl,
  withErrorStatus,
  withRequestInfo,
  withRequestDeadline,
  withControlPlane,
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

/** Answers a request: at once if everything that it needs is in memory. */
export function handle(server: ApiServer, request: Request): MaybePromise<Response> {
  const context = newFilterContext(server, request);
  return whenThere(chain(context), (response) => finish(context, response));
}

function finish(context: FilterContext, response: Response): MaybePromise<Response> {
  const { onAnswer, request } = context;
  for (let at = onAnswer.length - 1; at >= 0; at--) onAnswer[at]?.(response.status);
  if (request.bodyUsed || !request.body) return withHeaders(context, response);
  return discardBody(request, limits.discardedBodyBytes).then(() => withHeaders(context, response));
}

/** Adds the headers of the filters and of the server. */
function withHeaders(context: FilterContext, response: Response): Response {
  // The edge sets the headers of sockets.
  if (response === context.completed || response.status === 101) return response;
  const { headers, defaultHeaders, server } = context;
  const { headers: answered } = response;
  answered.set("audit-id", context.auditId);
  for (const [name, value] of context.flow) answered.set(name, value);
  for (const name in headers) answered.set(name, headers[name] ?? "");
  for (const name in defaultHeaders) if (!answered.has(name)) answered.set(name, defaultHeaders[name] ?? "");
  for (const [name, value] of server.fixedHeaders ?? noHeaders) answered.set(name, value);
  return response;
}
