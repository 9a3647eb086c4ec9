// The published OpenAPI schema of a custom resource (upstream: controller/openapi/builder and its v2 conversion). It has the fields that
// every object has. For version 2 it has no keywords that clients of that version do not understand.
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import { isObject } from "../json-values.ts";
import { fieldText } from "../openapi/field-texts.ts";
import { type Describe, refPrefix, type Schema } from "../openapi/schema.ts";

export interface PublishedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  /** The name of the object's schema: `com.example.v1.Widget`. */
  readonly type: string;
  readonly props: JSONSchemaProps | undefined;
  readonly selectableFields: readonly string[];
}

export type OpenApiVersion = "v2" | "v3";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Returns the schemas of the object and of its list. */
export function publishedSchemas(kind: PublishedKind, version: OpenApiVersion, describe: Describe) {
  const list = `${kind.type.slice(0, kind.type.lastIndexOf(".") + 1)}${kind.listKind}`;
  return { [kind.type]: objectSchema(kind, version, describe), [list]: listSchema(kind, version, describe) };
}

/** Kubernetes' types that these schemas refer to. */
export const publishedRoots: readonly string[] = [`${meta}.ObjectMeta`, `${meta}.ListMeta`];

function extensionsOf({ group, version, selectableFields }: PublishedKind, kind: string): Schema {
  const fields = selectableFields.map((fieldPath) => ({ fieldPath }));
  return {
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...(fields.length > 0 ? { "x-kubernetes-selectable-fields": fields } : {}),
  };
}

function objectSchema(kind: PublishedKind, version: OpenApiVersion, describe: Describe): Schema {
  const { props } = kind;
  const extensions = extensionsOf(kind, kind.kind);
  // If the schema declared fields, clients would report all others as unknown.
  if (!props || (version === "v2" && props["x-kubernetes-preserve-unknown-fields"]))
    return { type: "object", ...extensions };
  const schema = publish(props, version, describe);
  const metadata = referTo("ObjectMeta", version, textOf("ObjectMeta", describe));
  return {
    ...schema,
    properties: { ...typeFields(describe), ...schema.properties, ...typeFields(describe), metadata },
    ...extensions,
  };
}

function listSchema(kind: PublishedKind, version: OpenApiVersion, describe: Describe): Schema {
  const more = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
  const items = { $ref: prefixOf(version) + kind.type };
  return {
    description: `${kind.listKind} is a list of ${kind.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      ...typeFields(describe),
      items: { description: `List of ${kind.plural}. ${more}`, type: "array", items },
      metadata: referTo("ListMeta", version, textOf("ListMeta", describe)),
    },
    ...extensionsOf(kind, kind.listKind),
  };
}

function typeFields(describe: Describe): Record<string, Schema> {
  const field = (name: string): Schema => {
    const description = describe(`${meta}.TypeMeta`, name);
    return { ...(description ? { description } : {}), type: "string" };
  };
  return { apiVersion: field("apiVersion"), kind: field("kind") };
}

function textOf(type: "ObjectMeta" | "ListMeta", describe: Describe): string | undefined {
  return fieldText("", "metadata", `${meta}.${type}`, describe);
}

function prefixOf(version: OpenApiVersion): string {
  return version === "v2" ? "#/definitions/" : refPrefix;
}

/** Returns a reference. In version 3 a bare reference cannot have siblings. */
function referTo(type: string, version: OpenApiVersion, description: string | undefined): Schema {
  const $ref = `${prefixOf(version)}${meta}.${type}`;
  const text = description ? { description } : {};
  return version === "v2" ? { ...text, $ref } : { ...text, allOf: [{ $ref }] };
}

function publish(props: JSONSchemaProps, version: OpenApiVersion, describe: Describe): Schema {
  const inner = (childProps: JSONSchemaProps) => publish(childProps, version, describe);
  const { properties, items, additionalProperties, ...rest } = unfolded(props);
  const isOpen =
    version === "v2" && (props.nullable === true || props["x-kubernetes-preserve-unknown-fields"] === true);
  const keywords: JSONSchemaProps = version === "v2" ? understood(rest, properties, items, additionalProperties) : rest;
  const fields = isOpen ? undefined : properties;
  const entries = isObject(additionalProperties) ? inner(additionalProperties) : additionalProperties;
  const schema = {
    ...keywords,
    ...(fields
      ? { properties: Object.fromEntries(Object.entries(fields).map(([name, property]) => [name, inner(property)])) }
      : {}),
    ...(isObject(items) && !isOpen ? { items: inner(items) } : {}),
    ...(entries === undefined ? {} : { additionalProperties: entries }),
  };
  // The remaining keywords are those that upstream publishes in OpenAPI.
  return embedded(schema as Schema, props, version, describe);
}

/** Replaces int-or-string by alternatives, unless the schema has them. */
function unfolded(props: JSONSchemaProps): JSONSchemaProps {
  if (!props["x-kubernetes-int-or-string"]) return props;
  const either = [{ type: "integer" }, { type: "string" }];
  const isTold = (all: JSONSchemaProps["anyOf"]) =>
    all?.length === 2 && all[0]?.type === "integer" && all[1]?.type === "string";
  if (isTold(props.anyOf) || isTold(props.allOf?.[0]?.anyOf)) return props;
  return props.anyOf ? { ...props, allOf: [{ anyOf: either }, ...(props.allOf ?? [])] } : { ...props, anyOf: either };
}

/** Removes alternatives and defaults, and types of values that may be null or anything. */
function understood(
  props: JSONSchemaProps,
  fields: JSONSchemaProps["properties"],
  items: unknown,
  entries: unknown,
): JSONSchemaProps {
  const { allOf: _all, anyOf: _any, oneOf: _one, not: _not, default: _default, nullable, ...rest } = props;
  const keeps = rest["x-kubernetes-preserve-unknown-fields"] === true;
  const isLoose =
    nullable === true || (rest.type === "array" && (keeps || !isObject(items))) || (keeps && rest.type === "object");
  const mayBeNull = isObject(entries) && entries["nullable"] === true;
  const required = mayBeNull ? [] : (rest.required ?? []).filter((name) => fields?.[name]?.nullable !== true);
  const { type, required: _required, ...otherKeywords } = rest;
  return {
    ...otherKeywords,
    ...(type !== undefined && !isLoose ? { type } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function embedded(schema: Schema, props: JSONSchemaProps, version: OpenApiVersion, describe: Describe): Schema {
  const isOpen = version === "v2" && props["x-kubernetes-preserve-unknown-fields"] === true;
  if (!props["x-kubernetes-embedded-resource"] || isOpen) return schema;
  const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
  const required = [...(schema.required ?? [])];
  for (const name of ["kind", "apiVersion"]) if (!required.includes(name)) required.push(name);
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: {
        description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
        type: "string",
      },
      kind: {
        description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
        type: "string",
      },
      metadata: referTo("ObjectMeta", version, textOf("ObjectMeta", describe)),
    },
    required,
  };
}
