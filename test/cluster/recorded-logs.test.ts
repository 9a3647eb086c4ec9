// Recorded logs of containers, and their bounds.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { RecordedLogs } from "../../worker/cluster/runs/recorded-logs.ts";
import { createTables, metaCharacters } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function tables() {
  const sql = nodeSql();
  createTables(sql);
  return sql;
}

const line = (atMs: number, text = `line ${atMs}\n`) => ({ atMs, stream: "stdout" as const, text });

test("L6: a log is read as it was recorded, also by another process, and each line is recorded once", () => {
  const sql = tables();
  const logs = new RecordedLogs(sql);
  logs.add("pod/main/1", [line(1), line(2)], 2);
  logs.add("pod/main/1", [line(1, "another\n"), line(3)], 3);
  const expected = [line(1), line(2), line(3)];
  expect(logs.of("pod/main/1")?.chunks).toEqual(expected);
  const again = new RecordedLogs(sql);
  expect(again.of("pod/main/1")?.chunks).toEqual(expected);
  again.add("pod/main/1", [line(2, "another\n"), line(4)], 4);
  expect(again.of("pod/main/1")?.chunks).toEqual([...expected, line(4)]);
  expect(again.of("pod/main/2")).toBeUndefined();
});

test("L6: the oldest lines of a log are dropped past its bound", () => {
  const sql = tables();
  const logs = new RecordedLogs(sql);
  const text = `${"x".repeat(1000)}\n`;
  const count = 1000;
  for (let atMs = 1; atMs <= count; atMs++) logs.add("pod/main/1", [line(atMs, text)], atMs);
  const most = limits.recordedLogSegments * limits.recordedLogSegmentCharacters;
  const { chunks = [] } = logs.of("pod/main/1") ?? {};
  expect(chunks.length * text.length).toBeLessThan(most);
  expect(chunks.length * text.length).toBeGreaterThan(most / 2);
  expect(chunks.at(-1)?.atMs).toBe(count);
  expect(metaCharacters(sql, "runlog:")).toBeLessThan(1.2 * most);
});

test("L6: if the sandbox's recorded logs reach their bound, a growing log is dropped, and its run is followed for readers", () => {
  const sql = tables();
  const logs = new RecordedLogs(sql);
  const text = "x".repeat(16_000);
  const runs =
    Math.ceil(limits.recordedLogCharacters / (limits.recordedLogSegments * limits.recordedLogSegmentCharacters)) + 2;
  for (let run = 0; run < runs; run++)
    for (let atMs = 1; atMs < 60; atMs++) logs.add(`pod/${run}/1`, [line(atMs, text)], atMs);
  expect(logs.of(`pod/${runs - 1}/1`)).toBeUndefined();
  expect(logs.of("pod/0/1")).toBeDefined();
  expect(metaCharacters(sql, "runlog:")).toBeLessThan(1.2 * limits.recordedLogCharacters);
});

test("L6: a pod's logs are deleted with it, and a restart deletes all but the newest of a container", () => {
  const logs = new RecordedLogs(tables());
  for (const run of ["pod/main/1", "pod/main/2", "pod/side/1", "other/main/1"]) logs.add(run, [line(1)], 1);
  logs.keepNewest("pod/main/", 1);
  expect(["pod/main/1", "pod/main/2", "pod/side/1"].map((run) => logs.of(run) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  logs.forget("pod/");
  expect(["pod/main/2", "pod/side/1", "other/main/1"].map((run) => logs.of(run) !== undefined)).toEqual([
    false,
    false,
    true,
  ]);
});
