// What upstream's router looks at before a handler does: the type of a patch, and whether anything is accepted that the path has.
import { ApiError } from "../../../shared/k8s/status.ts";
import { outputTypes, patchTypes } from "./negotiation.ts";

const streams = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

const ofOne = outputTypes;
const ofMany = [...outputTypes, ...streams];
const ofLogs = ["text/plain", ...outputTypes];

/** The types of a path of Kubernetes' own kinds, as it lists them. */
export function producedBy(verb: string, isLog: boolean): readonly string[] {
  if (isLog) return ofLogs;
  return verb === "list" || verb === "watch" ? ofMany : ofOne;
}

/** 415 for a patch of a type that is none. */
export function checkPatchType(headers: Headers): void {
  const given = (headers.get("content-type") ?? "").split(",").map(bare);
  if (given.some((type) => type === "*/*" || patchTypes.includes(type))) return;
  throw new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** 406 where no accepted type is one of these; of wildcards, the router knows only the whole one. */
export function checkAccept(headers: Headers, produced: readonly string[]): void {
  const accept = headers.get("accept") || "*/*";
  if (accept === "*/*" || produced.includes(accept)) return;
  if (
    accept
      .split(",")
      .map(bare)
      .some((type) => type === "*/*" || produced.includes(type))
  )
    return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`;
  throw new ApiError(406, "NotAcceptable", message, {});
}

function bare(type: string): string {
  return (type.split(";")[0] ?? "").trim();
}
