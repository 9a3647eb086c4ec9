// Decodes a patched object by its apiVersion and kind (upstream: runtime/serializer).
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import type { GroupVersionKind } from "../../registry/admission.ts";

/**
 * Decodes an object after a JSON patch. An invalid object is an error of the webhook or policy, so it is a 500. `isStrict` rejects unknown
 * fields.
 */
export function decodePatched(
  expected: GroupVersionKind,
  next: unknown,
  { isStrict }: { readonly isStrict: boolean },
): KubeObject {
  refuseOtherType(expected, next);
  const { object, unknown } = decodeAsExpected(expected, next);
  if (isStrict && unknown.length > 0) {
    const fields = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
    throw ApiError.internal(`strict decoding error: ${fields.join(", ")}`);
  }
  // Decoding returns an object of the type.
  return object as KubeObject;
}

function decodeAsExpected(expected: GroupVersionKind, next: unknown) {
  try {
    return expected.schema.decode(next);
  } catch (error) {
    if (error instanceof ApiError) throw ApiError.internal(error.message);
    throw error;
  }
}

/** Rejects a patch that changed apiVersion or kind, which the decoder needs. */
function refuseOtherType(expected: GroupVersionKind, next: unknown): void {
  const { apiVersion, kind } = isObject(next) ? next : {};
  if (apiVersion === expected.apiVersion && kind === expected.kind) return;
  const [version, name] = [apiVersion, kind].map((field) => (typeof field === "string" ? field : ""));
  if (!name) throw ApiError.internal(`Object 'Kind' is missing in '${JSON.stringify(next)}'`);
  const what = `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(version)}`;
  throw ApiError.internal(`${what} in scheme "pkg/runtime/scheme.go:111"`);
}
