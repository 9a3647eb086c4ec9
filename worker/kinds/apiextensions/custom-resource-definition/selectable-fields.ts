// Fields by which instances can be selected.
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
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const where = at.index(index).child("jsonPath");
    if (jsonPath === "") {
      errors.push(required(where));
      continue;
    }
    const found = knownPath(jsonPath, node, false);
    if ("error" in found) {
      errors.push(invalid(where, jsonPath, `is an invalid path: ${found.error}`));
      continue;
    }
    if (found.root === "metadata") errors.push(invalid(where, jsonPath, "must not point to fields in metadata"));
    if (!types.includes(found.node?.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalid(where, jsonPath, why));
    }
    if (seen.has(found.path.toString())) errors.push(duplicate(where, jsonPath));
    seen.add(found.path.toString());
  }
  if (seen.size > maxSelectableFields && !mayBeMany) errors.push(tooMany(at, seen.size, maxSelectableFields));
  return errors;
}
