// The check of the free disk space for a Worker on a user's machine.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { hasFreeSpace } from "../../shared/base/disk/disk-space.ts";

const telling = (text: string) => ({ fetch: () => Promise.resolve({ text: () => Promise.resolve(text) }) });

test("S8: the free space is compared with the reserve for reading", async () => {
  expect(await hasFreeSpace(telling(String(limits.reservedDiskBytes)))).toBe(true);
  expect(await hasFreeSpace(telling(String(limits.reservedDiskBytes - 1)))).toBe(false);
});

test("S8: a failed check of the free space does not block writes", async () => {
  expect(await hasFreeSpace({ fetch: () => Promise.reject(new Error("Network connection lost.")) })).toBe(true);
});
