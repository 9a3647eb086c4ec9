// Which requests are watches, and for how long.
import { limits } from "../../../shared/base/limits.ts";

/**
 * Whether a request asks for a watch: a GET of a collection with a true `watch`, or the old `/watch/` paths. Upstream takes any value of
 * `watch` but `false` and `0` for true. An answer may still turn out not to be one.
 */
export function isWatch(method: string, url: URL): boolean {
  // Most requests are none, and say so at a glance; what is encoded is looked at.
  if (method !== "GET" || !/watch|%/.test(url.href)) return false;
  const rest = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.+)$/.exec(url.pathname)?.[1];
  if (rest === undefined) return false;
  const [first, ...more] = rest.replace(/\/$/, "").split("/");
  if (first === "watch") return more.length > 0;
  const value = url.searchParams.get("watch");
  const asked = value !== null && value !== "0" && value.toLowerCase() !== "false";
  return asked && (more.length === 0 || (first === "namespaces" && more.length === 2));
}

/** How long a watch lasts: as asked, or a random time, so that clients do not all come back at once. */
export function watchDurationMs(url: URL, random: () => number): number {
  const asked = Number(url.searchParams.get("timeoutSeconds") ?? "0");
  if (Number.isInteger(asked) && asked > 0) return Math.min(asked, limits.watchSecondsCeiling) * 1000;
  return (limits.watchSecondsMin + random() * (limits.watchSecondsMax - limits.watchSecondsMin)) * 1000;
}
