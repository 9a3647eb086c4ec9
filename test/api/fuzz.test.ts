// Any request gets an error or a success: never a 500 or a bug, and the cluster stays intact.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyRequest, requestArguments, prepare } from "./fuzz-requests.ts";
import { newServer } from "./server.ts";

const runs = Number(process.env["SANDBAR_FUZZ_RUNS"] ?? 1500);
const seed = 20_260_101;

describe("malformed requests", () => {
  test("are never a 500 or a bug, and the cluster is idle after them", { timeout: 120_000 }, async () => {
    const server = newServer();
    const { ask, bugs, cluster } = server;
    await prepare(server);
    const countsByCode = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const { code, text } = await ask(...requestArguments(request));
        countsByCode.set(code, (countsByCode.get(code) ?? 0) + 1);
        expect([bugs, code === 500 ? text : ""]).toEqual([[], ""]);
        expect(code).toBeGreaterThanOrEqual(200);
      }),
      { numRuns: runs, seed },
    );
    cluster.runUntilQuiet();
    // Otherwise the requests would not have reached their targets.
    for (const code of [200, 201, 400, 404, 405, 406, 415, 422])
      expect([code, countsByCode.get(code) ?? 0]).not.toEqual([code, 0]);
  });
});
