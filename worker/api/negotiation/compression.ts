// Compresses large response bodies if the client accepts gzip, as upstream's APIResponseCompression does.
import { limits } from "../../../shared/base/limits.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { gzip, gzipStream } from "./gzip.ts";

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** Returns the response. A streamed body counts as large. */
export function answer(request: Request, body: Body, status: number, headers: Record<string, string>): Response {
  if (isSentAsIs(request, body)) return new Response(body, { status, headers });
  const all = new Headers(headers);
  all.set("content-encoding", "gzip");
  if (!all.get("vary")?.includes("Accept-Encoding")) all.append("vary", "Accept-Encoding");
  // Prevents the platform from compressing the body again.
  const init = { status, headers: all, encodeBody: "manual" as const };
  return new Response(body instanceof ReadableStream ? body.pipeThrough(gzipStream()) : gzip(body), init);
}

/** Reports whether a body is sent without compression. */
export function isSentAsIs(request: Request, body: Body): boolean {
  const isLarge = body instanceof ReadableStream || body.length > limits.gzipBytes;
  return !isLarge || !takesGzip(request);
}

/**
 * Reports whether the client accepts gzip: the word without a quality, as upstream checks. The header of a forwarded request contains what
 * the platform accepts; `cf` contains what the client accepts.
 */
function takesGzip(request: Request): boolean {
  const cf: unknown = "cf" in request ? request.cf : undefined;
  const clientEncoding = isObject(cf) ? cf["clientAcceptEncoding"] : undefined;
  const accepted = typeof clientEncoding === "string" ? clientEncoding : (request.headers.get("accept-encoding") ?? "");
  return accepted.split(",").some((encoding) => encoding.trim() === "gzip");
}
