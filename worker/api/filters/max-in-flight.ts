// Limits concurrent requests and the request rate. A rejected request gets a short 429 and is retried by the client.
import { limits } from "../../../shared/base/limits.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Filter } from "./filter.ts";

export const withMaxInFlightLimit: Filter = (next) => (context) => {
  const { server, request } = context;
  // A step of an open session is not a new request.
  if (isContinuation(request)) return next(context);
  const ended = server.load.begin(request);
  if (!ended) return tooManyRequests();
  let response: MaybePromise<Response>;
  try {
    response = next(context);
  } catch (error) {
    ended();
    throw error;
  }
  if (response instanceof Promise) return response.finally(ended);
  ended();
  return response;
};

/** Reports whether the edge continues a watch, a followed log or a session. */
export function isContinuation({ headers, url }: Request): boolean {
  if (headers.has(internalHeaders.since) || headers.has(internalHeaders.logPosition)) return true;
  return headers.get(internalHeaders.session) === "step" && !new URL(url).pathname.endsWith("/portforward");
}

export function tooManyRequests(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "retry-after": String(limits.retryAfterSeconds) };
  return new Response("Too many requests, please try again later.\n", { status: 429, headers });
}
