// The media type checks of upstream's router, before any handler: the type of a patch, and the accepted types.
import { ApiError } from "../../../shared/k8s/status.ts";
import { outputTypes, patchTypes } from "./negotiation.ts";

const watchTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

const objectTypes = outputTypes;
const listTypes = [...outputTypes, ...watchTypes];
const logTypes = ["text/plain", ...outputTypes];

/** Returns the media types of a path of built-in kinds, in upstream's order. */
export function producedBy(verb: string, isLog: boolean): readonly string[] {
  if (isLog) return logTypes;
  return verb === "list" || verb === "watch" ? listTypes : objectTypes;
}

/** Throws 415 for an unknown patch type. */
export function checkPatchType(headers: Headers): void {
  const contentTypes = (headers.get("content-type") ?? "").split(",").map(withoutParameters);
  if (contentTypes.some((type) => type === "*/*" || patchTypes.includes(type))) return;
  throw new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** Throws 406 if no accepted type is produced. Upstream's router accepts the full wildcard, but no partial wildcard such as `text/*`. */
export function checkAccept(headers: Headers, produced: readonly string[]): void {
  const accept = headers.get("accept") || "*/*";
  if (accept === "*/*" || produced.includes(accept)) return;
  if (
    accept
      .split(",")
      .map(withoutParameters)
      .some((type) => type === "*/*" || produced.includes(type))
  )
    return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`;
  throw new ApiError(406, "NotAcceptable", message, {});
}

function withoutParameters(type: string): string {
  return (type.split(";")[0] ?? "").trim();
}
