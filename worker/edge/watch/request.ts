// Recognizes watch requests and their durations.
import { limits } from "../../../shared/base/limits.ts";

/**
 * Reports whether a request is a watch: a GET of a collection with a true `watch`, or the legacy `/watch/` paths. Upstream treats every
 * value of `watch` but `false` and `0` as true. The response may still be none.
 */
export function isWatch(method: string, url: URL): boolean {
  // Most requests fail this quick check; encoded URLs need the full one.
  if (method !== "GET" || !/watch|%/.test(url.href)) return false;
  const rest = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.+)$/.exec(url.pathname)?.[1];
  if (rest === undefined) return false;
  const [first, ...more] = rest.replace(/\/$/, "").split("/");
  if (first === "watch") return more.length > 0;
  const value = url.searchParams.get("watch");
  const isRequested = value !== null && value !== "0" && value.toLowerCase() !== "false";
  return isRequested && (more.length === 0 || (first === "namespaces" && more.length === 2));
}

/** Returns the requested duration, or a random one, so that clients do not reconnect at the same time. */
export function watchDurationMs(url: URL, random: () => number): number {
  const requestedSeconds = Number(url.searchParams.get("timeoutSeconds") ?? "0");
  if (Number.isInteger(requestedSeconds) && requestedSeconds > 0)
    return Math.min(requestedSeconds, limits.watchSecondsCeiling) * 1000;
  return (limits.watchSecondsMin + random() * (limits.watchSecondsMax - limits.watchSecondsMin)) * 1000;
}
