// What turns over tenants' inputs charge, against what they take: a sample of the corpus in test/charges, or all of it on request
// (SANDBAR_CHARGES=half or all). `node scripts/charges.ts` runs all of them and names the hottest functions of each that is refused.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bounds, measure } from "../../charges/verdict.ts";

const root = join(import.meta.dirname, "../../..");

/** Some 80 inputs, which take 15 seconds. The bounds are doubled, because other work may run meanwhile. */
const sample = ["--every", "16", "--from", "3", "--lenience", "2", "--slowest", "5"];
const wordsOf: Readonly<Record<string, readonly string[]>> = { half: ["--every", "2"], all: ["--long"] };

test("H1: no turn over an input of the corpus takes more than 50 ms, or charges less than a third of its time", () => {
  const words = ["scripts/charges.ts", ...(wordsOf[process.env.SANDBAR_CHARGES ?? ""] ?? sample)];
  const { stdout, status } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8", timeout: 600_000 });
  expect(stdout.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
  expect(status).toBe(0);
}, 600_000);

describe("a turn", () => {
  const judged = async (tookMicroseconds: readonly number[], charged: number) => {
    let now = 0;
    let round = 0;
    const turn = {
      name: "a turn",
      run: () => {
        now += tookMicroseconds[round++] ?? 0;
        return charged;
      },
    };
    const { complaint } = await measure(
      turn,
      { read: () => now, factor: () => 1 },
      { ...bounds, runs: tookMicroseconds.length },
    );
    return complaint ?? "fine";
  };

  test.each([
    ["with a third of its time charged is accepted", [30_000], 10_000, "fine"],
    ["with less charged is refused", [30_000, 30_000], 9_999, "took 30.0 ms and charged 10.0 ms: less than a third"],
    ["is judged by its shortest run", [40_000, 30_000], 10_000, "fine"],
    [
      "past the time bound is refused at any charge",
      [51_000],
      60_000,
      "took 51.0 ms and charged 60.0 ms: a turn of 51.0 ms is longer than 50.0 ms",
    ],
    ["below the measured minimum is accepted", [2_999], 0, "fine"],
  ])("%s", async (_, took, charged, verdict) => {
    expect(await judged(took, charged)).toBe(verdict);
  });
});
