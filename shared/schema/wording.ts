// What the API says of a body that cannot be decoded: errors and warnings in upstream's words.
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { ApiError } from "../k8s/status.ts";

/** What the body says it is, and what the path wants. */
export interface BodyKind {
  readonly kind: string;
  readonly version: string;
  /** The kind that the path wants, where the body may differ. */
  readonly wanted?: string;
}

/** The 400 of a body of a known kind: `Deployment in version "v1" cannot be handled as a Deployment: ...`. */
export function cannotBeHandled({ kind, version, wanted = kind }: BodyKind, cause: string): ApiError {
  return ApiError.badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${wanted}: ${cause}`,
  );
}

/** The 400 of a body whose kind could not even be read. */
export function unrecognized(wanted: string, cause: string, body: string | Uint8Array): ApiError {
  return ApiError.badRequest(
    `the object provided is unrecognized (must be of type ${wanted}): ${cause} (${summarize(body)})`,
  );
}

/**
 * One text for each violation: the warnings of `fieldValidation=Warn`, in the order of the document where their places are known.
 * Upstream does not look into unknown fields.
 */
export function strictWarnings(
  unknown: readonly string[],
  duplicates: readonly string[],
  places?: ReadonlyMap<string, number>,
): string[] {
  const isInside = (path: string) => unknown.some((one) => path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
  const found = [
    ...unknown.map((path) => ["unknown", path] as const),
    ...duplicates.filter((path) => !isInside(path)).map((path) => ["duplicate", path] as const),
  ];
  if (places) found.sort(([, a], [, b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  return found.map(([what, path]) => `${what} field ${JSON.stringify(path)}`);
}

/** The text of `fieldValidation=Strict`; undefined where nothing is wrong. */
export function strictMessage(texts: readonly string[]): string | undefined {
  return texts.length ? `strict decoding error: ${texts.join(", ")}` : undefined;
}

/** Upstream's `NewGenericServerResponse(422)`: what a patch that does not apply is answered with. */
export function unprocessable(): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

/** At most 30 bytes of a body: as text where it looks like an object, else in hex. */
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
