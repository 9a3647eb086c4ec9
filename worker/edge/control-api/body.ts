// Reading what a client sent to the control API: bounded, JSON, and as the contract says.
import type { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import { type FieldProblem, mostFieldProblems } from "../../../shared/contract/error.ts";
import { ControlError } from "./control-error.ts";
import { sentenceOf } from "../../../shared/contract/issue-sentence.ts";

/** The body, whatever it is; an empty object where there is none. */
export function readJson(text: string, type: string | null): unknown {
  if (!text) return {};
  if (!/^application\/json\s*(;|$)/i.test(type ?? "")) {
    throw new ControlError(415, "unsupported_media_type", "the body must be sent as application/json");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(400, "malformed_json", "the body is not JSON");
  }
}

/** Checks a value against a schema. Everything that is wrong is in the error, whose message is of the first. */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, errors } = checked(schema, value);
  if (errors.length > 0) throw invalidFields(errors);
  // Without an error there is a value.
  return data as z.output<S>;
}

/** The value as the schema gives it, or what is wrong with it. */
export function checked<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { readonly data: z.output<S> | undefined; readonly errors: readonly FieldProblem[] } {
  const result = schema.safeParse(value, { error: sentenceOf });
  if (result.success) return { data: result.data, errors: [] };
  const errors = result.error.issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    return names.map((name) => {
      const field = [...issue.path, ...(name === undefined ? [] : [name])].map(String).join(".");
      return { ...(field ? { field } : {}), detail: `${field || "the body"}: ${issue.message || "is not valid"}` };
    });
  });
  return { data: undefined, errors };
}

/** The refusal of a request for all of these, the first of which gives the message. */
export function invalidFields(errors: readonly FieldProblem[]): ControlError {
  const [first] = errors;
  return new ControlError(400, "invalid_field", first?.detail ?? "the request is not valid", first?.field, {
    errors: errors.slice(0, mostFieldProblems),
  });
}

/** `field`: the path of what is wrong; empty for the body as a whole. */
export function invalidField(field: string, message: string): ControlError {
  return invalidFields([{ ...(field ? { field } : {}), detail: `${field || "the body"}: ${message}` }]);
}

export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > limits.requestBodyBytes) throw tooLarge();
  if (!request.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // The platform's types leave open what a body's chunks are; they are bytes.
  for await (const chunk of whole(request.body as ReadableStream<Uint8Array>)) {
    size += chunk.byteLength;
    if (size > limits.requestBodyBytes) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** A client that breaks off is no bug of ours: nobody hears the answer. */
async function* whole(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new ControlError(400, "incomplete_body", "the body broke off");
  }
}

function tooLarge(): ControlError {
  return new ControlError(413, "body_too_large", `the body must not exceed ${limits.requestBodyBytes} bytes`);
}
