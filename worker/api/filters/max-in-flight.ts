// How many requests may be served at once and begin in a second: who is one too many is told in one line, and comes again.
import { limits } from "../../../shared/base/limits.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Filter } from "./filter.ts";

export const withMaxInFlightLimit: Filter = (next) => async (context) => {
  const { server, request } = context;
  // A step of what has begun already is no request of its own.
  if (goesOn(request)) return next(context);
  const ended = server.load.begin(request);
  if (!ended) return tooManyRequests();
  try {
    return await next(context);
  } finally {
    ended();
  }
};

/** The edge goes on with a watch, a log that is followed or a command. */
export function goesOn({ headers, url }: Request): boolean {
  if (headers.has(internalHeaders.since) || headers.has(internalHeaders.logPosition)) return true;
  return headers.get(internalHeaders.session) === "step" && !new URL(url).pathname.endsWith("/portforward");
}

export function tooManyRequests(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "retry-after": String(limits.retryAfterSeconds) };
  return new Response("Too many requests, please try again later.\n", { status: 429, headers });
}
