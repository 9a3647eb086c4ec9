// Whether there is room to store anything, as a Worker on a user's machine is told.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { hasRoom } from "../../shared/base/disk/room.ts";

const telling = (text: string) => ({ fetch: () => Promise.resolve({ text: () => Promise.resolve(text) }) });

test("S8: what is left is compared with what is kept for reading", async () => {
  expect(await hasRoom(telling(String(limits.roomBytes)))).toBe(true);
  expect(await hasRoom(telling(String(limits.roomBytes - 1)))).toBe(false);
});

test("S8: who does not answer keeps nobody from writing", async () => {
  expect(await hasRoom({ fetch: () => Promise.reject(new Error("Network connection lost.")) })).toBe(true);
});
