// The types of objects as expressions know them: of built-in kinds from the published schemas, of custom ones from their definition.
import { escapeName } from "../../../shared/cel/escape.ts";
import { declaredType, scalarType } from "../../../shared/cel/schema-types.ts";
import type { Schema as DeclaredSchema } from "../../../shared/cel/schema.ts";
import { type CelType, dynType, listType, mapType, stringType, structType } from "../../../shared/cel/types.ts";
import { type Schema, refPrefix } from "../../../shared/schema/openapi/schema.ts";
import { hasSchema, schemaOf } from "../../../shared/schema/openapi/schemas.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";

/** Undefined where no schema tells. */
export function objectTypeOf(kind: Kind, client: Client): CelType | undefined {
  if (hasSchema(kind.type)) return typeOf(resolved(kind.type), kind.kind, [kind.type]);
  const definition = client.get(customResourceDefinitions, "", kind.resource);
  const version = definition?.spec.versions.find(({ name }) => name === kind.version);
  const schema = version?.schema?.openAPIV3Schema;
  // What is said of a custom resource is in the same words.
  return schema && declaredType(schema as DeclaredSchema, true, kind.kind)?.type;
}

function resolved(type: string): Schema {
  return schemaOf(type, () => undefined, []);
}

/** Undefined for what expressions cannot see. `inside` are the types that this stands in: in itself a type is not looked into. */
function typeOf(given: Schema, name: string, inside: readonly string[]): CelType | undefined {
  const reference = (given.$ref ?? given.allOf?.[0]?.$ref)?.slice(refPrefix.length);
  if (reference !== undefined) {
    if (inside.includes(reference)) return structType(name, () => undefined);
    return typeOf(resolved(reference), name, [...inside, reference]);
  }
  if (given["x-kubernetes-int-or-string"] || given.format === "int-or-string") return dynType;
  switch (given.type) {
    case "array": {
      const items = given.items && typeOf(given.items, `${name}.@idx`, inside);
      return items && listType(items);
    }
    case "object": {
      const values = given.additionalProperties && typeOf(given.additionalProperties, `${name}.@elem`, inside);
      if (given.additionalProperties) return values && mapType(stringType, values);
      return objectOf(given, name, inside);
    }
    default:
      return scalarType(given);
  }
}

/** Fields are looked at when an expression names them. */
function objectOf({ properties = {} }: Schema, name: string, inside: readonly string[]): CelType {
  const byName = new Map(Object.entries(properties).map(([field, schema]) => [escapeName(field), schema]));
  const known = new Map<string, CelType | undefined>();
  return structType(name, (field) => {
    if (!known.has(field)) {
      const schema = byName.get(field);
      known.set(field, schema && typeOf(schema, `${name}.${field}`, inside));
    }
    return known.get(field);
  });
}
