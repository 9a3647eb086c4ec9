// Compressed bodies, whole and in chunks.
import { createGunzip, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { gzip, gzipStream } from "../../worker/api/negotiation/gzip.ts";

describe("gzip", () => {
  test.each(["", "a", "é".repeat(100_000)])("a body of any length is restored", (text) => {
    expect(gunzipSync(gzip(text)).toString()).toBe(text);
    expect(gunzipSync(gzip(new TextEncoder().encode(text))).toString()).toBe(text);
  });

  test("a stream of chunks is one gzip member", async () => {
    const chunks = ["", "first ", "x".repeat(200_000), "", "last"].map((text) => new TextEncoder().encode(text));
    const packed = await bytesOf(ReadableStream.from(chunks).pipeThrough(gzipStream()));
    expect(gunzipSync(packed).toString()).toBe(Buffer.concat(chunks).toString());
    // The checksum is verified, so a changed byte is found.
    packed[packed.length - 6] = (packed[packed.length - 6] ?? 0) ^ 1;
    expect(() => gunzipSync(packed)).toThrow("incorrect data check");
  });

  test("a chunk can be read before the next one arrives", async () => {
    const { readable, writable } = gzipStream();
    const writer = writable.getWriter();
    void writer.write(new TextEncoder().encode("first"));
    const reader = readable.getReader();
    const gunzip = createGunzip();
    const text = new Promise((resolve) => gunzip.once("data", (bytes: Buffer) => resolve(bytes.toString())));
    for (let chunk = 0; chunk < 2; chunk++) gunzip.write((await reader.read()).value);
    expect(await text).toBe("first");
  });
});

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
