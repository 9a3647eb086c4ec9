// Builds the OpenAPI v2 document of all kinds from the v3 parts, for validation and explain in older clients.
import { v2Leaves } from "../../../shared/schema/openapi/leaves.ts";
import { schemasOf } from "../../../shared/schema/openapi/schemas.ts";
import { type Describe, refPrefix, type Schema } from "../../../shared/schema/openapi/schema.ts";
import type { Kind } from "../../kinds/kind.ts";
import { groupsOf } from "../discovery/groups.ts";
import { groupVersionPaths, isOperation, publishedOf, securitySchemes, typesOf } from "./document.ts";
import type { Content, Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";
import type { PathItem } from "./path-item.ts";
import { plainPaths } from "./plain-paths.ts";
import type { OpenApiInfo, OpenApiRelease } from "./release.ts";

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

/** The document in parts. Operations are not yet merged with their path's parameters. */
export interface V2Document {
  readonly info: OpenApiInfo;
  readonly paths: Readonly<Record<string, V2PathItem>>;
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly security: typeof securitySchemes;
}

const definitionPrefix = "#/definitions/";

export function v2Document(kinds: readonly Kind[], describe: Describe, release: OpenApiRelease): V2Document {
  const versions = groupsOf(kinds).flatMap((group) => group.versions.map((groupVersion) => groupVersion.kinds));
  const pathGroups = [...plainPaths(kinds).values(), ...versions.map(groupVersionPaths)];
  const paths: Record<string, PathItem> = Object.fromEntries(
    pathGroups.flatMap((group) => Object.entries(group)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const { info, groupVersions, qualify } = release;
  const schemas = Object.entries(schemasOf(typesOf(paths, kinds), describe, groupVersions, qualify));
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

/** Encodes the document as JSON. */
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

/** Converts a schema. In version 2 a reference may have siblings, and there are no defaults and no `oneOf`. */
function v2Schema({ allOf, oneOf, default: _, properties, items, additionalProperties, ...rest }: Schema): Schema {
  const $ref = rest.$ref ?? allOf?.[0]?.$ref;
  return {
    ...rest,
    ...($ref ? { $ref: definitionPrefix + $ref.slice(refPrefix.length) } : {}),
    ...(oneOf ? { type: "string" } : {}),
    ...(items ? { items: v2Schema(items) } : {}),
    ...(additionalProperties ? { additionalProperties: v2Schema(additionalProperties) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, v2Schema(property)]),
          ),
        }
      : {}),
  };
}

function v2Path({ parameters, ...methods }: PathItem): V2PathItem {
  const operations = Object.entries(methods).flatMap(([method, operation]): [string, V2Operation][] =>
    isOperation(operation) ? [[method, v2Operation(operation)]] : [],
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
  // An operation without a kind, or with a kind without a Go type, consumes the types that it produces.
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

/** The order of upstream's services, which is not alphabetical. */
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
