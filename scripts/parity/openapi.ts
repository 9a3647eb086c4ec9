// Compares the OpenAPI documents of two servers: their paths and the schemas of their types, without texts.
import { isDeepStrictEqual } from "node:util";
import type { Send } from "../../test/parity/play.ts";

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiType>> };
}

interface OpenApiType {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** The documents by their name in the index: `apis/apps/v1`. */
export type OpenApiDocuments = Readonly<Record<string, OpenApiDocument>>;

export async function readOpenApi(send: Send): Promise<Map<string, unknown>> {
  const get = async (path: string) => {
    const { text } = await send({ name: path, method: "GET", path, headers: {}, token: "admin-token" });
    return JSON.parse(text) as unknown;
  };
  const { paths } = (await get("/openapi/v3")) as { readonly paths: Readonly<Record<string, unknown>> };
  const documents = new Map<string, unknown>();
  for (const name of Object.keys(paths)) documents.set(name, await get(`/openapi/v3/${name}`));
  return documents;
}

/** Returns a line for each difference. The metrics API is another server's. */
export function openApiDifferences(real: OpenApiDocuments, ours: ReadonlyMap<string, unknown>): string[] {
  const lines = new Set<string>();
  const names = new Set([...ours.keys()].filter((name) => !name.includes("metrics.k8s.io")));
  for (const name of Object.keys(real)) if (!names.has(name)) lines.add(`OpenAPI: no document ${name}`);
  for (const name of names) {
    const document = real[name];
    // Both are documents.
    if (document) compareDocuments(name, document, ours.get(name) as OpenApiDocument, lines);
    else lines.add(`OpenAPI: an additional document ${name}`);
  }
  return [...lines];
}

function compareDocuments(name: string, real: OpenApiDocument, ours: OpenApiDocument, lines: Set<string>): void {
  compareKeys(`OpenAPI ${name}: path`, real.paths, ours.paths, lines);
  const [theirs, mine] = [real.components?.schemas ?? {}, ours.components?.schemas ?? {}];
  compareKeys("OpenAPI: type", theirs, mine, lines);
  for (const [type, schema] of Object.entries(theirs)) {
    const ownSchema = mine[type];
    if (!ownSchema) continue;
    const [properties, ownProperties] = [schema.properties ?? {}, ownSchema.properties ?? {}];
    compareKeys(`OpenAPI: field of ${type}`, properties, ownProperties, lines);
    for (const [field, property] of Object.entries(properties)) {
      const isSame = isDeepStrictEqual(withoutTexts(property), withoutTexts(ownProperties[field]));
      if (!isSame && ownProperties[field]) lines.add(`OpenAPI: ${type}.${field} differs`);
    }
    if (!isDeepStrictEqual([...(schema.required ?? [])].sort(), [...(ownSchema.required ?? [])].sort()))
      lines.add(`OpenAPI: required fields of ${type} differ`);
  }
}

function compareKeys(what: string, real: object, ours: object, lines: Set<string>): void {
  for (const key of Object.keys(real)) if (!Object.hasOwn(ours, key)) lines.add(`${what} ${key} is missing`);
  for (const key of Object.keys(ours)) if (!Object.hasOwn(real, key)) lines.add(`${what} ${key} is additional`);
}

/** Removes descriptions, and an `allOf` that only a description needs. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, text]) => key !== "description" || typeof text !== "string");
  const plain = Object.fromEntries(entries.map(([key, inner]) => [key, withoutTexts(inner)]));
  const { allOf } = plain as { readonly allOf?: readonly unknown[] };
  return allOf?.length === 1 && Object.keys(plain).length === 1 ? allOf[0] : plain;
}
