// Checks that a schema is structural: every field in a value validation is declared outside of it, with its type (upstream:
// apiserver/schema's ValidateStructural).
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, required } from "../../k8s/field.ts";
import { keptPattern } from "../../base/kept-patterns.ts";
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import { equalJson, isObject } from "../json-values.ts";
import { validateCompleteness } from "./completeness.ts";

type Level = "root" | "item" | "field";

/** Returns the errors, sorted by their messages as upstream does. */
export function validateStructural(props: JSONSchemaProps, at: FieldPath, meter: WorkMeter): FieldError[] {
  const errors = [
    ...invariants(props, "root", at),
    ...patternErrors(props, at, meter),
    ...validateCompleteness(props, at),
  ];
  const text = ({ field, message }: FieldError) => `${field}: ${message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

export function propsOf(value: unknown): JSONSchemaProps | undefined {
  return isObject(value) ? value : undefined;
}

const emptyTypeTexts: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariants(props: JSONSchemaProps, level: Level, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const items = propsOf(props.items);
  if (props.type === "array" && !items) errors.push(required(at.child("items"), "must be specified"));
  if (items) errors.push(...invariants(items, "item", at.child("items")));
  for (const [name, property] of Object.entries(props.properties ?? {})) {
    errors.push(...invariants(property, "field", at.child("properties").key(name)));
  }
  if (props.additionalProperties !== undefined) {
    const where = at.child("additionalProperties");
    if (level === "root") errors.push(forbidden(where, "must not be used at the root"));
    const below = propsOf(props.additionalProperties);
    if (below) errors.push(...invariants(below, "field", where));
  }
  errors.push(...extensions(props, at));
  errors.push(...valueValidation(props, isIntOrStringAnyOf(props.anyOf), isIntOrStringAllOf(props.allOf), level, at));
  errors.push(...types(props, level, at), ...metadata(props, level, at));
  const isEmbedded = props["x-kubernetes-embedded-resource"] === true;
  const keepsUnknown = props["x-kubernetes-preserve-unknown-fields"] === true;
  if (isEmbedded && !keepsUnknown && Object.keys(props.properties ?? {}).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(at.child("properties"), why));
  }
  return errors;
}

function extensions(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  if (!props["x-kubernetes-int-or-string"]) return [];
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const).flatMap((name) =>
    props[name] ? [invalid(at.child(name), true, "must be false if x-kubernetes-int-or-string is true")] : [],
  );
}

function types(props: JSONSchemaProps, level: Level, at: FieldPath): FieldError[] {
  const { type = "" } = props;
  const isEmbedded = props["x-kubernetes-embedded-resource"] === true;
  const isFree = props["x-kubernetes-int-or-string"] === true || props["x-kubernetes-preserve-unknown-fields"] === true;
  const errors: FieldError[] = [];
  const mustBe = "must be object if x-kubernetes-embedded-resource is true";
  if (isEmbedded && type !== "object") {
    errors.push(type === "" ? required(at.child("type"), mustBe) : invalid(at.child("type"), type, mustBe));
  } else if (type === "" && !isFree) {
    errors.push(required(at.child("type"), emptyTypeTexts[level]));
  }
  if (isEmbedded && props.additionalProperties !== undefined) {
    errors.push(
      forbidden(at.child("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set"),
    );
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(at.child("type"), type, "must be object at the root"));
  }
  return errors;
}

/** Checks metadata. A schema can only restrict the names of the object. */
function metadata(props: JSONSchemaProps, level: Level, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === "root" || props["x-kubernetes-embedded-resource"] === true;
  const fields = props.properties ?? {};
  for (const name of ["kind", "apiVersion"]) {
    const type = fields[name]?.type ?? "";
    if (isResource && Object.hasOwn(fields, name) && type !== "string") {
      errors.push(invalid(at.child("properties").key(name).child("type"), type, "must be string"));
    }
  }
  const meta = Object.hasOwn(fields, "metadata") ? fields["metadata"] : undefined;
  if (!meta) return errors;
  const where = at.child("properties").key("metadata");
  if (isResource && meta.type !== "object") {
    errors.push(invalid(where.child("type"), meta.type ?? "", "must be object"));
  }
  if (level === "root" && !restrictsNamesOnly(meta)) {
    const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(where, why));
  }
  return errors;
}

function restrictsNamesOnly({ type: _type, default: _default, properties, ...rest }: JSONSchemaProps): boolean {
  const otherFields = Object.keys(properties ?? {}).filter((name) => name !== "name" && name !== "generateName");
  return otherFields.length === 0 && Object.keys(rest).length === 0;
}

function valueValidation(
  props: JSONSchemaProps,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
  level: Level,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipsAnyOf) {
    for (const [index, alternative] of (props.anyOf ?? []).entries()) {
      errors.push(...nested(alternative, false, level, at.child("anyOf").index(index)));
    }
  }
  for (const [index, alternative] of (props.allOf ?? []).entries()) {
    errors.push(...nested(alternative, skipsFirstAllOf && index === 0, level, at.child("allOf").index(index)));
  }
  for (const [index, alternative] of (props.oneOf ?? []).entries()) {
    errors.push(...nested(alternative, false, level, at.child("oneOf").index(index)));
  }
  if (props.not) errors.push(...nested(props.not, false, level, at.child("not")));
  return errors;
}

/** Compiles the patterns of a schema. Past the budget of the meter none can be compiled. */
function patternErrors(props: JSONSchemaProps, at: FieldPath, meter: WorkMeter): FieldError[] {
  const errors: FieldError[] = [];
  const { pattern, items, properties = {}, additionalProperties, not } = props;
  const compiled = pattern ? keptPattern(pattern, (units) => meter.tryCharge(units)) : undefined;
  if (compiled && "error" in compiled) {
    errors.push(
      invalid(at.child("pattern"), pattern, `must be a valid regular expression, but isn't: ${compiled.error}`),
    );
  }
  const walk = (value: unknown, where: FieldPath) => {
    const below = propsOf(value);
    if (below) errors.push(...patternErrors(below, where, meter));
  };
  walk(items, at.child("items"));
  walk(additionalProperties, at.child("additionalProperties"));
  walk(not, at.child("not"));
  for (const [name, property] of Object.entries(properties)) walk(property, at.child("properties").key(name));
  for (const name of ["anyOf", "allOf", "oneOf"] as const) {
    for (const [index, alternative] of (props[name] ?? []).entries()) walk(alternative, at.child(name).index(index));
  }
  return errors;
}

/** Keywords that are forbidden in allOf and the like, with their error messages. */
const forbiddenInside: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nested(props: JSONSchemaProps, skipsAnyOf: boolean, level: Level, at: FieldPath): FieldError[] {
  const errors = valueValidation(props, skipsAnyOf, false, level, at);
  const items = propsOf(props.items);
  if (items) errors.push(...nested(items, false, level, at.child("items")));
  for (const [name, property] of Object.entries(props.properties ?? {})) {
    errors.push(...nested(property, false, "field", at.child("properties").key(name)));
  }
  if (props.type) errors.push(forbidden(at.child("type"), "must be empty to be structural"));
  if (props.additionalProperties !== undefined && props.additionalProperties !== false) {
    errors.push(forbidden(at.child("additionalProperties"), "must be undefined to be structural"));
  }
  for (const [name, why] of forbiddenInside) {
    if (isSet(props[name])) errors.push(forbidden(at.child(name), why));
  }
  if (Object.hasOwn(props.properties ?? {}, "metadata")) {
    const where = at.child("properties").key("metadata");
    errors.push(forbidden(where, "must not be specified in a nested context"));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "" && value !== false;
}

const intOrString = [{ type: "integer" }, { type: "string" }];

/** Reports whether alternatives are equivalent to `x-kubernetes-int-or-string`. */
function isIntOrStringAnyOf(anyOf: JSONSchemaProps["anyOf"]): boolean {
  return equalJson(anyOf, intOrString);
}

function isIntOrStringAllOf(allOf: JSONSchemaProps["allOf"]): boolean {
  return isIntOrStringAnyOf(allOf?.[0]?.anyOf);
}
