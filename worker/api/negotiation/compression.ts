// Bodies of answers on their way out: large ones compressed where the client takes gzip, as upstream's APIResponseCompression.
import { limits } from "../../../shared/base/limits.ts";

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A body that is still being made counts as large. */
export function answer(request: Request, body: Body, status: number, headers: Record<string, string>): Response {
  const isLarge = body instanceof ReadableStream || body.length > limits.gzipBytes;
  if (!isLarge || !takesGzip(request.headers)) return new Response(body, { status, headers });
  const plain = body instanceof ReadableStream ? body : new Response(body).body;
  const all = new Headers(headers);
  all.set("content-encoding", "gzip");
  if (!all.get("vary")?.includes("Accept-Encoding")) all.append("vary", "Accept-Encoding");
  // Or the platform would compress it again.
  const init = { status, headers: all, encodeBody: "manual" as const };
  return new Response(plain?.pipeThrough(new CompressionStream("gzip")), init);
}

/** The word itself, without a quality: upstream looks for nothing else. */
function takesGzip(headers: Headers): boolean {
  return (headers.get("accept-encoding") ?? "").split(",").some((one) => one.trim() === "gzip");
}
