// Reads a body of text that may be too long for memory: decompressed, decoded, and within limits of bytes and time.
import { limits } from "../../../../shared/base/limits.ts";
import { ControlError } from "../control-error.ts";

/** A text of which only the first part is in memory. */
export interface LongText {
  readonly first: string;
  /** Yields the rest. Can be called once. */
  rest(): AsyncIterable<string>;
}

/** Returns the text, or a `LongText` if it has more bytes than other bodies may have. */
export async function readLongText(request: Request): Promise<string | LongText> {
  if (Number(request.headers.get("content-length") ?? 0) > limits.importBytes) throw tooLarge();
  if (!request.body) return "";
  const passages = decoded(decompressed(request));
  let first = "";
  for (;;) {
    const { done, value } = await passages.next();
    if (done) return first;
    first += value;
    if (first.length > limits.requestBodyBytes) return { first, rest: () => passages };
  }
}

/** Yields the text in passages of some length, because many small ones take more time. Counts the bytes after decompression. */
async function* decoded(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const beganMs = performance.now();
  const reader = bytes.getReader();
  let [size, passage] = [0, ""];
  try {
    for (;;) {
      const { done, value } = await readInTime(reader);
      if (done) break;
      size += value.byteLength;
      if (size > limits.importBytes) throw tooLarge();
      if (performance.now() - beganMs > limits.importMs) throw tooSlow();
      passage += decoder.decode(value, { stream: true });
      if (passage.length < limits.importSplitCharacters) continue;
      yield passage;
      passage = "";
    }
    yield passage + decoder.decode();
  } finally {
    // The sender learns that nobody reads on.
    void reader.cancel().catch(() => undefined);
  }
}

async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), limits.importSilenceMs);
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw new ControlError(400, "incomplete_body", "the body broke off, or is not compressed as its header says");
  } finally {
    clearTimeout(timer);
  }
}

function decompressed({ headers, body }: Request): ReadableStream<Uint8Array> {
  // The platform's types do not declare that the chunks of a body are bytes.
  const bytes = body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return bytes;
  if (encoding === "gzip") return bytes.pipeThrough(new DecompressionStream("gzip"));
  throw new ControlError(415, "unsupported_media_type", "the body may be compressed with gzip only");
}

function tooLarge(): ControlError {
  return new ControlError(413, "body_too_large", `the body must not exceed ${limits.importBytes} bytes`);
}

function tooSlow(): ControlError {
  const [silence, all] = [limits.importSilenceMs, limits.importMs].map((ms) => ms / 1000);
  const message = `the body must arrive within ${all} seconds, and without a pause of ${silence} seconds`;
  return new ControlError(408, "body_too_slow", message);
}
