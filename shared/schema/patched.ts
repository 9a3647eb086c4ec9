// What a patch made of an object, decoded: its errors are a 422 about the field `patch`, unlike those of a body.
import { invalid, path } from "../k8s/field.ts";
import { ApiError } from "../k8s/status.ts";
import { unknownOperationFields } from "./json-patch.ts";
import type { ObjectSchema } from "./object-schema.ts";
import { goText } from "./strategic/strategic-schema.ts";
import { strictWarnings } from "./wording.ts";

export interface Patched {
  readonly form: "json" | "merge" | "strategic";
  /** What the patch made, not yet decoded. */
  readonly value: unknown;
  readonly patch: unknown;
  /** The fields that the patch itself gives twice. */
  readonly duplicates: readonly string[];
}

/** The canonical object, and what a strict or warning client is told: the patch's own violations come first. */
export function decodePatched(
  schema: Pick<ObjectSchema, "decode">,
  patched: Patched,
): { object: unknown; violations: string[] } {
  const { form, value, patch, duplicates } = patched;
  const own = strictWarnings(form === "json" ? unknownOperationFields(patch) : [], duplicates);
  try {
    const { object, unknown } = schema.decode(value, form === "strategic" ? "map" : "body");
    const ownTexts = form === "json" ? own.map((text) => `json patch ${text}`) : own;
    return { object, violations: [...ownTexts, ...strictWarnings(unknown, [])] };
  } catch (thrown) {
    throw thrown instanceof ApiError && thrown.code === 400 ? invalidPatch(patched, thrown.message) : thrown;
  }
}

/** The 422 of `fieldValidation=Strict`. */
export function strictlyRefused(patched: Patched, violations: readonly string[]): ApiError {
  return invalidPatch(patched, `strict decoding error: ${violations.join(", ")}`);
}

export function invalidPatch({ form, value, patch }: Patched, cause: string): ApiError {
  const printed = form === "strategic" ? goText(patch) : JSON.stringify(value);
  return ApiError.invalid({ group: "", name: "" }, "", [invalid(path("patch"), printed, cause)]);
}
