// The store of files over the platform's own bucket.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { bucketFiles } from "../../worker/edge/files.ts";

test("a file exists until it is removed, and files are listed in pages, each once, with their upload times", async () => {
  const files = bucketFiles((env as unknown as { readonly FILES: R2Bucket }).FILES);
  // Other tests share the bucket.
  for (const { key } of (await files.list(1000)).files) await files.remove(key);
  const bytes = new Uint8Array([1, 2, 3]);
  const beganMs = Date.now();
  for (const key of ["b/2", "a/1", "b/1"]) await files.put(key, bytes);
  expect([await files.get("a/1"), await files.get("a/2")]).toEqual([bytes, undefined]);
  const first = await files.list(2);
  const second = await files.list(2, first.cursor);
  expect([first, second].map((page) => page.files.map(({ key }) => key))).toEqual([["a/1", "b/1"], ["b/2"]]);
  expect(second.cursor).toBeUndefined();
  for (const { storedAtMs } of first.files) expect(Math.abs(storedAtMs - beganMs)).toBeLessThan(600_000);
  for (const key of ["a/1", "a/1", "b/1", "b/2"]) await files.remove(key);
  expect(await files.list(2)).toEqual({ files: [] });
});
