// Checks answers of the control API against its own OpenAPI document.
import { expect } from "vitest";
import { z } from "zod";
import { openApi } from "../../worker/edge/control-api/openapi.ts";
import { routes } from "../../worker/edge/control-api/control-api.ts";

/** As much of an OpenAPI document as is read here. */
export interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

type Schema = Readonly<Record<string, unknown>>;

// What goes over the wire.
export const document = JSON.parse(JSON.stringify(openApi(routes))) as Document;
const pathless = ["not_found", "unauthorized", "too_many_failures", "method_not_allowed"];

/** Fails the test where the document does not know the answer. */
export async function expectDocumented(method: string, path: string, answer: Response): Promise<void> {
  // What browsers ask before they ask.
  if (method === "OPTIONS" && answer.status === 204) return;
  const operation = operationAt(method, path);
  const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const summary = `${method} ${path}: ${answer.status} ${type}`;
  const body = /[/+]json$/.test(type) && method !== "HEAD" ? await answer.clone().json<unknown>() : undefined;
  if (!operation || answer.status === 405) {
    expect(pathless, summary).toContain((body as { error: { code: string } } | undefined)?.error.code);
    return;
  }
  const described = operation.responses[answer.status];
  expect(described, summary).toBeDefined();
  if (answer.status === 204 || answer.status === 302) return;
  const schema = described?.content?.[type]?.schema;
  expect(schema, summary).toBeDefined();
  if (body !== undefined && schema) expect(faultsOf(schema, body), summary).toEqual([]);
}

export function operationAt(method: string, path: string): Operation | undefined {
  const requestSegments = (path.split("?")[0] ?? "").split("/");
  const entry = Object.entries(document.paths).find(([template]) => {
    const templateSegments = template.split("/");
    return (
      templateSegments.length === requestSegments.length &&
      templateSegments.every((segment, at) => segment.startsWith("{") || segment === requestSegments[at])
    );
  });
  return entry?.[1][method === "HEAD" ? "get" : method.toLowerCase()];
}

/** Compiled schemas by their place in the document, because compiling costs more than a check. */
const compiled = new WeakMap<Schema, z.ZodType>();

/** Returns the violations of a schema of the document in a value. */
export function faultsOf(schema: Schema, value: unknown): string[] {
  // It is JSON Schema, as the library takes it.
  const parser = compiled.get(schema) ?? z.fromJSONSchema(resolved(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  compiled.set(schema, parser);
  const checked = parser.safeParse(value);
  return checked.success ? [] : checked.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** Returns the schema with its references resolved. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return resolved(document.components.schemas[String(value.$ref).split("/").at(-1) ?? ""]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
}
