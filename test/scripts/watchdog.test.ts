// The local service's watchdog: when it ends a Worker, and when it lets it be.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWatchdog } from "../../scripts/local/watchdog.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;

/** A Worker that answers or hangs. A hanging Worker recovers when it is restarted, unless `heals` is false. */
function newWorker({ heals = true } = {}) {
  const worker = { isHanging: false, kills: 0, lines: [] as string[], asked: 0 };
  const close = openWatchdog({
    ask: () => {
      worker.asked++;
      return worker.isHanging ? new Promise(() => undefined) : Promise.resolve();
    },
    kill: () => {
      worker.kills++;
      if (heals) worker.isHanging = false;
    },
    log: (line) => worker.lines.push(line),
  });
  return Object.assign(worker, { close });
}

test("H1: a Worker that hangs for half a minute is killed once, with one log line", async () => {
  const worker = newWorker();
  await vi.advanceTimersByTimeAsync(10 * minuteMs);
  expect(worker.kills).toBe(0);
  worker.isHanging = true;
  await vi.advanceTimersByTimeAsync(24_000);
  expect(worker.kills).toBe(0);
  await vi.advanceTimersByTimeAsync(10 * minuteMs);
  expect([worker.kills, worker.lines]).toEqual([1, ["Sandbar answered nothing for 30 seconds and is started again"]]);
});

test("H1: a Worker that hangs again after its restart is killed again", async () => {
  const worker = newWorker({ heals: false });
  worker.isHanging = true;
  await vi.advanceTimersByTimeAsync(2 * minuteMs);
  expect(worker.kills).toBe(4);
});

test("H1: a Worker that is slow at times is not killed", async () => {
  const worker = newWorker();
  for (let round = 0; round < 20; round++) {
    worker.isHanging = true;
    await vi.advanceTimersByTimeAsync(20_000);
    worker.isHanging = false;
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect(worker.kills).toBe(0);
});

test("H1: a Worker is not killed after the machine slept", async () => {
  const worker = newWorker();
  worker.isHanging = true;
  for (let night = 0; night < 20; night++) {
    await vi.advanceTimersByTimeAsync(7_000);
    // The time of day goes on, timers do not.
    vi.setSystemTime(Date.now() + 8 * 60 * minuteMs);
    await vi.advanceTimersByTimeAsync(3_000);
  }
  expect([worker.asked > 10, worker.kills]).toEqual([true, 0]);
});

test("H1: a closed watchdog sends no requests", async () => {
  const worker = newWorker();
  worker.close();
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect(worker.asked).toBe(0);
});
