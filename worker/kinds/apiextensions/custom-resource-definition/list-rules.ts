// Validates the schemas of lists that are sets or maps.
import type { JSONSchemaProps } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../../shared/k8s/field.ts";
import { isObject } from "../../../../shared/schema/json-values.ts";

const listTypes = ["atomic", "set", "map"];

/** Validates `x-kubernetes-list-type` and its keys. `atomicSets` requires that items of sets are atomic. */
export function validateListType(props: JSONSchemaProps, at: FieldPath, atomicSets: boolean): FieldError[] {
  const type = props["x-kubernetes-list-type"];
  const keys = props["x-kubernetes-list-map-keys"] ?? [];
  const where = at.child("x-kubernetes-list-type");
  const errors: FieldError[] = [];
  if (type !== undefined && props.type !== "array") {
    errors.push(mustBe(props.type, "array", "x-kubernetes-list-type", at));
  } else if (type === "set" && atomicSets) {
    errors.push(...setItems(itemsOf(props), at));
  }
  if (type !== undefined && !listTypes.includes(type)) errors.push(notSupportedInOrder(where, type, listTypes));
  if (keys.length > 0) {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (type === undefined) errors.push(required(where, why));
    else if (type !== "map") errors.push(invalid(where, type, why));
  }
  if (type === "map") errors.push(...mapItems(props, keys, at));
  return errors;
}

/** Returns the error for a `type` that an extension does not support. */
export function mustBe(type: string | undefined, requiredType: string, extension: string, at: FieldPath): FieldError {
  const why = `must be ${requiredType} if ${extension} is specified`;
  return type ? invalid(at.child("type"), type, why) : required(at.child("type"), why);
}

function itemsOf(props: JSONSchemaProps): JSONSchemaProps | undefined {
  return isObject(props.items) ? props.items : undefined;
}

function setItems(items: JSONSchemaProps | undefined, at: FieldPath): FieldError[] {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const type = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && (type ?? "atomic") !== "atomic") {
    return [invalid(at.child("items").child("x-kubernetes-list-type"), type, why)];
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(at.child("items").child("x-kubernetes-map-type"), type, why)];
  }
  return [];
}

function mapItems(props: JSONSchemaProps, keys: readonly string[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(props);
  const [where, below] = [at.child("x-kubernetes-list-map-keys"), at.child("items")];
  if (keys.length === 0) errors.push(required(where, "must not be empty if x-kubernetes-list-type is map"));
  if (props.items === undefined) {
    errors.push(required(below, "must have a schema if x-kubernetes-list-type is map"));
  } else if (!items) {
    errors.push(invalid(below, props.items, "must only have a single schema if x-kubernetes-list-type is map"));
  }
  if (items && items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(below.child("type"), items.type ?? "", why));
  }
  if (items?.type === "object") {
    for (const [index, key] of keys.entries()) {
      const field = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
      if (!field) {
        errors.push(invalid(where, keys, "entries must all be names of item properties"));
      } else if (field.type === "array" || field.type === "object") {
        const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalid(below.child("properties").key(key).child("type"), items.type, why));
      }
      if (keys.indexOf(key) < index) errors.push(invalid(where, keys, "must not contain duplicate entries"));
    }
  }
  return errors;
}

/** Requires that map keys are required fields, and that neither keys nor items are nullable. */
export function validateMapKeys(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  const type = props["x-kubernetes-list-type"];
  const items = itemsOf(props);
  if (!items || (type !== "set" && type !== "map")) return [];
  const errors: FieldError[] = [];
  const below = at.child("items");
  if (items.nullable) {
    errors.push(forbidden(below.child("nullable"), `cannot be nullable when x-kubernetes-list-type is ${type}`));
  }
  if (type === "set") return errors;
  const is = "this property is in x-kubernetes-list-map-keys, so it";
  for (const key of props["x-kubernetes-list-map-keys"] ?? []) {
    const field = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (!field) continue;
    const where = below.child("properties").key(key);
    if (!items.required?.includes(key) && (field.default ?? null) === null) {
      errors.push(required(where.child("default"), `${is} must have a default or be a required property`));
    }
    if (field.nullable) errors.push(forbidden(where.child("nullable"), `${is} cannot be nullable`));
  }
  return errors;
}
