// The deletion of many sandboxes by the console: bounded concurrency, errors of single sandboxes, and its early end.
import { describe, expect, test } from "vitest";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import { ControlFailure } from "../../web/api/control-failure.ts";
import { deleteMany, type DeletionProgress } from "../../web/console/delete-many.ts";

const sandboxes = Array.from({ length: 1000 }, (_, at) => ({ id: `s${at}`, name: `name-${at}` }) as ListedSandbox);
const refusal = (status: number, message: string) => new ControlFailure(status, { code: "internal", message });

/** Deletes 1,000 sandboxes. `fails` returns the error of a sandbox. */
async function run(fails: (id: string) => Error | undefined = () => undefined, stopping = new AbortController()) {
  const reports: DeletionProgress[] = [];
  const sentIds: string[] = [];
  let [pending, most] = [0, 0];
  const remove = async (id: string) => {
    sentIds.push(id);
    most = Math.max(most, ++pending);
    await new Promise((resolve) => setImmediate(resolve));
    pending -= 1;
    const error = fails(id);
    if (error) throw error;
  };
  const tell = (progress: DeletionProgress) => void reports.push(progress);
  const outcome = await deleteMany({ sandboxes, remove, tell, signal: stopping.signal });
  return { outcome, reports, sentIds, most };
}

describe("the deletion of 1,000 sandboxes", () => {
  test("D25: sends each once, few at a time, and tells of each", async () => {
    const { outcome, reports, sentIds, most } = await run();
    expect(outcome).toEqual({ deleted: 1000, failures: [], remaining: [] });
    expect(new Set(sentIds).size).toBe(1000);
    expect(most).toBeLessThanOrEqual(6);
    expect(reports.map(({ deleted }) => deleted)).toEqual(sandboxes.map((_, at) => at + 1));
  });

  test("D25: goes on past errors, and counts sandboxes that are gone already", async () => {
    const errors = new Map([
      ["s0", refusal(500, "broken")],
      ["s7", refusal(404, "gone")],
      ["s999", refusal(503, "busy")],
    ]);
    const { outcome, sentIds } = await run((id) => errors.get(id));
    expect(sentIds.length).toBe(1000);
    expect(outcome.deleted).toBe(998);
    expect(outcome.failures.map(({ sandbox, message }) => [sandbox.id, message])).toEqual([
      ["s0", "broken"],
      ["s999", "busy"],
    ]);
    expect(outcome.remaining.map(({ id }) => id)).toEqual(["s0", "s999"]);
  });

  test.each([0, 401])("D25: sends no more after the status %i, which all others would have", async (status) => {
    const { outcome, sentIds } = await run((id) => (id === "s20" ? refusal(status, "no") : undefined));
    expect(sentIds.length).toBeLessThan(40);
    expect(outcome.remaining.length).toBe(1000 - outcome.deleted);
  });

  test("D25: sends no more after it was stopped", async () => {
    const stopping = new AbortController();
    const { outcome, sentIds } = await run((id) => {
      if (id === "s50") stopping.abort();
      return undefined;
    }, stopping);
    expect(sentIds.length).toBeLessThan(70);
    expect(outcome.failures).toEqual([]);
  });
});
