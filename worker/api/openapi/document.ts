// The OpenAPI v3 document of one group version.
import { schemasOf } from "../../../shared/schema/openapi/schemas.ts";
import type { Describe, Schema } from "../../../shared/schema/openapi/schema.ts";
import type { Kind } from "../../kinds/kind.ts";
import { kubernetesVersion } from "../version.ts";
import { namesOf, rootPath } from "./context.ts";
import { type Content, metaType, type Operation, operation } from "./operations.ts";
import type { PathItem } from "./path-item.ts";
import { pathsOf } from "./paths.ts";

export interface OpenApiDocument {
  readonly openapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, PathItem>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly securitySchemes: Record<string, unknown>;
  };
}

export const info = { title: "Kubernetes", version: kubernetesVersion.gitVersion } as const;
export const securitySchemes = {
  BearerToken: { description: "Bearer Token authentication", in: "header", name: "authorization", type: "apiKey" },
} as const;

/** The document of kinds of one group version. */
export function openApiDocument(kinds: readonly Kind[], describe: Describe): OpenApiDocument {
  const paths = groupVersionPaths(kinds);
  return {
    openapi: "3.0.0",
    info,
    paths,
    components: { schemas: schemasOf(typesOf(paths, kinds), describe), securitySchemes },
  };
}

/** The paths of a group version, by path. */
export function groupVersionPaths(kinds: readonly Kind[]): Record<string, PathItem> {
  const paths = kinds.map(pathsOf);
  const [first] = kinds;
  if (first) {
    const { tag, prefix } = namesOf(first.group, first.version);
    const get = operation({
      description: "get available resources",
      operationId: `get${prefix}APIResources`,
      ...{ tag, answers: metaType("APIResourceList") },
    });
    paths.unshift({ [`${rootPath(first.group, first.version)}/`]: { get } });
  }
  return Object.fromEntries(paths.flatMap((one) => Object.entries(one)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The types that operations speak of, and the kinds' own. */
export function typesOf(paths: Record<string, PathItem>, kinds: readonly Kind[]): string[] {
  const types = new Set(kinds.map((kind) => kind.type));
  const add = (content: Content | undefined) => {
    for (const { schema } of Object.values(content ?? {})) {
      if (schema.$ref) types.add(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
    }
  };
  for (const one of Object.values(paths).flatMap((item) => Object.values(item).filter(isOperation))) {
    add(one.requestBody?.content);
    for (const response of Object.values(one.responses)) add(response.content);
  }
  return [...types];
}

export function isOperation(value: PathItem[string]): value is Operation {
  return value !== undefined && !Array.isArray(value);
}
