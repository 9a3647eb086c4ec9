// Hashes of documents, as upstream computes them: ETags are upper-case SHA-512, storage versions the first eight bytes of SHA-256.

/** Returns upstream's ETag of a document without quotes. */
export async function etagOf(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = await digest("SHA-512", content);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
}

export async function storageVersionHash(group: string, version: string, kind: string): Promise<string> {
  const bytes = await digest("SHA-256", `${group}/${version}/${kind}`);
  return btoa(String.fromCharCode(...bytes.slice(0, 8)));
}

async function digest(algorithm: string, content: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
}
