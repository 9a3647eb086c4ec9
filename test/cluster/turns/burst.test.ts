// The end of a burst of writes, and which revisions controllers see before it.
import { expect, test } from "vitest";
import { Burst } from "../../../worker/cluster/turns/burst.ts";

test("Q14: a burst is over when no write has happened for the delay", () => {
  const burst = new Burst(10);
  burst.wrote(1000, 5);
  expect([burst.isOn, burst.leftMs(1000), burst.leftMs(1009), burst.leftMs(1010)]).toEqual([true, 10, 1, 0]);
  burst.wrote(1008, 6);
  expect([burst.leftMs(1010), burst.leftMs(1018)]).toEqual([8, 0]);
  burst.show(1018);
  expect([burst.isOn, burst.leftMs(1018)]).toEqual([false, 0]);
});

test("Q14: while writes continue, writes older than five delays are shown together with all older than one delay", () => {
  const burst = new Burst(10);
  for (let nowMs = 1000; nowMs < 1050; nowMs += 5) burst.wrote(nowMs, nowMs);
  expect([burst.leftMs(1045), burst.leftMs(1050)]).toEqual([5, 0]);
  burst.show(1050);
  expect(burst.before).toBe(1045);
  // Newer ones are a burst of their own.
  expect(burst.leftMs(1050)).toBe(5);
  for (let nowMs = 1050; nowMs < 1095; nowMs += 5) burst.wrote(nowMs, nowMs);
  expect(burst.leftMs(1090)).toBe(5);
});

test("Q14: controllers see the revision before a burst's first write, and all writes after the burst", async () => {
  const burst = new Burst(10);
  expect([burst.isOn, burst.before]).toEqual([false, Number.POSITIVE_INFINITY]);
  burst.wrote(1000, 5);
  burst.wrote(1000, 6);
  burst.wrote(1001, 7);
  expect(burst.before).toBe(5);
  const { nextShown } = burst;
  burst.show(1011);
  await nextShown;
  expect([burst.isOn, burst.before]).toEqual([false, Number.POSITIVE_INFINITY]);
  await burst.nextShown;
});

test("Q14: a clock that is set back delays nothing", () => {
  const burst = new Burst(10);
  burst.wrote(5000, 5);
  expect(burst.leftMs(1000)).toBe(50);
  burst.show(1050);
  expect(burst.isOn).toBe(false);
});

test("Q14: with a delay of 0 there are no bursts", () => {
  expect([new Burst(0).isWanted, new Burst(1).isWanted]).toEqual([false, true]);
});
