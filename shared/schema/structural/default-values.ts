// Validates the defaults of a schema (upstream: schema/defaulting's ValidateDefaults).
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, invalid } from "../../k8s/field.ts";
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import { ApiError } from "../../k8s/status.ts";
import { copyJson, equalJson, isObject, type JsonObject } from "../json-values.ts";
import { type SchemaNode, rootNode, schemaNode, typeFields } from "./node.ts";
import { coerceEmbedded, validateEmbedded } from "./object-meta.ts";
import { prune } from "./prune.ts";
import { validateValue } from "./validate.ts";

/** Checks a default by the validation rules of its place. */
export type RuleCheck = (node: SchemaNode, value: unknown, isRoot: boolean, at: FieldPath) => FieldError[];

export function validateDefaults(
  props: JSONSchemaProps,
  at: FieldPath,
  mustBePruned: boolean,
  rules: RuleCheck,
  meter: WorkMeter,
) {
  const root = rootNode(schemaNode(props));
  return check({ root, surround: wholeObject, inMeta: false, mustBePruned, rules, meter }, root, at);
}

/** Removes fields from defaults that the metadata of embedded resources does not have. Changes the schema; leaves invalid defaults. */
export function coerceDefaults(props: JSONSchemaProps): void {
  const node = schemaNode(props);
  const { default: value } = props;
  if (isObject(value)) {
    const coerced = copyJson(value);
    if (isCoercible(coerced, node)) props.default = coerced;
  }
  if (isObject(props.items)) coerceDefaults(props.items);
  for (const [name, below] of Object.entries(props.properties ?? {})) {
    // Defaults inside metadata are checked in a copy.
    if (!node.isEmbedded || !typeFields.has(name)) coerceDefaults(below);
  }
}

function isCoercible(value: unknown, node: SchemaNode): boolean {
  try {
    return coerceEmbedded(value, node).length > 0;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

interface Place {
  /** The object or embedded resource that contains this place. */
  readonly root: SchemaNode;
  /** Returns the object with a value at this place, for defaults of metadata. */
  surround(value: unknown): unknown;
  readonly inMeta: boolean;
  readonly mustBePruned: boolean;
  readonly rules: RuleCheck;
  readonly meter: WorkMeter;
}

const typeMeta = { apiVersion: "validation/v1", kind: "Validation" };

function wholeObject(value: unknown): unknown {
  return isObject(value) ? { ...typeMeta, ...value } : value;
}

function check(place: Place, node: SchemaNode, at: FieldPath): FieldError[] {
  const isRoot = node === place.root;
  const here = node.isEmbedded && !isRoot ? { ...place, root: node, surround: wholeObject, inMeta: false } : place;
  const errors = checkDefault(here, node, at.child("default"));
  const items = node.items();
  if (items) {
    errors.push(...check({ ...here, surround: (value) => here.surround([value]) }, items, at.child("items")));
  }
  for (const name of Object.keys(node.props.properties ?? {})) {
    const below = node.property(name);
    if (!below) continue;
    const inMeta = here.inMeta || (node.isEmbedded && typeFields.has(name));
    const inner = { ...here, inMeta, surround: (value: unknown) => here.surround({ [name]: value }) };
    errors.push(...check(inner, below, at.child("properties").key(name)));
  }
  return errors;
}

function checkDefault(place: Place, node: SchemaNode, at: FieldPath): FieldError[] {
  const value = node.props.default;
  if (value === undefined || value === null) return [];
  const unknown = place.inMeta || !place.mustBePruned ? [] : checkPruned(node, value, at);
  return [
    ...unknown,
    ...firstWrong([
      () => (place.inMeta ? checkMeta(place, value, at) : checkEmbedded(node, value, at)),
      () => validateValue(schemaNode(node.props, true), value, place.meter, undefined, at),
      () => place.rules(node, value, node === place.root, at),
    ]),
  ];
}

/** Runs checks until one fails, because each depends on those before it. */
function firstWrong(checks: readonly (() => FieldError[])[]): FieldError[] {
  for (const runCheck of checks) {
    const errors = runCheck();
    if (errors.length > 0) return errors;
  }
  return [];
}

/** Checks a default of metadata in an object that contains it. */
function checkMeta({ root, surround }: Place, value: unknown, at: FieldPath): FieldError[] {
  const object = surround(copyJson(value)) as JsonObject;
  const why = (text: string) => [invalid(at, value, `must result in valid metadata: ${text}`)];
  try {
    coerceEmbedded(object, root, true);
  } catch (error) {
    if (error instanceof ApiError) return why(error.message);
    throw error;
  }
  const wrong = validateEmbedded(object, root, true).map(({ field, message }) => `${field}: ${message}`);
  return wrong.length === 0 ? [] : why(wrong.length === 1 ? (wrong[0] ?? "") : `[${wrong.join(", ")}]`);
}

function checkPruned(node: SchemaNode, value: unknown, at: FieldPath): FieldError[] {
  const pruned = copyJson(value);
  prune(pruned, node, node.isEmbedded);
  return equalJson(pruned, value) ? [] : [invalid(at, value, "must not have unknown fields")];
}

function checkEmbedded(node: SchemaNode, value: unknown, at: FieldPath): FieldError[] {
  try {
    coerceEmbedded(copyJson(value), node);
  } catch (error) {
    if (error instanceof ApiError) return [invalid(at, value, error.message)];
    throw error;
  }
  return validateEmbedded(value, node, false, at);
}
