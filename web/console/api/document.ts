// Reads the OpenAPI document for the API page: its operations, and its schemas as lines of fields.

import { texts as all } from "../../messages/api.ts";

const texts = all.document;

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The first path segment: `sandboxes` for `/v1/sandboxes/{id}`. */
  readonly group: string;
  readonly scope: string | undefined;
  /** The description of the clients that may call it. */
  readonly who: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly answers: readonly Answer[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly schema: Schema | undefined;
}

/** The fields of a JSON Schema that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

interface Content {
  readonly [type: string]: { readonly schema?: Schema };
}

interface WrittenOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly "x-scope"?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly (Omit<Parameter, "description"> & { readonly description?: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => operationOf(path, method, written)),
  );
}

function operationOf(path: string, method: string, written: WrittenOperation): Operation {
  const { operationId: id, summary, security, parameters, requestBody, responses } = written;
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    group: /^\/v1\/([a-z-]+)/.exec(path)?.[1] ?? texts.serviceName,
    scope: written["x-scope"],
    who: whoOf(security),
    parameters: parameters.map((parameter) => ({ ...parameter, description: parameter.description ?? "" })),
    body: requestBody?.content["application/json"]?.schema,
    answers: Object.entries(responses).map(([status, { description, content = {} }]) => ({
      status,
      description,
      types: Object.keys(content),
      schema: content["application/json"]?.schema,
    })),
  };
}

function whoOf(security: WrittenOperation["security"]): string {
  if (security.length === 0) return texts.accessPublic;
  const all = security.flatMap((requirement) => Object.keys(requirement));
  if (all.includes("operator")) return texts.accessOperator;
  return all.includes("key") ? texts.accessKeyOrUser : texts.accessUser;
}

export interface FieldLine {
  /** The path of the field: `spec.nodes[].name`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** The maximum depth of nested fields, because a schema may contain itself. */
const deepest = 5;

export function fieldsOf(document: ApiDocument, schema: Schema, path = "", depth = 0): FieldLine[] {
  const resolvedSchema = resolved(document, schema);
  if (depth > deepest) return [];
  const of = resolvedSchema.items ? resolved(document, resolvedSchema.items) : undefined;
  if (of) return fieldsOf(document, of, `${path}[]`, depth + 1);
  const variants = [...(resolvedSchema.anyOf ?? []), ...(resolvedSchema.oneOf ?? []), ...(resolvedSchema.allOf ?? [])];
  const ownFields = Object.entries(resolvedSchema.properties ?? {}).flatMap(([name, propertySchema]) => {
    const property = resolved(document, propertySchema);
    const at = path === "" ? name : `${path}.${name}`;
    const required = resolvedSchema.required?.includes(name) ?? false;
    const description = propertySchema.description ?? property.description ?? "";
    return [
      { path: at, type: typeText(document, property), required, description },
      ...fieldsOf(document, property, at, depth + 1),
    ];
  });
  const seenPaths = new Set(ownFields.map((field) => field.path));
  return [
    ...ownFields,
    ...variants
      .flatMap((variant) => fieldsOf(document, variant, path, depth + 1))
      .filter((field) => isNew(seenPaths, field)),
  ];
}

function isNew(seenPaths: Set<string>, { path }: FieldLine): boolean {
  if (seenPaths.has(path)) return false;
  seenPaths.add(path);
  return true;
}

/** Formats the type of a schema: `integer, 1 to 100`, `one of "a", "b"`, `list of strings`. */
export function typeText(document: ApiDocument, unresolved: Schema): string {
  const schema = resolved(document, unresolved);
  const { type, items, minimum, maximum, maxLength, maxItems } = schema;
  if (schema.enum) return texts.oneOf(schema.enum.map((value) => JSON.stringify(value)).join(", "));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map((variant) => typeText(document, variant)))].join(" or ");
  const named = items ? texts.listOf(typeText(document, items)) : [type ?? "anything"].flat().join(" or ");
  const bounds = [
    minimum !== undefined && Math.abs(minimum) < Number.MAX_SAFE_INTEGER ? `from ${minimum}` : "",
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `to ${maximum}` : "",
    maxLength === undefined ? "" : texts.atMostCharacters(maxLength),
    maxItems === undefined ? "" : texts.atMost(maxItems),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  return [named, ...bounds].join(", ");
}

function resolved({ components }: ApiDocument, schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(schema.$ref ?? "")?.[1];
  return name === undefined ? schema : (components.schemas[name] ?? {});
}
