// Decodes the result of a patch. Its errors are a 422 of the field `patch`, unlike those of a body.
import { invalid, path } from "../k8s/field.ts";
import { ApiError } from "../k8s/status.ts";
import { unknownOperationFields } from "./json-patch.ts";
import type { ObjectSchema } from "./object-schema.ts";
import { goText } from "./strategic/strategic-schema.ts";
import { strictWarnings } from "./wording.ts";

export interface Patched {
  readonly form: "json" | "merge" | "strategic";
  /** The result of the patch, not yet decoded. */
  readonly value: unknown;
  readonly patch: unknown;
  /** Duplicate fields of the patch itself. */
  readonly duplicates: readonly string[];
}

/** Returns the canonical object, and the violations for strict or warning clients, beginning with those of the patch. */
export function decodePatched(
  schema: Pick<ObjectSchema, "decode">,
  patched: Patched,
): { object: unknown; violations: string[] } {
  const { form, value, patch, duplicates } = patched;
  const patchViolations = strictWarnings(form === "json" ? unknownOperationFields(patch) : [], duplicates);
  try {
    const { object, unknown } = schema.decode(value, form === "strategic" ? "map" : "body");
    const patchTexts = form === "json" ? patchViolations.map((text) => `json patch ${text}`) : patchViolations;
    return { object, violations: [...patchTexts, ...strictWarnings(unknown, [])] };
  } catch (thrown) {
    throw thrown instanceof ApiError && thrown.code === 400 ? invalidPatch(patched, thrown.message) : thrown;
  }
}

/** Returns the 422 of `fieldValidation=Strict`. */
export function strictlyRefused(patched: Patched, violations: readonly string[]): ApiError {
  return invalidPatch(patched, `strict decoding error: ${violations.join(", ")}`);
}

export function invalidPatch({ form, value, patch }: Patched, cause: string): ApiError {
  const printed = form === "strategic" ? goText(patch) : JSON.stringify(value);
  return ApiError.invalid({ group: "", name: "" }, "", [invalid(path("patch"), printed, cause)]);
}
