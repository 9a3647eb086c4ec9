// Reads and validates request bodies of the control API within a size limit.
import type * as z from "zod";
import { limits } from "../../../shared/base/limits.ts";
import { type FieldProblem, mostFieldProblems } from "../../../shared/contract/error.ts";
import { ControlError } from "./control-error.ts";
import { issuesWithin, sentenceOf } from "../../../shared/contract/issue-sentence.ts";

/** Parses a body as JSON. Returns an empty object if the body is empty. */
export function readJson(text: string, type: string | null): unknown {
  if (!text) return {};
  if (!/^application\/(scim\+)?json\s*(;|$)/i.test(type ?? "")) {
    throw new ControlError(415, "unsupported_media_type", "the body must be sent as application/json");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(400, "malformed_json", "the body is not JSON");
  }
}

/** Validates a value against a schema. The error lists every problem; its message is the first one. */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, errors } = parseFields(schema, value);
  if (errors.length > 0) throw invalidFields(errors);
  // Without an error, zod returns a value.
  return data as z.output<S>;
}

/** Returns the parsed value, or the problems. */
export function parseFields<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { readonly data: z.output<S> | undefined; readonly errors: readonly FieldProblem[] } {
  const result = schema.safeParse(value, { error: sentenceOf });
  if (result.success) return { data: result.data, errors: [] };
  const errors = result.error.issues.flatMap(issuesWithin).flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    return names.map((name) => {
      const field = [...issue.path, ...(name === undefined ? [] : [name])].map(String).join(".");
      return { ...(field ? { field } : {}), detail: `${field || "the body"}: ${issue.message || "is not valid"}` };
    });
  });
  return { data: undefined, errors };
}

/** Returns an error with all problems. Its message is the first one. */
export function invalidFields(errors: readonly FieldProblem[]): ControlError {
  const [first] = errors;
  return new ControlError(400, "invalid_field", first?.detail ?? "the request is not valid", first?.field, {
    errors: errors.slice(0, mostFieldProblems),
  });
}

/** Returns an error of one field. `field` is its path, or empty for the entire body. */
export function invalidField(field: string, message: string): ControlError {
  return invalidFields([{ ...(field ? { field } : {}), detail: `${field || "the body"}: ${message}` }]);
}

export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > limits.requestBodyBytes) throw tooLarge();
  if (!request.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // The platform's types do not declare that the chunks of a body are bytes.
  for await (const chunk of readChunks(request.body as ReadableStream<Uint8Array>)) {
    size += chunk.byteLength;
    if (size > limits.requestBodyBytes) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Reads the body. A client that disconnects is not reported as a bug: nobody receives the response. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new ControlError(400, "incomplete_body", "the body broke off");
  }
}

function tooLarge(): ControlError {
  return new ControlError(413, "body_too_large", `the body must not exceed ${limits.requestBodyBytes} bytes`);
}
