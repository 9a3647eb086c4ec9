// Logs in the console whose connection is lost.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LogLines } from "../../web/objects/logs/log-lines.ts";
import { LogRefused, untilEnd } from "../../web/objects/logs/until-end.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a log whose connection is lost is read again, without its lines twice", async () => {
  const lines = new LogLines();
  const notes: string[] = [];
  let runs = 0;
  const follow = async () => {
    runs += 1;
    if (runs === 2) throw new TypeError("Failed to fetch");
    lines.add("web", "one\n");
    lines.add("other", `${runs}\n`);
    if (runs === 3) lines.add("web", "two\n");
    return runs === 3 ? "ended" : "lost";
  };
  const done = untilEnd(
    follow,
    () => lines.restart("web"),
    () => void notes.push("lost"),
    new AbortController().signal,
  );
  await vi.advanceTimersByTimeAsync(999);
  expect([runs, notes]).toEqual([1, ["lost"]]);
  await vi.advanceTimersByTimeAsync(2_001);
  await done;
  expect([runs, notes]).toEqual([3, ["lost", "lost"]]);
  expect(lines.list().map(({ from, text }) => `${from} ${text}`)).toEqual(["other 1", "web one", "other 3", "web two"]);
});

test("a log that the API refuses is not asked for again", async () => {
  const follow = vi.fn(async () => {
    throw new LogRefused("pods is forbidden");
  });
  const lost = vi.fn();
  await expect(untilEnd(follow, () => undefined, lost, new AbortController().signal)).rejects.toThrow("is forbidden");
  expect([follow.mock.calls.length, lost.mock.calls.length]).toEqual([1, 0]);
});

test("a log is not read again after the page has left it", async () => {
  const stop = new AbortController();
  const follow = vi.fn(async () => "lost" as const);
  const done = untilEnd(
    follow,
    () => undefined,
    () => undefined,
    stop.signal,
  );
  await vi.advanceTimersByTimeAsync(500);
  stop.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await done;
  expect(follow.mock.calls.length).toBe(1);
});
