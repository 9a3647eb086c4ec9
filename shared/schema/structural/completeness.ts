// Checks that every field in a value validation is also declared in the structure (upstream: validateStructuralCompleteness).
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, required } from "../../k8s/field.ts";
import { isObject } from "../json-values.ts";

export function validateCompleteness(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  return alternatives(props, props, at, at);
}

/** Checks the alternatives of `validation`, which stands at `from`, against `declared`, which stands at `at`. */
function alternatives(
  validation: JSONSchemaProps,
  declared: JSONSchemaProps,
  at: FieldPath,
  from: FieldPath,
): FieldError[] {
  const errors = validation.not ? nested(validation.not, declared, at, from.child("not")) : [];
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, alternative] of (validation[name] ?? []).entries()) {
      errors.push(...nested(alternative, declared, at, from.child(name).index(index)));
    }
  }
  return errors;
}

function nested(
  validation: JSONSchemaProps,
  declared: JSONSchemaProps | undefined,
  at: FieldPath,
  from: FieldPath,
): FieldError[] {
  if (!declared) return [required(at, `because it is defined in ${from.toString()}`)];
  const errors = alternatives(validation, declared, at, from);
  if (isObject(validation.items)) {
    const items = isObject(declared.items) ? declared.items : undefined;
    errors.push(...nested(validation.items, items, at.child("items"), from.child("items")));
  }
  for (const [name, property] of Object.entries(validation.properties ?? {})) {
    const declaredProperty =
      declared.properties && Object.hasOwn(declared.properties, name) ? declared.properties[name] : undefined;
    const [where, whence] = [at.child("properties").key(name), from.child("properties").key(name)];
    errors.push(...nested(property, declaredProperty, where, whence));
  }
  return errors;
}
