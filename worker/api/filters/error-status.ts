// Converts errors to Status objects. No other code does.
import { AssertionError } from "../../../shared/base/assert.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { type KubernetesVersion, newestVersion } from "../../../shared/k8s/settings/release.ts";
import { ApiError, type Status } from "../../../shared/k8s/status.ts";
import { wordedFor } from "../../../shared/schema/facts/releases/wording.ts";
import { encodeOutput } from "../negotiation/encoding.ts";
import { noTransforms, tryOutput } from "../negotiation/negotiation.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import { warningsOf } from "../present/present.ts";
import type { ApiServer } from "../api-server.ts";
import type { Filter, FilterContext } from "./filter.ts";

export const withErrorStatus: Filter = (next) => (context) => {
  try {
    const response = next(context);
    return response instanceof Promise ? response.catch((error: unknown) => failed(context, error)) : response;
  } catch (error) {
    return failed(context, error);
  }
};

function failed(context: FilterContext, error: unknown): Response {
  if (error instanceof ApiError) context.error = error;
  return failure(context.server, context.request, error, context.warnings);
}

function failure(server: ApiServer, request: Request, error: unknown, warnings: readonly string[]): Response {
  const expected = error instanceof ApiError ? error : unexpected(server, request, error);
  const retry = expected.details?.retryAfterSeconds;
  const { body, mediaType } = statusBody(request, wordedStatus(server.registry.release.version, expected.toStatus()));
  return new Response(body, {
    status: expected.code,
    headers: {
      "content-type": mediaType,
      ...uncached,
      ...warningsOf({ warnings: [...warnings] }),
      ...(retry === undefined ? {} : { "retry-after": String(retry) }),
    },
  });
}

/** Returns a status in the words of the release. */
function wordedStatus(version: KubernetesVersion, status: Status): Status {
  if (version === newestVersion) return status;
  const { message, details } = status;
  const worded = <T extends { readonly message?: string }>(of: T): T =>
    of.message === undefined ? of : { ...of, message: wordedFor(version, of.message) };
  const causes = details?.causes?.map(worded);
  return { ...worded({ ...status, message }), ...(details && causes ? { details: { ...details, causes } } : {}) };
}

/** Returns the body of an error in the requested form, or as JSON if the client accepts none. */
function statusBody(request: Request, status: Status) {
  const { headers, url } = request;
  // The edge reads the error of a watch that has started, always as JSON.
  const accept = headers.has(internalHeaders.since) ? null : headers.get("accept");
  const query = { pretty: new URL(url).searchParams.get("pretty"), userAgent: headers.get("user-agent") };
  const output = tryOutput(accept, noTransforms, query);
  if (!output) return { body: JSON.stringify(status, null, 2), mediaType: "application/json" };
  return { body: encodeOutput(status, output), mediaType: output.mediaType };
}

function unexpected(server: ApiServer, request: Request, error: unknown): ApiError {
  server.report(error, `${request.method} ${new URL(request.url).pathname}`);
  // The JavaScript engine exceeded its own limits of nesting or arguments. Nothing has been written.
  if (error instanceof RangeError) {
    const why = "Request entity too large: it has too many parts, or is nested too deeply, to be processed";
    return new ApiError(413, "RequestEntityTooLarge", why);
  }
  const message = error instanceof AssertionError ? error.message : "unexpected error";
  return ApiError.internal(message);
}
