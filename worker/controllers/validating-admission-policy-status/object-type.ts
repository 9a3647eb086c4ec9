// Returns the CEL types of objects: built-in kinds from the published schemas, custom ones from their definition.
import { escapeName } from "../../../shared/cel/escape.ts";
import { declaredType, scalarType } from "../../../shared/cel/schema-types.ts";
import type { Schema as DeclaredSchema } from "../../../shared/cel/schema.ts";
import { type CelType, dynType, listType, mapType, stringType, structType } from "../../../shared/cel/types.ts";
import { type Schema, refPrefix } from "../../../shared/schema/openapi/schema.ts";
import { hasSchema, schemaOf } from "../../../shared/schema/openapi/schemas.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";

/** Returns the type of a kind; undefined if it has no schema. */
export function objectTypeOf(kind: Kind, client: Client): CelType | undefined {
  if (hasSchema(kind.type)) return typeOf(resolveType(kind.type), kind.kind, [kind.type]);
  const definition = client.get(customResourceDefinitions, "", kind.resource);
  const version = definition?.spec.versions.find(({ name }) => name === kind.version);
  const schema = version?.schema?.openAPIV3Schema;
  // Schemas of custom resources have the same form.
  return schema && declaredType(schema as DeclaredSchema, true, kind.kind)?.type;
}

function resolveType(type: string): Schema {
  return schemaOf(type, () => undefined, []);
}

/**
 * Returns the type of a schema; undefined if expressions cannot access it. `inside` are the enclosing types, which are not expanded again.
 */
function typeOf(schema: Schema, name: string, inside: readonly string[]): CelType | undefined {
  const reference = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice(refPrefix.length);
  if (reference !== undefined) {
    if (inside.includes(reference)) return structType(name, () => undefined);
    return typeOf(resolveType(reference), name, [...inside, reference]);
  }
  if (schema["x-kubernetes-int-or-string"] || schema.format === "int-or-string") return dynType;
  switch (schema.type) {
    case "array": {
      const items = schema.items && typeOf(schema.items, `${name}.@idx`, inside);
      return items && listType(items);
    }
    case "object": {
      const values = schema.additionalProperties && typeOf(schema.additionalProperties, `${name}.@elem`, inside);
      if (schema.additionalProperties) return values && mapType(stringType, values);
      return objectOf(schema, name, inside);
    }
    default:
      return scalarType(schema);
  }
}

/** Returns an object type whose fields are resolved when an expression uses them. */
function objectOf({ properties = {} }: Schema, name: string, inside: readonly string[]): CelType {
  const byName = new Map(Object.entries(properties).map(([field, schema]) => [escapeName(field), schema]));
  const fieldTypes = new Map<string, CelType | undefined>();
  return structType(name, (field) => {
    if (!fieldTypes.has(field)) {
      const schema = byName.get(field);
      fieldTypes.set(field, schema && typeOf(schema, `${name}.${field}`, inside));
    }
    return fieldTypes.get(field);
  });
}
