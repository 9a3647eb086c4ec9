// Every field that a value validation speaks of must be declared where the structure is (upstream: validateStructuralCompleteness).
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, required } from "../../k8s/field.ts";
import { isObject } from "../json-values.ts";

export function validateCompleteness(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  return alternatives(props, props, at, at);
}

/** `declared` stands at `at`; `said` at `from` speaks of it. */
function alternatives(said: JSONSchemaProps, declared: JSONSchemaProps, at: FieldPath, from: FieldPath): FieldError[] {
  const errors = said.not ? nested(said.not, declared, at, from.child("not")) : [];
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, one] of (said[name] ?? []).entries()) {
      errors.push(...nested(one, declared, at, from.child(name).index(index)));
    }
  }
  return errors;
}

function nested(
  said: JSONSchemaProps,
  declared: JSONSchemaProps | undefined,
  at: FieldPath,
  from: FieldPath,
): FieldError[] {
  if (!declared) return [required(at, `because it is defined in ${from.toString()}`)];
  const errors = alternatives(said, declared, at, from);
  if (isObject(said.items)) {
    const items = isObject(declared.items) ? declared.items : undefined;
    errors.push(...nested(said.items, items, at.child("items"), from.child("items")));
  }
  for (const [name, one] of Object.entries(said.properties ?? {})) {
    const own = declared.properties && Object.hasOwn(declared.properties, name) ? declared.properties[name] : undefined;
    const [where, whence] = [at.child("properties").key(name), from.child("properties").key(name)];
    errors.push(...nested(one, own, where, whence));
  }
  return errors;
}
