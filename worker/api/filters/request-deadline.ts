// Validates the `timeout` of the URL. No request takes long enough for a deadline to end it.
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseDuration } from "../../../shared/schema/durations.ts";
import type { RequestInfo } from "../request-info.ts";
import { type Filter, infoOf } from "./filter.ts";

const longRunning = new Set(["attach", "exec", "log", "portforward", "proxy"]);

export const withRequestDeadline: Filter = (next) => (context) => {
  const timeout = context.url.searchParams.get("timeout") ?? "";
  if (timeout !== "" && !isLongRunning(infoOf(context))) {
    const read = parseDuration(timeout);
    if (typeof read === "object") {
      throw ApiError.badRequest(`invalid timeout specified in the request URL - ${read.error}`);
    }
  }
  return next(context);
};

export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === "watch" || (info.isResource && longRunning.has(info.subresource));
}
