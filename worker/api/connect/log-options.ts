// Parses and validates the query of a log request: upstream's PodLogOptions.
import { type FieldError, forbidden, invalid, path } from "../../../shared/k8s/field.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { isTrue } from "../verbs/query.ts";

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Earlier lines are left out. */
  readonly sinceMs: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

export function logOptions(query: URLSearchParams, pod: string, nowMs: number): LogOptions {
  const sinceSeconds = wholeNumber(query.get("sinceSeconds"));
  const tailLines = wholeNumber(query.get("tailLines"));
  const limitBytes = wholeNumber(query.get("limitBytes"));
  const sinceTime = query.get("sinceTime") || undefined;
  const sinceTimeMs = sinceTime === undefined ? undefined : moment(sinceTime);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalid(path("tailLines"), tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalid(path("limitBytes"), limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden(path(""), "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid(path("sinceSeconds"), sinceSeconds, "must be greater than 0"));
  }
  if (query.get("stream")) errors.push(forbidden(path("stream"), "may not be specified"));
  if (errors.length > 0) throw ApiError.invalid({ group: "", name: "PodLogOptions" }, pod, errors);
  return {
    container: query.get("container") ?? "",
    follow: isTrue(query.get("follow")),
    previous: isTrue(query.get("previous")),
    timestamps: isTrue(query.get("timestamps")),
    sinceMs: sinceSeconds === undefined ? sinceTimeMs : nowMs - sinceSeconds * 1000,
    tailLines,
    limitBytes,
  };
}

/** Parses an integer with Go's error messages. */
function wholeNumber(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw ApiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function moment(text: string): number {
  const ms = parseTime(text);
  if (!Number.isNaN(ms)) return ms;
  const quoted = JSON.stringify(text);
  throw ApiError.badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
}
