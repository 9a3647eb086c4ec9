import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { breather } from "../../worker/cluster/io-yield.ts";

function bed() {
  let nowMs = 1_000_000;
  const pauses: (() => void)[] = [];
  const pause = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pauses.push(resolve);
    return promise;
  };
  const breathe = breather(() => nowMs, pause);
  return { breathe, pauses, step: (ms: number) => (nowMs += ms) };
}

test("requests that come one by one wait for nothing", () => {
  const { breathe, step } = bed();
  for (let request = 0; request < 50; request++) {
    expect(breathe()).toBeUndefined();
    step(limits.idleMs + 1);
  }
});

test("requests that follow one another without a gap all wait, now and then, for one pause", async () => {
  const { breathe, pauses, step } = bed();
  for (let at = 0; at < limits.breathMs; at++) {
    expect(breathe()).toBeUndefined();
    step(1);
  }
  const first = breathe();
  expect(first).toBeDefined();
  step(1);
  expect(breathe()).toBe(first);
  expect(pauses).toHaveLength(1);
  pauses[0]?.();
  await first;
  expect(breathe()).toBeUndefined();
  step(limits.breathMs);
  expect(breathe()).toBeDefined();
  expect(pauses).toHaveLength(2);
});
