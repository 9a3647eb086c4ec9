// Reads the parameters of an LTI page from the URL or a form, within limits.
import type * as z from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { LaunchRefused } from "../../lti/id-token.ts";

const formType = "application/x-www-form-urlencoded";

/** Reads the parameters of the URL for `GET`, else of the body. Of repeated parameters the first counts. Rejects with `LaunchRefused`. */
export async function parametersOf(request: Request, url: URL): Promise<ReadonlyMap<string, string>> {
  const searchParams = request.method === "GET" ? url.searchParams : new URLSearchParams(await bodyOf(request));
  const all = new Map<string, string>();
  for (const [name, value] of searchParams) if (!all.has(name)) all.set(name, value);
  return all;
}

/** Validates the parameters. Throws `LaunchRefused` with the name of the invalid one. */
export function read<S extends z.ZodType>(schema: S, parameters: ReadonlyMap<string, string>): z.output<S> {
  const result = schema.safeParse(Object.fromEntries(parameters));
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
  // The platform's types do not declare that the chunks of a body are bytes.
  for await (const chunk of readChunks((request.body ?? []) as AsyncIterable<Uint8Array>)) {
    size += chunk.byteLength;
    if (size > ltiLimits.formBytes) throw tooLong;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function* readChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new LaunchRefused("What was sent broke off.");
  }
}
