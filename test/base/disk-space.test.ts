// Whether there is room to store anything, as a Worker on a user's machine is told.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { hasFreeSpace } from "../../shared/base/disk-space.ts";

const telling = (text: string) => ({ fetch: () => Promise.resolve({ text: () => Promise.resolve(text) }) });

test("S8: what is left is compared with what is kept for reading", async () => {
  expect(await hasFreeSpace(telling(String(limits.reservedDiskBytes)))).toBe(true);
  expect(await hasFreeSpace(telling(String(limits.reservedDiskBytes - 1)))).toBe(false);
});

test("S8: who does not answer keeps nobody from writing", async () => {
  expect(await hasFreeSpace({ fetch: () => Promise.reject(new Error("Network connection lost.")) })).toBe(true);
});
