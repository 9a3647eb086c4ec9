// Parsers and evaluators of tenants' text with seeded inputs: each is read or refused.
import { expect, test } from "vitest";
import { failedInputs } from "./regressions.ts";
import { fuzz } from "./run.ts";
import { targets } from "./targets.ts";

/** A factor for the number of inputs, set by SANDBAR_FUZZ_SCALE. SANDBAR_FUZZ_SEED selects the inputs. */
const scale = Number(process.env["SANDBAR_FUZZ_SCALE"] ?? 1);
const seed = Number(process.env["SANDBAR_FUZZ_SEED"] ?? 20_261_123);

test.each(failedInputs)("an input that failed once is read or refused: $target, $fault", async ({ target, input }) => {
  const fuzzTarget = targets.find(({ name }) => name === target);
  expect(fuzzTarget?.name).toBe(target);
  await fuzzTarget?.run(input);
});

test(`inputs of seed ${seed} are read or refused as their module defines it, and none hangs`, {
  timeout: 24 * 3_600_000,
}, async () => {
  const reports = await fuzz({ seed, scale });
  expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
  expect(reports.map(({ target }) => target)).toEqual(targets.map(({ name }) => name));
});

test("an input that throws or hangs is reported with its target", async () => {
  const faulty = new URL("./faulty-targets.ts", import.meta.url);
  const [thrown, hung] = await fuzz({ seed: 1, scale: 1, targets: faulty, hangMs: 300 });
  expect(thrown).toMatchObject({
    target: "throws",
    faults: [{ input: "x", fault: expect.stringContaining("TypeError") }],
  });
  expect(hung).toMatchObject({
    target: "hangs",
    faults: [{ target: "hangs", fault: "hangs for more than 0.3 seconds" }],
  });
});
