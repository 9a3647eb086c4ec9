// The OpenAPI v2 document of all kinds, made from the v3 parts: older clients validate and explain with it.
import { v2Leaves } from "../../../shared/schema/openapi/leaves.ts";
import { schemasOf } from "../../../shared/schema/openapi/schemas.ts";
import { type Describe, refPrefix, type Schema } from "../../../shared/schema/openapi/schema.ts";
import type { Kind } from "../../kinds/kind.ts";
import { groupsOf } from "../discovery/groups.ts";
import { groupVersionPaths, info, isOperation, publishedOf, securitySchemes, typesOf } from "./document.ts";
import type { Content, Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";
import type { PathItem } from "./path-item.ts";
import { plainPaths } from "./plain-paths.ts";

export interface V2Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "body";
  readonly description?: string;
  readonly required?: true;
  readonly type?: string;
  readonly uniqueItems?: true;
  readonly schema?: Schema;
}

export interface V2Operation {
  readonly consumes: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly V2Parameter[];
  readonly produces: readonly string[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: Schema }>>;
  readonly schemes: readonly string[];
  readonly tags: readonly string[];
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: unknown;
}

export interface V2PathItem {
  readonly parameters?: readonly V2Parameter[];
  readonly operations: Readonly<Record<string, V2Operation>>;
}

/** The document in parts; operations are not yet mixed with a path's parameters. */
export interface V2Document {
  readonly info: typeof info;
  readonly paths: Readonly<Record<string, V2PathItem>>;
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly security: typeof securitySchemes;
}

const definitionPrefix = "#/definitions/";

export function v2Document(kinds: readonly Kind[], describe: Describe): V2Document {
  const versions = groupsOf(kinds).flatMap((group) => group.versions.map((one) => one.kinds));
  const parts = [...plainPaths(kinds).values(), ...versions.map(groupVersionPaths)];
  const paths: Record<string, PathItem> = Object.fromEntries(
    parts.flatMap((one) => Object.entries(one)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const schemas = Object.entries(schemasOf(typesOf(paths, kinds), describe));
  return {
    info,
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, v2Path(item)])),
    definitions: {
      ...Object.fromEntries(schemas.map(([type, schema]) => [type, { ...v2Schema(schema), ...v2Leaves[type] }])),
      ...publishedOf(kinds, "v2", describe),
    },
    security: securitySchemes,
  };
}

/** The document as JSON. */
export function v2Json(document: V2Document): string {
  const paths = Object.entries(document.paths).map(([path, { operations, parameters }]): [string, unknown] => [
    path,
    { ...operations, ...(parameters ? { parameters } : {}) },
  ]);
  return JSON.stringify({
    swagger: "2.0",
    info: document.info,
    paths: Object.fromEntries(paths),
    definitions: document.definitions,
    securityDefinitions: document.security,
    security: [{ BearerToken: [] }],
  });
}

/** A reference may have siblings here, and there are neither defaults nor `oneOf`. */
function v2Schema({ allOf, oneOf, default: _, properties, items, additionalProperties, ...rest }: Schema): Schema {
  const $ref = rest.$ref ?? allOf?.[0]?.$ref;
  return {
    ...rest,
    ...($ref ? { $ref: definitionPrefix + $ref.slice(refPrefix.length) } : {}),
    ...(oneOf ? { type: "string" } : {}),
    ...(items ? { items: v2Schema(items) } : {}),
    ...(additionalProperties ? { additionalProperties: v2Schema(additionalProperties) } : {}),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, v2Schema(one)])) }
      : {}),
  };
}

function v2Path({ parameters, ...methods }: PathItem): V2PathItem {
  const operations = Object.entries(methods).flatMap(([method, one]): [string, V2Operation][] =>
    isOperation(one) ? [[method, v2Operation(one)]] : [],
  );
  return {
    operations: Object.fromEntries(operations),
    ...(parameters ? { parameters: parameters.map(v2Parameter) } : {}),
  };
}

function v2Operation({ requestBody, responses, parameters = [], ...rest }: Operation): V2Operation {
  const body = bodyParameter(requestBody);
  const all = [...(body ? [body] : []), ...parameters.map(v2Parameter)];
  const produces = mediaTypesOf(responses["200"]?.content ?? { "*/*": {} });
  // What is about no kind, or one without a type, is described as taking what it answers.
  const isPlain =
    rest["x-kubernetes-group-version-kind"] === undefined || !produces.some((type) => type.includes("protobuf"));
  return {
    ...rest,
    consumes: requestBody ? mediaTypesOf(requestBody.content) : isPlain ? produces : ["*/*"],
    produces,
    schemes: ["https"],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, content }]) => {
        const schema = schemaOfContent(content);
        return [code, { description, ...(schema ? { schema } : {}) }];
      }),
    ),
  };
}

/** As upstream's services name them, which is not the order of the alphabet. */
const mediaTypeOrder = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "text/plain",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];

function mediaTypesOf(content: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(content).sort((a, b) => mediaTypeOrder.indexOf(a) - mediaTypeOrder.indexOf(b));
}

function bodyParameter(body: Operation["requestBody"]): V2Parameter | undefined {
  const schema = schemaOfContent(body?.content);
  return schema && { in: "body", name: "body", ...(body?.required ? { required: true } : {}), schema };
}

function schemaOfContent(content: Content | undefined): Schema | undefined {
  const [first] = Object.values(content ?? {});
  return first && v2Schema(first.schema);
}

function v2Parameter({ schema, ...rest }: Parameter): V2Parameter {
  return { ...rest, ...(schema.type ? { type: schema.type } : {}), uniqueItems: true };
}
