// Answers of SCIM: its media type, lists, filters, and errors.
import type * as z from "zod";
import { identityLimits } from "../../../../../shared/base/request-limits.ts";
import { type scimQuery, scimBase, scimSchemas, scimType } from "../../../../../shared/contract/hosted/scim.ts";
import { invalidField } from "../../body.ts";
import type { ControlError } from "../../control-error.ts";

export function scimJson(value: object, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": scimType } });
}

/** Encodes a created resource with its address. */
export function scimCreated(resource: { readonly meta: { readonly location: string } }): Response {
  const answer = scimJson(resource, 201);
  answer.headers.set("location", resource.meta.location);
  return answer;
}

export function locationOf(console: string, kind: "Users" | "Groups", id: string): string {
  return `${console}${scimBase}/${kind}/${id}`;
}

export interface ScimPage {
  readonly limit: number;
  readonly offset: number;
}

export function pageOf({ startIndex, count }: z.output<typeof scimQuery>): ScimPage {
  const limit = Math.min(Math.max(count, 0), identityLimits.scimPage);
  return { limit, offset: Math.max(startIndex, 1) - 1 };
}

export function scimList(resources: readonly object[], total: number, { offset }: ScimPage): object {
  return {
    schemas: [scimSchemas.list],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Parses `attribute eq "value"`. Throws 400 for another filter, or an attribute that is not one of these. */
export function parseFilter<A extends string>(
  filter: string | undefined,
  attributes: Readonly<Record<string, A>>,
): { readonly by: A; readonly value: string } | undefined {
  if (filter === undefined || filter.trim() === "") return undefined;
  const [, name = "", quoted = ""] = /^\s*([\w.]{1,60})\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i.exec(filter) ?? [];
  const by = attributes[name.toLowerCase()];
  if (by === undefined) {
    throw invalidField("filter", `must be one comparison with eq, of ${Object.keys(attributes).join(", ")}`);
  }
  try {
    return { by, value: String(JSON.parse(quoted)) };
  } catch {
    throw invalidField("filter", "has a text that is not JSON");
  }
}

/** Encodes an error as RFC 7644 has it. `error` is as in the other errors of the control API. */
export function scimErrorOf(error: ControlError): object {
  const { status, code, field, message, more } = error;
  const type = scimTypeOf(code, field);
  const { scope, limit } = more;
  return {
    schemas: [scimSchemas.error],
    status: String(status),
    ...(type === undefined ? {} : { scimType: type }),
    detail: message,
    error: { code, message, ...(field ? { field } : {}), ...(scope ? { scope } : {}), ...(limit ? { limit } : {}) },
  };
}

function scimTypeOf(code: string, field: string | undefined): string | undefined {
  if (code === "user_exists") return "uniqueness";
  if (code === "malformed_json") return "invalidSyntax";
  if (code !== "invalid_field") return undefined;
  if (field === "filter") return "invalidFilter";
  return field?.endsWith(".path") ? "invalidPath" : "invalidValue";
}
