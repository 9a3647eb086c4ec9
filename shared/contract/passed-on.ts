// The headers that are forwarded between a client and the server of an aggregated API, in both directions.
import type { Headers as Pairs } from "../k8s/outbound-call.ts";

/** The headers of one connection, and those for this server alone. */
const dropped = new Set([
  "authorization",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "cookie",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const droppedPrefixes = ["cf-", "impersonate-", "sandbar-", "sec-websocket-", "x-forwarded-", "x-remote-"];

export function passedOn(headers: Pairs): Pairs {
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !dropped.has(lower) && !droppedPrefixes.some((prefix) => lower.startsWith(prefix));
  });
}

/** Upstream's error for a server that redirects. */
export const redirected = "the backend attempted to redirect this request, which is not permitted";

export function isRedirect(status: number, headers: Pairs): boolean {
  return status >= 300 && status < 400 && headers.some(([name]) => name.toLowerCase() === "location");
}

/** Reports whether responses of the status have no body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
