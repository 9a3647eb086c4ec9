// What a JSON patch makes of an object, decoded by apiVersion and kind (upstream: runtime/serializer).
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import type { GroupVersionKind } from "../../registry/admission.ts";

/** Whatever does not fit is no fault of the client's: a 500. `isStrict`: unknown fields are refused. */
export function decodedPatch(wanted: GroupVersionKind, next: unknown, isStrict: boolean): KubeObject {
  refuseOtherType(wanted, next);
  const { object, unknown } = decoded(wanted, next);
  if (isStrict && unknown.length > 0) {
    const fields = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
    throw ApiError.internal(`strict decoding error: ${fields.join(", ")}`);
  }
  // Decoding gives an object of the type.
  return object as KubeObject;
}

function decoded(wanted: GroupVersionKind, next: unknown) {
  try {
    return wanted.schema.decode(next);
  } catch (error) {
    if (error instanceof ApiError) throw ApiError.internal(error.message);
    throw error;
  }
}

/** The patch may have changed apiVersion and kind, by which the decoder goes. */
function refuseOtherType(wanted: GroupVersionKind, next: unknown): void {
  const { apiVersion, kind } = isObject(next) ? next : {};
  if (apiVersion === wanted.apiVersion && kind === wanted.kind) return;
  const [version, name] = [apiVersion, kind].map((one) => (typeof one === "string" ? one : ""));
  if (!name) throw ApiError.internal(`Object 'Kind' is missing in '${JSON.stringify(next)}'`);
  const what = `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(version)}`;
  throw ApiError.internal(`${what} in scheme "pkg/runtime/scheme.go:111"`);
}
