// JSON Schema keywords that a custom resource's schema cannot have at all: such a schema cannot be read as structural.
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { isObject } from "../json-values.ts";

/** Returns upstream's error of NewStructural; undefined if the schema can be read. */
export function unreadable(props: JSONSchemaProps): string | undefined {
  const unsupportedKeyword = unsupported(props);
  if (unsupportedKeyword) return unsupportedKeyword;
  for (const sibling of besides(props)) {
    const error = unreadable(sibling);
    if (error) return error;
  }
  if (props["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(props.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of below(props)) {
    const error = unreadable(child);
    if (error) return error;
  }
  return undefined;
}

function unsupported(props: JSONSchemaProps): string | undefined {
  const set = (["id", "$schema", "$ref"] as const).find((name) => props[name]);
  const holding = (["patternProperties", "dependencies"] as const).find(
    (name) => Object.keys(props[name] ?? {}).length > 0,
  );
  const additional = props.additionalItems === undefined ? undefined : "additionalItems";
  const definitions = Object.keys(props.definitions ?? {}).length > 0 ? "definitions" : undefined;
  const name = set ?? holding ?? additional ?? definitions;
  return name && `OpenAPIV3Schema '${name === "$schema" ? "schema" : name}' is not supported`;
}

function besides({ not, allOf = [], anyOf = [], oneOf = [] }: JSONSchemaProps): readonly JSONSchemaProps[] {
  return [...(not ? [not] : []), ...allOf, ...anyOf, ...oneOf];
}

function below({ items, properties = {}, additionalProperties }: JSONSchemaProps): readonly JSONSchemaProps[] {
  return [
    ...(isObject(items) ? [items] : []),
    ...Object.values(properties),
    ...(isObject(additionalProperties) ? [additionalProperties] : []),
  ];
}

/** Reports whether a condition is true for a schema or for any schema in it. */
export function someSchema(props: JSONSchemaProps | undefined, holds: (schema: JSONSchemaProps) => boolean): boolean {
  if (!props) return false;
  if (holds(props)) return true;
  const furtherSchemas = [
    ...(Array.isArray(props.items) ? (props.items as JSONSchemaProps[]) : []),
    ...Object.values(props.patternProperties ?? {}),
    ...Object.values(props.definitions ?? {}),
    ...Object.values(props.dependencies ?? {}).filter(isObject),
    ...(isObject(props.additionalItems) ? [props.additionalItems] : []),
  ];
  return [...besides(props), ...below(props), ...furtherSchemas].some((schema) => someSchema(schema, holds));
}
