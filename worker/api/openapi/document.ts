// Builds the OpenAPI v3 document of a group version.
import type { GroupVersion } from "../../../shared/schema/openapi/facts.ts";
import { schemasOf } from "../../../shared/schema/openapi/schemas.ts";
import type { Describe, Schema } from "../../../shared/schema/openapi/schema.ts";
import { type OpenApiVersion, publishedRoots } from "../../../shared/schema/structural/openapi.ts";
import type { Kind } from "../../kinds/kind.ts";
import { namesOf, rootPath } from "./context.ts";
import { type Content, metaType, type Operation, operation } from "./operations.ts";
import type { PathItem } from "./path-item.ts";
import type { OpenApiInfo, OpenApiRelease } from "./release.ts";
import { pathsOf } from "./paths.ts";

export interface OpenApiDocument {
  readonly openapi: "3.0.0";
  readonly info: OpenApiInfo;
  readonly paths: Record<string, PathItem>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly securitySchemes?: Record<string, unknown>;
  };
}

/** The info of documents of CustomResourceDefinitions. */
const customInfo = { title: "Kubernetes CRD Swagger", version: "v0.1.0" } as const;
export const securitySchemes = {
  BearerToken: { description: "Bearer Token authentication", in: "header", name: "authorization", type: "apiKey" },
} as const;

/** Builds the document of the kinds of one group version. */
export function openApiDocument(kinds: readonly Kind[], describe: Describe, release: OpenApiRelease): OpenApiDocument {
  const versions = [{ group: "", version: "v1" }, ...kinds.slice(0, 1).filter((kind) => kind.group !== "")];
  return documentOf(groupVersionPaths(kinds), kinds, { describe, release, versions });
}

/** Builds the document of paths without a group version. */
export function plainDocument(
  paths: Record<string, PathItem>,
  describe: Describe,
  release: OpenApiRelease,
): OpenApiDocument {
  return documentOf(paths, [], { describe, release, versions: [] });
}

interface DocumentOptions {
  readonly describe: Describe;
  readonly release: OpenApiRelease;
  readonly versions: readonly GroupVersion[];
}

function documentOf(
  paths: Record<string, PathItem>,
  kinds: readonly Kind[],
  { describe, release, versions }: DocumentOptions,
): OpenApiDocument {
  const groupVersions = versions.map(({ group, version }) => ({ group, version }));
  const added = publishedOf(kinds, "v3", describe);
  const schemas = {
    ...schemasOf(typesOf(paths, kinds), describe, release.optionVersions(groupVersions), release.qualify),
    ...added,
  };
  const { info } = release;
  if (kinds[0]?.custom) return { openapi: "3.0.0", info: customInfo, paths, components: { schemas } };
  return { openapi: "3.0.0", info, paths, components: { schemas, securitySchemes } };
}

/** Returns the schemas of custom kinds. */
export function publishedOf(
  kinds: readonly Kind[],
  version: OpenApiVersion,
  describe: Describe,
): Record<string, Schema> {
  return Object.assign({}, ...kinds.map(({ custom }) => custom?.openApi.schemas(version, describe) ?? {})) as Record<
    string,
    Schema
  >;
}

/** Returns the paths of a group version, sorted. */
export function groupVersionPaths(kinds: readonly Kind[]): Record<string, PathItem> {
  const paths = kinds.map(pathsOf);
  const [first] = kinds;
  if (first && !first.custom) {
    const { tag, prefix } = namesOf(first.group, first.version);
    const get = operation({
      description: "get available resources",
      operationId: `get${prefix}APIResources`,
      ...{ tag, answers: metaType("APIResourceList") },
    });
    paths.unshift({ [`${rootPath(first.group, first.version)}/`]: { get } });
  }
  return Object.fromEntries(
    paths.flatMap((pathItems) => Object.entries(pathItems)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns the types of operations and kinds. */
export function typesOf(paths: Record<string, PathItem>, kinds: readonly Kind[]): string[] {
  const types = new Set(kinds.map((kind) => kind.type));
  if (kinds.some(({ custom }) => custom)) for (const root of publishedRoots) types.add(root);
  const add = (content: Content | undefined) => {
    for (const { schema } of Object.values(content ?? {})) {
      if (schema.$ref) types.add(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
    }
  };
  for (const candidate of Object.values(paths).flatMap((item) => Object.values(item).filter(isOperation))) {
    add(candidate.requestBody?.content);
    for (const response of Object.values(candidate.responses)) add(response.content);
  }
  return [...types];
}

export function isOperation(value: PathItem[string]): value is Operation {
  return value !== undefined && !Array.isArray(value);
}
