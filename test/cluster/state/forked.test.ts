// A fork beside its source: both answer every request alike.
import fc from "fast-check";
import { expect, test } from "vitest";
import { readStateFile } from "../../../shared/state/read-state.ts";
import { writeMeta } from "../../../worker/store/tables.ts";
import { anyRequest, requestArguments, prepare } from "../../api/fuzz-requests.ts";
import { newServer } from "../../api/server.ts";
import { nodeSql } from "../../sqlite.ts";
import { headersOf, stateOf } from "../base/state-of.ts";
import { put, savedState } from "./saved.ts";

const before = Number(process.env["SANDBAR_FUZZ_RUNS"] ?? 400);
const runs = Number(process.env["SANDBAR_FUZZ_RUNS"] ?? 1200);
/** Requests after which all that is stored is compared. */
const often = 100;

test("F2: a fork answers every request as its source did at that revision", { timeout: 300_000 }, async () => {
  const [sql, otherSql] = [nodeSql(), nodeSql()];
  const source = newServer({ sql, base: "layered" });
  await prepare(source);
  const ask = async (server: typeof source, request: Parameters<typeof requestArguments>[0]) =>
    server.ask(...requestArguments(request));
  const earlier = fc.asyncProperty(anyRequest, async (request) => void (await ask(source, request)));
  await fc.assert(earlier, { numRuns: before, seed: 7 });
  source.cluster.runUntilQuiet();
  const { store, clock } = source.cluster.registry;
  const file = savedState(source.cluster, sql);
  put(otherSql, clock, file);
  store.compact(store.revision);
  // It has read all of it.
  writeMeta(sql, "cursor", String(store.revision));
  const nowMs = clock.nowMs();
  const [forked, written] = [otherSql, sql].map((of) => newServer({ sql: of, base: "kept", nowMs, seed: 9 }));
  if (!forked || !written) throw new Error("there are two");
  expect(readStateFile(file).header.objects).toBeGreaterThan(250);
  expect(stateOf(otherSql)).toEqual(stateOf(sql));
  let asks = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const [answer, two] = [await ask(forked, request), await ask(written, request)];
      expect([answer.code, answer.text, headersOf(answer)]).toEqual([two.code, two.text, headersOf(two)]);
      if (++asks % often > 0) return;
      for (const { cluster } of [forked, written]) cluster.step(60_000);
      expect(stateOf(otherSql)).toEqual(stateOf(sql));
    }),
    { numRuns: runs, seed: 11 },
  );
  for (const { cluster } of [forked, written]) cluster.runUntilQuiet();
  expect(stateOf(otherSql)).toEqual(stateOf(sql));
  expect(forked.cluster.changes.length).toBeGreaterThan(100);
  expect(forked.cluster.changes).toEqual(written.cluster.changes);
});
