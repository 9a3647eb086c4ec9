// Rows of idempotency keys in D1: which row a request may take over from one that was cut off.
import { expect, test } from "vitest";
import { memoryDirectory } from "./memory-directory.ts";

const row = { tenantId: "ada", key: "k", request: "r", holder: "dead", createdAtMs: 1 };
const next = { request: "r", holder: "second", createdAtMs: 2 };

/** The keys of two tenants. */
function newKeys() {
  const { addTenant, repeats } = memoryDirectory();
  for (const id of ["ada", "bob"]) addTenant(id, id);
  return repeats;
}

test("I7: a key is taken over once; a request that read the same row later is refused", async () => {
  const repeats = newKeys();
  await repeats.begin(row, 5000);
  const [first, second] = [await repeats.begin(row, 5000), await repeats.begin(row, 5000)];
  if (!first || !second) throw new Error("the row was not read");
  expect(await repeats.takeOver(first, next, "")).toBe(true);
  expect(await repeats.takeOver(second, { ...next, holder: "third" }, "")).toBe(false);
  expect(await repeats.begin(row, 5000)).toEqual({ ...next, tenantId: "ada", key: "k", answer: "" });
});

test("I7: a key whose holder stored its answer in between is not taken over, and keeps the answer", async () => {
  const repeats = newKeys();
  await repeats.begin(row, 5000);
  const stale = await repeats.begin(row, 5000);
  if (!stale) throw new Error("the row was not read");
  await repeats.keep(row, "answer");
  expect(await repeats.takeOver(stale, next, "")).toBe(false);
  expect(await repeats.begin(row, 5000)).toEqual({ ...row, answer: "answer" });
});

test("I7: an expired answer is taken over like a missing answer, and its successor starts without one", async () => {
  const repeats = newKeys();
  await repeats.begin(row, 5000);
  await repeats.keep(row, "expired");
  const answered = await repeats.begin(row, 5000);
  if (!answered) throw new Error("the row was not read");
  expect(await repeats.takeOver(answered, next, "")).toBe(true);
  expect(await repeats.begin(row, 5000)).toEqual({ ...next, tenantId: "ada", key: "k", answer: "" });
});

test.each([
  ["another tenant", { tenantId: "bob" }],
  ["another key", { key: "other" }],
])("I7: taking a key over does not change the key of %s", async (_, change) => {
  const repeats = newKeys();
  const changedRow = { ...row, ...change };
  for (const record of [changedRow, row]) await repeats.begin(record, 5000);
  const stale = await repeats.begin(row, 5000);
  if (!stale) throw new Error("the row was not read");
  expect(await repeats.takeOver(stale, next, "")).toBe(true);
  expect(await repeats.begin(changedRow, 5000)).toEqual({ ...changedRow, answer: "held 5000" });
});
