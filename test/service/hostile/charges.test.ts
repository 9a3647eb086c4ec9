// What turns over tenants' inputs charge, against what they take: every second input of the corpus in test/charges, on request. `node scripts/charges.ts`
// runs all of them and names the hottest functions of each that is refused.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bounds, measure } from "../../charges/verdict.ts";

const root = join(import.meta.dirname, "../../..");

// The corpus finds undercharged inputs (see `node scripts/charges.ts`), so it is judged on request only: SANDBAR_CHARGES=half or all.
test.runIf(process.env.SANDBAR_CHARGES !== undefined)(
  "H1: no turn over an input of the corpus takes more than 50 ms, or charges less than a third of its time",
  () => {
    const words = ["scripts/charges.ts", ...(process.env.SANDBAR_CHARGES === "all" ? ["--long"] : ["--every", "2"])];
    const { stdout, status } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8", timeout: 600_000 });
    console.log(stdout.split("\n").slice(-3).join("\n"));
    expect(stdout.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
    expect(status).toBe(0);
  },
);

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
    ["that charges a third is fine", [30_000], 10_000, "fine"],
    ["that charges less is refused", [30_000, 30_000], 9_999, "took 30.0 ms and charged 10.0 ms: less than a third"],
    ["is judged by its shortest run", [40_000, 30_000], 10_000, "fine"],
    [
      "that is too long is refused, whatever it charges",
      [51_000],
      60_000,
      "took 51.0 ms and charged 60.0 ms: a turn of 51.0 ms is longer than 50.0 ms",
    ],
    ["that is too short to be judged is fine", [2_999], 0, "fine"],
  ])("%s", async (_, took, charged, verdict) => {
    expect(await judged(took, charged)).toBe(verdict);
  });
});
