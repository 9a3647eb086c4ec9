// Validates the supported part of OpenAPI v3 at each position: forbidden fields, and the requirements of extensions.
import type { JSONSchemaProps } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupportedInOrder,
} from "../../../../shared/k8s/field.ts";
import { isObject } from "../../../../shared/schema/json-values.ts";
import { typeFields } from "../../../../shared/schema/structural/node.ts";
import { mustBe, validateListType, validateMapKeys } from "./list-rules.ts";
import { validateRules } from "./rule-checks.ts";
import type { RuleContext } from "./rule-context.ts";
import { schemaTypes, type Strictness } from "./strictness.ts";

export interface OpenApiRules extends Strictness {
  /** Whether a single rule above its cost limit is an error. */
  readonly reportsRulesAboveLimit: boolean;
}

export function validateOpenApi(
  props: JSONSchemaProps,
  rules: OpenApiRules,
  context: RuleContext | undefined,
  at: FieldPath,
): FieldError[] {
  const collected: CollectedErrors = { schema: [], rules: [] };
  walk(props, { rules, isRoot: true }, context, at, collected);
  return [...collected.schema, ...collected.rules];
}

/** The errors. Those of rules come after all others. */
interface CollectedErrors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

interface Place {
  readonly rules: OpenApiRules;
  readonly isRoot: boolean;
  /** The reason why no default is allowed here. */
  readonly noDefault?: string;
  readonly inMeta?: boolean;
  /** The nearest ancestor at which old and new values cannot be correlated. */
  readonly uncorrelated?: FieldPath;
}

function walk(
  props: JSONSchemaProps,
  place: Place,
  context: RuleContext | undefined,
  at: FieldPath,
  into: CollectedErrors,
): void {
  const collected: CollectedErrors = { schema: [], rules: [] };
  collected.schema.push(...forbiddenParts(props, place, at));
  const inner = { ...place, isRoot: false };
  walkBelow(props, place, context, at, collected);
  for (const [name, all] of Object.entries({ allOf: props.allOf, oneOf: props.oneOf, anyOf: props.anyOf })) {
    for (const [index, subschema] of (all ?? []).entries())
      walk(subschema, inner, undefined, at.child(name).index(index), collected);
  }
  if (props.not) walk(props.not, inner, undefined, at.child("not"), collected);
  for (const [name, definition] of Object.entries(props.definitions ?? {})) {
    walk(definition, inner, undefined, at.child("definitions").key(name), collected);
  }
  collected.schema.push(...extensionErrors(props, place.rules, at));
  const wrongRules = validateRules(props, {
    at,
    reportsRulesAboveLimit: place.rules.reportsRulesAboveLimit,
    // Rules of an invalid schema cannot be compiled.
    context: collected.schema.length === 0 ? context : undefined,
    uncorrelated: place.uncorrelated,
  });
  into.schema.push(...collected.schema, ...wrongRules.schema);
  into.rules.push(...collected.rules, ...wrongRules.rules);
}

function walkBelow(
  props: JSONSchemaProps,
  place: Place,
  context: RuleContext | undefined,
  at: FieldPath,
  into: CollectedErrors,
) {
  const inner = { ...place, isRoot: false };
  const additional = isObject(props.additionalProperties) ? (props.additionalProperties as JSONSchemaProps) : undefined;
  if (additional) {
    const noDefault = "inside additionalProperties applying to object metadata";
    const below = place.inMeta ? { ...inner, noDefault } : inner;
    walk(additional, below, context?.child(additional), at.child("additionalProperties"), into);
  }
  for (const [name, property] of Object.entries(props.properties ?? {})) {
    const isMeta = (place.isRoot || props["x-kubernetes-embedded-resource"] === true) && typeFields.has(name);
    const below: Place = {
      ...inner,
      ...(isMeta ? { inMeta: true } : {}),
      ...(isMeta && place.isRoot ? { noDefault: `in top-level ${name}` } : {}),
    };
    walk(property, below, context?.child(property), at.child("properties").key(name), into);
  }
  const isMap = props["x-kubernetes-list-type"] === "map";
  const below = isMap || place.uncorrelated ? inner : { ...inner, uncorrelated: at };
  if (isObject(props.items)) walk(props.items, below, context?.child(props.items), at.child("items"), into);
  if (!Array.isArray(props.items)) return;
  for (const [index, itemSchema] of (props.items as JSONSchemaProps[]).entries()) {
    walk(itemSchema, below, context?.child(itemSchema), at.child("items").index(index), into);
  }
}

const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function forbiddenParts(props: JSONSchemaProps, place: Place, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "" } = props;
  if (place.rules.validTypes && type !== "" && !schemaTypes.includes(type)) {
    errors.push(notSupportedInOrder(at.child("type"), type, schemaTypes));
  }
  if ((props.default ?? null) !== null && place.noDefault !== undefined) {
    errors.push(forbidden(at.child("default"), `must not be set ${place.noDefault}`));
  }
  for (const name of unsupported) {
    const value = props[name];
    const isThere = isObject(value) ? Object.keys(value).length > 0 : value !== undefined && value !== "";
    if (isThere) errors.push(forbidden(at.child(name), `${name} is not supported`));
  }
  if (type === "null") {
    errors.push(forbidden(at.child("type"), "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(props.items) && props.items.length > 0) {
    errors.push(forbidden(at.child("items"), "items must be a schema object and not an array"));
  }
  if (place.inMeta && props["x-kubernetes-embedded-resource"]) {
    errors.push(forbidden(at.child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta"));
  }
  if (props.uniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(at.child("uniqueItems"), why));
  }
  const hasFields = Object.keys(props.properties ?? {}).length > 0;
  if (hasFields && props.additionalProperties !== undefined && props.additionalProperties !== true) {
    const why = "additionalProperties and properties are mutual exclusive";
    errors.push(forbidden(at.child("additionalProperties"), why));
  }
  return errors;
}

const mapTypes = ["atomic", "granular"];

function extensionErrors(props: JSONSchemaProps, rules: OpenApiRules, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (props["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(at.child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"));
  }
  const mapType = props["x-kubernetes-map-type"];
  if (mapType !== undefined && props.type !== "object") {
    errors.push(mustBe(props.type, "object", "x-kubernetes-map-type", at));
  }
  if (mapType !== undefined && !mapTypes.includes(mapType)) {
    errors.push(notSupportedInOrder(at.child("x-kubernetes-map-type"), mapType, mapTypes));
  }
  errors.push(...validateListType(props, at, rules.atomicSets));
  if (rules.mapKeys) errors.push(...validateMapKeys(props, at));
  return errors;
}
