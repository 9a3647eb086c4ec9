// The check of the free disk space for a Worker on a user's machine.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { hasRoom } from "../../shared/base/room.ts";

const telling = (text: string) => ({ fetch: () => Promise.resolve({ text: () => Promise.resolve(text) }) });

test("S8: the free space is compared with the reserve for reading", async () => {
  expect(await hasRoom(telling(String(limits.roomBytes)))).toBe(true);
  expect(await hasRoom(telling(String(limits.roomBytes - 1)))).toBe(false);
});

test("S8: a failed check of the free space does not block writes", async () => {
  expect(await hasRoom({ fetch: () => Promise.reject(new Error("Network connection lost.")) })).toBe(true);
});
