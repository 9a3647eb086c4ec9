// Validates the selectable fields of a version.
import type { JSONSchemaProps, SelectableField } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  required,
  tooMany,
} from "../../../../shared/k8s/field.ts";
import { knownPath } from "../../../../shared/schema/structural/field-path.ts";
import { schemaNode } from "../../../../shared/schema/structural/node.ts";

export const maxSelectableFields = 8;
const types = ["string", "boolean", "integer"];

export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  at: FieldPath,
  mayBeMany: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const node = schemaNode(schema);
  const paths = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const where = at.index(index).child("jsonPath");
    if (jsonPath === "") {
      errors.push(required(where));
      continue;
    }
    const field = knownPath(jsonPath, node, false);
    if ("error" in field) {
      errors.push(invalid(where, jsonPath, `is an invalid path: ${field.error}`));
      continue;
    }
    if (field.root === "metadata") errors.push(invalid(where, jsonPath, "must not point to fields in metadata"));
    if (!types.includes(field.node?.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalid(where, jsonPath, why));
    }
    if (paths.has(field.path.toString())) errors.push(duplicate(where, jsonPath));
    paths.add(field.path.toString());
  }
  if (paths.size > maxSelectableFields && !mayBeMany) errors.push(tooMany(at, paths.size, maxSelectableFields));
  return errors;
}
