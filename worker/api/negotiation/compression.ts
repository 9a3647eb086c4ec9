// Bodies of answers on their way out: large ones compressed where the client takes gzip, as upstream's APIResponseCompression.
import { limits } from "../../../shared/base/limits.ts";
import { isObject } from "../../../shared/schema/json-values.ts";

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A body that is still being made counts as large. */
export function answer(request: Request, body: Body, status: number, headers: Record<string, string>): Response {
  const isLarge = body instanceof ReadableStream || body.length > limits.gzipBytes;
  if (!isLarge || !takesGzip(request)) return new Response(body, { status, headers });
  const plain = body instanceof ReadableStream ? body : new Response(body).body;
  const all = new Headers(headers);
  all.set("content-encoding", "gzip");
  if (!all.get("vary")?.includes("Accept-Encoding")) all.append("vary", "Accept-Encoding");
  // Or the platform would compress it again.
  const init = { status, headers: all, encodeBody: "manual" as const };
  return new Response(plain?.pipeThrough(new CompressionStream("gzip")), init);
}

/**
 * The word itself, without a quality: upstream looks for nothing else. In the header of what is passed on as it was sent stands what the
 * platform takes itself; what the client takes it says beside it.
 */
function takesGzip(request: Request): boolean {
  const cf: unknown = "cf" in request ? request.cf : undefined;
  const told = isObject(cf) ? cf["clientAcceptEncoding"] : undefined;
  const accepted = typeof told === "string" ? told : (request.headers.get("accept-encoding") ?? "");
  return accepted.split(",").some((one) => one.trim() === "gzip");
}
