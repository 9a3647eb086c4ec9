// Decompression with a bound, by the platform's streams.

/** Returns the decompressed bytes. Reading stops as soon as there are more than `most`. */
export async function inflated(
  bytes: Uint8Array<ArrayBuffer>,
  format: "gzip" | "deflate-raw",
  most: number,
): Promise<Uint8Array<ArrayBuffer> | "too large" | "broken"> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > most) {
        await reader.cancel();
        return "too large";
      }
      chunks.push(value);
    }
  } catch {
    return "broken";
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
