// The time of sessions and followed logs: clients wait in real time, whatever the cluster's clock does.
import { describe, expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { nothingSent } from "../../worker/api/connect/progress.ts";
import { datedNow, inRealTime, sessionNowMs, waitMsUntil } from "../../worker/api/connect/session-time.ts";
import { ClusterClock } from "../../worker/cluster/time/clock/cluster-clock.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function clocks(setting: Parameters<ClusterClock["set"]>[0]) {
  const [sql, real] = [nodeSql(), new SteppedClock()];
  createTables(sql);
  const clock = new ClusterClock(sql, real);
  clock.set(setting);
  // Only the clock of the registry is used here.
  const registry = { clock } as unknown as Parameters<typeof waitMsUntil>[0]["registry"];
  const server = { registry, nowMs: () => real.nowMs(), realMsOf: (ms: number) => clock.realMsOf(ms) };
  return { real, clock, server };
}

const step = { sent: nothingSent, typed: [], hasEnded: false };

describe("the time of a session", () => {
  test("passes with the cluster's clock", () => {
    const { clock, server } = clocks({ speed: 60 });
    const nowMs = clock.nowMs();
    expect(waitMsUntil(server, nowMs + 60_000)).toBe(1_000);
    const stepped = { nowMs, output: [], sent: nothingSent, nextMs: nowMs + 15_000 };
    expect(inRealTime(server, stepped).nextMs).toBe(nowMs + 250);
    expect(waitMsUntil(server, nowMs - 5)).toBe(0);
  });

  test("continues while the clock is paused, and its changes are visible immediately", () => {
    const { real, clock, server } = clocks({ state: "paused" });
    const [startMs, startRealMs] = [clock.nowMs(), real.nowMs()];
    real.step(700);
    expect(sessionNowMs(server, { ...step, startMs, startRealMs })).toBe(startMs + 700);
    const stepped = { nowMs: startMs, output: [], sent: nothingSent, nextMs: startMs + 900 };
    expect(inRealTime(server, stepped)).toBe(stepped);
    expect(datedNow(server, [{ atMs: startMs + 400 }, { atMs: startMs - 1 }])).toEqual([
      { atMs: startMs },
      { atMs: startMs - 1 },
    ]);
    expect(waitMsUntil(server, startMs + 1)).toBe(3_600_000);
  });

  test("is the clock's while it runs, or the time of the input", () => {
    const { real, clock, server } = clocks({ speed: 2 });
    const [startMs, startRealMs] = [clock.nowMs(), real.nowMs()];
    real.step(500);
    expect(sessionNowMs(server, { ...step, startMs, startRealMs })).toBe(startMs + 1_000);
    const typed = [{ atMs: startMs + 1_700, text: "x" }];
    expect(sessionNowMs(server, { ...step, startMs, startRealMs, typed })).toBe(startMs + 1_700);
  });
});
