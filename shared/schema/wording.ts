// Errors and warnings of a body that cannot be decoded, in upstream's words.
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { ApiError } from "../k8s/status.ts";

/** The kind of the body, and the kind that the path requires. */
export interface BodyKind {
  readonly kind: string;
  readonly version: string;
  /** The kind that the path requires, if the body's kind may differ. */
  readonly expectedKind?: string;
}

/** Returns the 400 of a body of a known kind: `Deployment in version "v1" cannot be handled as a Deployment: ...`. */
export function cannotBeHandled({ kind, version, expectedKind = kind }: BodyKind, cause: string): ApiError {
  return ApiError.badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expectedKind}: ${cause}`,
  );
}

/** Returns the 400 of a body whose kind cannot be read. */
export function unrecognized(expectedKind: string, cause: string, body: string | Uint8Array): ApiError {
  return ApiError.badRequest(
    `the object provided is unrecognized (must be of type ${expectedKind}): ${cause} (${summarize(body)})`,
  );
}

/**
 * Returns one text for each violation: the warnings of `fieldValidation=Warn`, in the order of the document if the positions are known.
 * Upstream does not look into unknown fields.
 */
export function strictWarnings(
  unknown: readonly string[],
  duplicates: readonly string[],
  places?: ReadonlyMap<string, number>,
): string[] {
  const isInside = (path: string) =>
    unknown.some((unknownPath) => path.startsWith(`${unknownPath}.`) || path.startsWith(`${unknownPath}[`));
  const violations = [
    ...unknown.map((path) => ["unknown", path] as const),
    ...duplicates.filter((path) => !isInside(path)).map((path) => ["duplicate", path] as const),
  ];
  if (places) violations.sort(([, a], [, b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  return violations.map(([what, path]) => `${what} field ${JSON.stringify(path)}`);
}

/** Returns the text of `fieldValidation=Strict`; undefined if there are no violations. */
export function strictMessage(texts: readonly string[]): string | undefined {
  return texts.length ? `strict decoding error: ${texts.join(", ")}` : undefined;
}

/** Returns upstream's `NewGenericServerResponse(422)`, the error of a patch that does not apply. */
export function unprocessable(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

/** Returns at most 30 bytes of a body: as text if it looks like an object, otherwise in hex. */
function summarize(body: string | Uint8Array): string {
  const bytes = typeof body === "string" ? getTextEncoding().encodeUtf8(body) : body;
  if (bytes.length === 0) return "<empty>";
  const head = bytes.subarray(0, 30);
  const text =
    bytes[0] === 0x7b
      ? getTextEncoding().decodeUtf8(head)
      : Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return bytes.length > 30 ? `${text} ...` : text;
}
