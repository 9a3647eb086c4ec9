// The board of a class, and the events of a page that frames a lesson.
import { describe, expect, test } from "vitest";
import type { Result, Run } from "../../shared/contract/lesson.ts";
import { inOrder, isLive, isStuck, stuckMs, totalsOf } from "../../web/learn/board/standing.ts";
import { eventsOf } from "../../web/learn/lesson-events.ts";

const nowMs = Date.UTC(2026, 0, 1, 12);

const score = { attempts: 0, best: 0, last: 0, hints: 0, solutionShown: false };

function result(learner: string, minutes: number, attempts: number, more: Partial<Result> = {}): Result {
  const stepStartedAt = new Date(nowMs - minutes * 60_000).toISOString();
  return {
    run: `run-${learner}`,
    lesson: "first",
    version: 1,
    learner,
    state: "running",
    step: 1,
    points: 0,
    lastPoints: 0,
    maxPoints: 10,
    startedAt: stepStartedAt,
    stepStartedAt,
    changedAt: stepStartedAt,
    expiresAt: stepStartedAt,
    endsAt: stepStartedAt,
    sandbox: { id: "a", server: "https://a" },
    paused: false,
    steps: [{ ...score, state: "current", attempts, answers: {}, tries: [] }],
    ...more,
  };
}

describe("a run", () => {
  test("M12: has a cluster until its time is up, also if it was finished before; afterwards its record is replayed", () => {
    const [past, future] = [-1, 1].map((ms) => new Date(nowMs + ms).toISOString()) as [string, string];
    const liveIn = (state: Result["state"], expiresAt: string) => isLive({ state, expiresAt }, nowMs);
    expect([liveIn("running", future), liveIn("finished", future)]).toEqual([true, true]);
    expect([liveIn("expired", past), liveIn("finished", past)]).toEqual([false, false]);
  });
});

describe("M11: the board", () => {
  test.each([
    [9, 1, {}, false],
    [stuckMs / 60_000, 1, {}, true],
    // Who has not tried reads, or is away.
    [30, 0, {}, false],
    [1, 5, {}, true],
    [30, 9, { state: "finished" }, false],
    [30, 9, { state: "expired" }, false],
  ] as const)(
    "M11: after %i minutes at a step and %i attempts, %j: stuck is %s",
    (minutes, attempts, more, expected) => {
      expect(isStuck(result("a", minutes, attempts, more), nowMs)).toBe(expected);
    },
  );

  test("M11: lists stuck learners first, then by time at a step, and finished ones last", () => {
    const all = [
      result("over", 90, 3, { state: "expired" }),
      result("done", 60, 0, { state: "finished", points: 10 }),
      result("new", 1, 0),
      result("slow", 8, 2, { points: 4 }),
      result("stuck", 5, 6),
      result("stuck-longer", 12, 1),
    ];
    const names = (order: "help" | "learner" | "points") => inOrder(all, order, nowMs).map(({ learner }) => learner);
    expect(names("help")).toEqual(["stuck-longer", "stuck", "slow", "new", "done", "over"]);
    expect(names("learner")).toEqual(["done", "new", "over", "slow", "stuck", "stuck-longer"]);
    expect(names("points").slice(0, 2)).toEqual(["done", "slow"]);
    expect(totalsOf(all, nowMs)).toEqual({ running: 4, stuck: 2, finished: 1, percent: 23 });
    expect(totalsOf([], nowMs).percent).toBeUndefined();
  });
});

describe("M11: a page that frames a lesson", () => {
  const run = (states: readonly Run["steps"][number]["state"][], more: Partial<Run> = {}): Run => ({
    ...result("a", 0, 0),
    title: "First",
    allowsSkipping: true,
    steps: states.map((state) => ({ ...score, state, title: "x", maxPoints: 1, graded: false, checks: [] })),
    page: { step: 1, title: "x", text: "x", answer: "", questions: [], hints: [] },
    messages: [],
    help: { state: "none", lines: [] },
    ...more,
  });
  const eventLines = (now: Run, before?: Run) => eventsOf(now, before).map(({ type, step }) => `${type} ${step}`);
  const before = run(["current", "ahead"]);

  test("M11: receives events for readiness, changes, each passed step and the end", () => {
    expect(eventLines(before)).toEqual(["ready 1"]);
    expect(eventLines(run(["current", "ahead"]), before)).toEqual([]);
    const later = { changedAt: "2026-01-01T12:00:01.000Z" };
    expect(eventLines(run(["current", "ahead"], later), before)).toEqual(["changed 1"]);
    const second = run(["passed", "current"], { ...later, step: 2 });
    expect(eventLines(second, before)).toEqual(["changed 2", "passed 1"]);
    const done = run(["passed", "passed"], { changedAt: "2026-01-01T12:00:02.000Z", step: 2, state: "finished" });
    expect(eventLines(done, second)).toEqual(["changed 2", "passed 2", "finished 2"]);
    expect(eventLines(run(["current", "ahead"], { state: "expired" }), before)).toEqual(["expired 1"]);
  });

  test("M11: receives no token and no address", () => {
    expect(Object.keys(eventsOf(before, undefined)[0] ?? {}).sort()).toEqual([
      ...["lesson", "maxPoints", "points", "run", "source", "step", "type"],
    ]);
  });
});
