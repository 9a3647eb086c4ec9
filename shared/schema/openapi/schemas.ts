// Schemas of types, from the facts and descriptions, as upstream's OpenAPI v3 publishes them.
import type { FieldFacts } from "../type-facts.ts";
import { typeOf } from "../graph.ts";
import { allGroupVersions, enumValues, fieldsOf, type GroupVersion, isType, kindsOfType } from "./facts.ts";
import { fieldText } from "./field-texts.ts";
import { atomicTypes, scalars, specialSchemas, specialTypes, unions } from "./leaves.ts";
import { plainName } from "../facts/releases/scoped-types.ts";
import { type Describe, refPrefix, refTo, type Schema } from "./schema.ts";

/**
 * Returns the schemas of types and of everything that they refer to, by name. `versions` are those of the document, to which the options of
 * a deletion and the events of a watch belong. `qualify` returns the name of a type in the release; schemas and references have plain names.
 */
export function schemasOf(
  roots: readonly string[],
  describe: Describe,
  versions: readonly GroupVersion[] = allGroupVersions(),
  qualify: (type: string) => string = (type) => type,
): Record<string, Schema> {
  const schemas = new Map<string, Schema>();
  const pending = [...roots];
  for (let type = pending.pop(); type !== undefined; type = pending.pop()) {
    const name = qualify(type);
    if (schemas.has(type) || !hasSchema(name)) continue;
    const schema = schemaOf(name, describe, versions);
    schemas.set(type, schema);
    pending.push(...references(schema));
  }
  return Object.fromEntries([...schemas.entries()].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function hasSchema(type: string): boolean {
  return isType(type) || specialSchemas[type] !== undefined;
}

/** Returns the schema of one type, with references to others. */
export function schemaOf(
  scopedType: string,
  describe: Describe,
  versions: readonly GroupVersion[] = allGroupVersions(),
): Schema {
  const type = plainName(scopedType);
  const schema = specialOf(type, describe) ?? structOf(scopedType, describe);
  const kinds = groupVersionKinds(type, versions);
  if (atomicTypes.has(type)) schema["x-kubernetes-map-type"] = "atomic";
  if (kinds.length > 0) schema["x-kubernetes-group-version-kind"] = kinds;
  if (unions[type]) schema["x-kubernetes-unions"] = [unions[type]];
  return schema;
}

function specialOf(type: string, describe: Describe): Schema | undefined {
  const schema = specialSchemas[type];
  const description = describe(type, "");
  return schema && { ...schema, ...(description ? { description } : {}) };
}

function structOf(type: string, describe: Describe): Schema {
  const fields = fieldsOf(type);
  const properties: Record<string, Schema> = {};
  for (const { owner, field } of [...fields].sort((a, b) => (a.field.json < b.field.json ? -1 : 1))) {
    const reference = field.shape ? undefined : referenceOf(field.type);
    const plainOwner = plainName(owner);
    const text =
      describe(plainOwner, field.json) ??
      (reference && fieldText(plainOwner, field.json, plainName(reference), describe));
    properties[field.json] = propertyOf(owner, field, text);
  }
  const required = fields.filter(({ field }) => field.required).map(({ field }) => field.json);
  const description = describe(plainName(type), "");
  return {
    ...(description ? { description } : {}),
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    ...(fields.length > 0 ? { properties } : {}),
  };
}

function propertyOf(owner: string, field: FieldFacts, description: string | undefined): Schema {
  const values = enumOf(field);
  const text = values && !field.shape ? withValues(description, values) : description;
  return unwrapped({
    ...(text ? { description: text } : {}),
    ...shaped(owner, field),
    ...(field.listMapKeys ? { "x-kubernetes-list-map-keys": field.listMapKeys } : {}),
    ...(field.listType ? { "x-kubernetes-list-type": field.listType } : {}),
    ...mapType(field),
    ...(field.patchMergeKey ? { "x-kubernetes-patch-merge-key": field.patchMergeKey } : {}),
    ...(field.patchStrategy ? { "x-kubernetes-patch-strategy": field.patchStrategy } : {}),
  });
}

/** Returns the schema of a field's value. `allOf` wraps a reference, since a bare reference cannot have siblings. */
function shaped(owner: string, field: FieldFacts): Schema {
  if (typeof field.type === "object") {
    return { type: "object", additionalProperties: { type: "array", items: { type: "string", default: "" } } };
  }
  const type = field.type ?? "";
  if (field.shape === "list") return { type: "array", items: element(type) };
  if (field.shape === "map") return { type: "object", additionalProperties: element(type) };
  return valueOf(type, defaultOf(owner, field, type));
}

/** Returns the schema of an element. Elements of lists and maps are never absent, so they have their zero value as default. */
function element(type: string): Schema {
  return unwrapped(valueOf(type, isType(type) ? {} : scalarOf(type)?.zero));
}

function valueOf(type: string, fallback: unknown): Schema {
  const reference = referenceOf(type);
  const values = enumValues(type.replace(/^enum:/, ""));
  return {
    ...(reference ? { allOf: [refTo(plainName(reference))] } : scalarOf(type)?.schema),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(values ? { enum: values } : {}),
  };
}

/** Returns the type of a value, if it has a schema of its own. */
function referenceOf(type: FieldFacts["type"]): string | undefined {
  if (typeof type !== "string") return undefined;
  return specialTypes[type] ?? (isType(type) ? type : undefined);
}

/** Removes the `allOf` around a reference that has no siblings. */
function unwrapped(schema: Schema): Schema {
  return schema.allOf?.[0] && Object.keys(schema).length === 1 ? schema.allOf[0] : schema;
}

/**
 * Returns the declared default, or the zero value of a field that is never absent: a struct by value, or a scalar that Go always writes.
 */
function defaultOf(owner: string, field: FieldFacts, type: string): unknown {
  if (field.default !== undefined) return declaredDefault(field.default);
  if (field.ptr) return undefined;
  if (isType(type)) return {};
  return typeOf(owner)?.byJson.get(field.json ?? "")?.isKept ? scalarOf(type)?.zero : undefined;
}

function declaredDefault(text: string): unknown {
  // Two defaults are names of Go constants.
  const constants: Readonly<Record<string, string>> = {
    "ref(AzureDataDiskCachingReadWrite)": "ReadWrite",
    "ref(AzureSharedBlobDisk)": "Shared",
  };
  return constants[text] ?? JSON.parse(text);
}

function scalarOf(type: string) {
  return type.startsWith("enum:") ? scalars.string : scalars[type];
}

function mapType(field: FieldFacts): Schema {
  const type = field.mapType ?? field.structType;
  return type ? { "x-kubernetes-map-type": type } : {};
}

function enumOf(field: FieldFacts): readonly string[] | undefined {
  return typeof field.type === "string" && field.type.startsWith("enum:") ? enumValues(field.type.slice(5)) : undefined;
}

/** Appends the values to the text of an enum's field, as upstream does. */
function withValues(description: string | undefined, values: readonly string[]): string {
  const list = values.map((value) => ` - \`${JSON.stringify(value)}\``).join("\n");
  return `${description ? `${description}\n\n` : ""}Possible enum values:\n${list}`;
}

function groupVersionKinds(type: string, versions: readonly GroupVersion[]) {
  const name = type.split(".").pop() ?? "";
  if (type.startsWith("io.k8s.apimachinery.pkg.apis.meta.v1.")) {
    if (name === "DeleteOptions" || name === "WatchEvent") {
      return versions.map((groupVersion) => ({ ...groupVersion, kind: name }));
    }
    // These belong to the unnamed group, as upstream registers them.
    const unversioned = ["Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"];
    return unversioned.includes(name) ? [{ group: "", version: "v1", kind: name }] : [];
  }
  return kindsOfType(type);
}

/** Returns the types that a schema refers to. */
function references(schema: Schema): string[] {
  const inner = [
    ...(schema.allOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.additionalProperties ? [schema.additionalProperties] : []),
  ];
  const direct = schema.$ref ? [schema.$ref.slice(refPrefix.length)] : [];
  return [...direct, ...inner.flatMap(references)];
}
