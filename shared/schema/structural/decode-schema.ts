// Decodes the three forms of a CustomResourceDefinition's schema that hold a schema or another value. Upstream does not report unknown
// fields in them.
import { ApiError } from "../../k8s/status.ts";
import type { Form } from "../graph.ts";
import { isObject } from "../json-values.ts";

export function readSchemaOr(
  form: Form & `schemaOr${string}`,
  value: unknown,
  readSchema: (value: unknown) => unknown,
): unknown {
  if (isObject(value)) return readSchema(value);
  if (form === "schemaOrBool") {
    if (typeof value === "boolean") return value;
    throw ApiError.badRequest("boolean or JSON schema expected");
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (form === "schemaOrArray") return value.map(readSchema);
  return value.map((item) => {
    if (typeof item === "string") return item;
    throw ApiError.badRequest(
      `json: cannot unmarshal ${typeof item === "boolean" ? "bool" : typeof item} into Go value of type string`,
    );
  });
}
