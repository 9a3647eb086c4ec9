// Reading what a client sent to the control API: bounded, JSON, and as the contract says.
import type { z } from "zod";
import { limits } from "../../../shared/base/limits.ts";
import { ControlError } from "./control-error.ts";

/** The body, or the schema's defaults where there is none. */
export async function readBody<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
  return check(schema, await readJson(request));
}

/** The body, whatever it is; an empty object where there is none. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await boundedText(request);
  if (!text) return {};
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ControlError(415, "unsupported_media_type", "the body must be sent as application/json");
  }
  return parse(text);
}

/** Values against a schema; the first thing wrong is the error. */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...unknown].map(String).join(".");
  const message = unknown.length > 0 ? "is not a field of this request" : (issue?.message ?? "is not valid");
  throw new ControlError(400, "invalid_field", field ? `${field}: ${message}` : message, field || undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(400, "malformed_json", "the body is not JSON");
  }
}

/** What was sent, as text. */
export async function boundedText(request: Request): Promise<string> {
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
