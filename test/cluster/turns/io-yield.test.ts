import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { newIoYield } from "../../../worker/cluster/turns/io-yield.ts";

function bed() {
  let nowMs = 1_000_000;
  const pauses: (() => void)[] = [];
  const pause = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pauses.push(resolve);
    return promise;
  };
  const yieldToIo = newIoYield(() => nowMs, pause);
  return { yieldToIo, pauses, step: (ms: number) => (nowMs += ms) };
}

test("requests that come one by one wait for nothing", () => {
  const { yieldToIo, step } = bed();
  for (let request = 0; request < 50; request++) {
    expect(yieldToIo()).toBeUndefined();
    step(limits.idleMs + 1);
  }
});

test("requests that follow one another without a gap all wait, now and then, for one pause", async () => {
  const { yieldToIo, pauses, step } = bed();
  for (let at = 0; at < limits.ioYieldMs; at++) {
    expect(yieldToIo()).toBeUndefined();
    step(1);
  }
  const first = yieldToIo();
  expect(first).toBeDefined();
  step(1);
  expect(yieldToIo()).toBe(first);
  expect(pauses).toHaveLength(1);
  pauses[0]?.();
  await first;
  expect(yieldToIo()).toBeUndefined();
  step(limits.ioYieldMs);
  expect(yieldToIo()).toBeDefined();
  expect(pauses).toHaveLength(2);
});
