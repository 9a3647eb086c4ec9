// What a browser sends to a page of LTI: parameters of the address, or a form, within bounds.
import type { z } from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { LaunchRefused } from "../../lti/id-token.ts";

const formType = "application/x-www-form-urlencoded";

/** Those of the address for `GET`, else of the body. Of a name that comes twice the first. Rejects with `LaunchRefused`. */
export async function parametersOf(request: Request, url: URL): Promise<ReadonlyMap<string, string>> {
  const given = request.method === "GET" ? url.searchParams : new URLSearchParams(await bodyOf(request));
  const all = new Map<string, string>();
  for (const [name, value] of given) if (!all.has(name)) all.set(name, value);
  return all;
}

/** Values by a schema; rejects with `LaunchRefused`, which names what is wrong. */
export function read<S extends z.ZodType>(schema: S, given: ReadonlyMap<string, string>): z.output<S> {
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const name = result.error.issues[0]?.path.join(".") ?? "";
  throw new LaunchRefused(`The parameter ${name} is missing, or not as it should be.`);
}

async function bodyOf(request: Request): Promise<string> {
  const type = request.headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== formType) throw new LaunchRefused("A form is expected here.");
  const tooLong = new LaunchRefused(`What was sent is longer than ${ltiLimits.formBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > ltiLimits.formBytes) throw tooLong;
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  // A body's chunks are bytes, which the platform's types leave open.
  for await (const chunk of whole((request.body ?? []) as AsyncIterable<Uint8Array>)) {
    size += chunk.byteLength;
    if (size > ltiLimits.formBytes) throw tooLong;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function* whole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new LaunchRefused("What was sent broke off.");
  }
}
