// Parts of JSON Schema that a custom resource's schema cannot have at all: it is not even read as structural then.
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { isObject } from "../json-values.ts";

/** Upstream's error of NewStructural; undefined where a schema can be read. */
export function unreadable(props: JSONSchemaProps): string | undefined {
  const own = unsupported(props);
  if (own) return own;
  for (const one of besides(props)) {
    const found = unreadable(one);
    if (found) return found;
  }
  if (props["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(props.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const one of below(props)) {
    const found = unreadable(one);
    if (found) return found;
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

/** Whether a condition holds of a schema or of anything in it. */
export function someSchema(props: JSONSchemaProps | undefined, holds: (one: JSONSchemaProps) => boolean): boolean {
  if (!props) return false;
  if (holds(props)) return true;
  const others = [
    ...(Array.isArray(props.items) ? (props.items as JSONSchemaProps[]) : []),
    ...Object.values(props.patternProperties ?? {}),
    ...Object.values(props.definitions ?? {}),
    ...Object.values(props.dependencies ?? {}).filter(isObject),
    ...(isObject(props.additionalItems) ? [props.additionalItems] : []),
  ];
  return [...besides(props), ...below(props), ...others].some((one) => someSchema(one, holds));
}
