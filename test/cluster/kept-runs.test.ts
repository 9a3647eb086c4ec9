// Cached runs that wait between reads: which inputs restart them.
import { beforeEach, describe, expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { KeptRuns } from "../../worker/cluster/runs/kept-runs.ts";
import type { Edit } from "../../worker/containers/shell/files.ts";
import { Run } from "../../worker/containers/shell/trace.ts";

let clock: SteppedClock;
let keptRuns: KeptRuns;
let begun: string[];

const read = "while true; do date +%s; cat /a 2>/dev/null; sleep 1; done";

function follow(atMs = clock.nowMs(), { name = "run", outside = [] as readonly Edit[], script = read } = {}) {
  const runs = keptRuns.forReader(new Set(), () => Number.POSITIVE_INFINITY);
  const done = runs.follow(name, atMs, outside, () => {
    begun.push(name);
    return new Run({ words: ["sh", "-c", script], startMs: 0, untilMs: 0, outside, prints: true });
  });
  return done?.chunks.map(({ text }) => text.trim());
}

beforeEach(() => {
  clock = new SteppedClock(0);
  keptRuns = new KeptRuns(clock);
  begun = [];
});

describe("a cached run", () => {
  test("continues from where it waits", () => {
    clock.step(2500);
    expect(follow()).toEqual(["0", "1", "2"]);
    clock.step(1000);
    expect(follow()).toEqual(["0", "1", "2", "3"]);
    expect(begun).toEqual(["run"]);
  });

  test("applies later events from outside, and restarts for earlier ones", () => {
    clock.step(1500);
    follow();
    clock.step(2000);
    const later = [{ atMs: 2500, path: "/a", text: "later\n" }];
    expect(follow(clock.nowMs(), { outside: later })).toEqual(["0", "1", "2", "3", "later"]);
    expect(begun).toHaveLength(1);
    const earlier = [{ atMs: 500, path: "/a", text: "earlier\n" }, ...later];
    expect(follow(clock.nowMs(), { outside: earlier })).toEqual(["0", "1", "earlier", "2", "earlier", "3", "later"]);
    expect(begun).toHaveLength(2);
  });

  test("restarts if a file is written at or before the moment to which it was followed", () => {
    clock.step(1500);
    follow();
    follow(5000);
    expect(begun).toHaveLength(2);
    keptRuns.changed();
    clock.step(1000);
    follow();
    follow(6000);
    expect(begun).toHaveLength(4);
    clock.step(1);
    keptRuns.changed();
    follow();
    follow(7000);
    expect(begun).toHaveLength(5);
  });

  test("is evicted, the least recently used first, if all runs together are too large", () => {
    clock.step(10);
    const script = "x=$(seq 1 150000); while true; do sleep 1; done";
    const names = Array.from({ length: 12 }, (_, index) => `run ${index}`);
    for (const name of names) follow(clock.nowMs(), { name, script });
    clock.step(10);
    begun = [];
    follow(clock.nowMs(), { name: "run 11", script });
    expect(begun).toEqual([]);
    follow(clock.nowMs(), { name: "run 0", script });
    expect(begun).toEqual(["run 0"]);
  });
});
