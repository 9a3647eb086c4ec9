// Which headers are passed on between a client and the server of an aggregated API, in either direction.
import type { Headers as Pairs } from "../k8s/outbound-call.ts";

/** What concerns one connection, or is for this server alone. */
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

/** Upstream's answer to a server that answers with another address. */
export const redirected = "the backend attempted to redirect this request, which is not permitted";

export function isRedirect(status: number, headers: Pairs): boolean {
  return status >= 300 && status < 400 && headers.some(([name]) => name.toLowerCase() === "location");
}

/** Statuses that have no body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
