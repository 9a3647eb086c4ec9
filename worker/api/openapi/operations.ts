// Builds one operation of the OpenAPI documents: its id, parameters and responses.
import type { GroupVersionKind } from "../../../shared/schema/openapi/facts.ts";
import { refTo, type Schema } from "../../../shared/schema/openapi/schema.ts";
import type { Parameter } from "./parameters.ts";

export interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}

export interface Operation {
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: true };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly tags: readonly string[];
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: GroupVersionKind;
}

/** The properties of an operation. */
export interface OperationFacts {
  readonly description: string;
  readonly operationId: string;
  readonly tag: string;
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  readonly parameters?: readonly Parameter[];
  /** The type of the response; `text` for text, in the media types of `produces`. */
  readonly answers: string;
  readonly produces?: readonly string[];
  readonly codes?: readonly number[];
  /** Whether the response can be a stream, as for a list or watch. */
  readonly streams?: boolean;
  /** The type of the request body; `patch` for the four patch types. */
  readonly takes?: string;
}

export const metaType = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;

export const mediaTypes = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
const streamTypes = [
  "application/json",
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf",
  "application/vnd.kubernetes.protobuf;stream=watch",
  "application/yaml",
];
const patchTypes = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];
const reasons: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

export function operation(facts: OperationFacts): Operation {
  const parameters = [...(facts.parameters ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const produces = facts.produces ?? (facts.streams ? streamTypes : mediaTypes);
  const answer =
    facts.answers === "text"
      ? contentOf(facts.produces ?? ["*/*"], { type: "string" })
      : contentOf(produces, refTo(facts.answers));
  return {
    description: facts.description,
    operationId: facts.operationId,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(facts.takes ? { requestBody: bodyOf(facts.takes) } : {}),
    responses: {
      ...Object.fromEntries(
        (facts.codes ?? [200]).map((code) => [String(code), { content: answer, description: reasons[code] ?? "" }]),
      ),
      "401": { description: "Unauthorized" },
    },
    tags: [facts.tag],
    ...(facts.action ? { "x-kubernetes-action": facts.action } : {}),
    ...(facts.kind ? { "x-kubernetes-group-version-kind": facts.kind } : {}),
  };
}

function bodyOf(takes: string): { readonly content: Content; readonly required?: true } {
  if (takes === "patch") return { content: contentOf(patchTypes, refTo(metaType("Patch"))), required: true };
  const content = contentOf(["*/*"], refTo(takes));
  // The body of a DELETE is optional.
  return takes === metaType("DeleteOptions") ? { content } : { content, required: true };
}

function contentOf(types: readonly string[], schema: Schema): Content {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
