// Runs of exams: tasks in any order, flags, no results before the end, and an end that the service decides.
import { expect, test } from "vitest";
import type { ExamAction, OwnAccess, Run, RunWithTokens } from "../../shared/contract/lesson.ts";
import { newService } from "./service.ts";

const check = (name: string, points: number) => ({ name, points, hint: `do ${name}`, expression: "true" });
const exam = {
  name: "exam",
  title: "Exam",
  timeLimitMinutes: 60,
  exam: { passPercent: 50 },
  steps: [
    { title: "One", domain: "Storage", text: "# One", checks: [check("a", 2), check("b", 3)] },
    { title: "Two", domain: "Network", text: "# Two", checks: [check("c", 5)] },
    { title: "Three", domain: "Storage", text: "# Three", checks: [check("d", 10)] },
  ],
};

async function begun() {
  const bed = await newService();
  expect((await bed.send("POST", "/v1/lessons", { body: exam })).status).toBe(201);
  const run = await (
    await bed.send("POST", "/v1/lessons/exam/runs", { body: { learner: "pat" } })
  ).json<RunWithTokens>();
  const key = new URL(run.url).hash.slice(1);
  const cluster = bed.clusters.get(run.sandbox.id);
  if (!cluster) throw new Error("there is no cluster");
  const ask = async (method: "GET" | "POST", path: string, body?: object) => {
    bed.time.nowMs += 2000;
    const answer = await bed.send(method, `/v1/learn${path}`, { key, body });
    return { status: answer.status, body: await answer.json<Run & { error?: { field?: string } }>() };
  };
  return { ...bed, run, cluster, ask, act: (action: ExamAction) => ask("POST", "/exam", action) };
}

const passing = (...passed: boolean[]) => ({
  ok: true as const,
  revision: 60,
  results: passed.map((isPassed) => ({ passed: isPassed, message: "" })),
});

test("a learner moves among tasks in any order and flags them, without hints and results", async () => {
  const { act, ask } = await begun();
  const moved = await act({ task: 3 });
  expect(moved.body).toMatchObject({
    step: 3,
    page: { text: "# Three" },
    points: 0,
    exam: { domains: ["Storage", "Network", "Storage"] },
  });
  expect((await act({ flag: 2 })).body.exam?.flagged).toEqual([2]);
  const back = (await act({ task: 1, flag: 3 })).body;
  expect([back.step, back.exam?.flagged, back.steps.flatMap(({ checks }) => checks)]).toEqual([1, [2, 3], []]);
  expect((await act({ flag: 2 })).body.exam?.flagged).toEqual([3]);
  expect((await act({ task: 4 })).status).toBe(400);
  for (const path of ["/check", "/restart"]) expect((await ask("POST", path, {})).status).toBe(400);
  expect((await ask("POST", "/skip", { step: 2 })).status).toBe(400);
});

test("the end grades every task once, with partial points and a report by domain", async () => {
  const { act, cluster } = await begun();
  const graded: string[][] = [];
  cluster.gradeStep = async ({ expressions, acceptsRestores }) => {
    expect(acceptsRestores).toBe(true);
    graded.push([...expressions]);
    return passing(graded.length !== 2, false);
  };
  const { body } = await act({ finish: true });
  expect(graded.length).toBe(3);
  expect(body).toMatchObject({
    state: "finished",
    points: 12,
    maxPoints: 20,
    exam: {
      report: {
        percent: 60,
        byDomain: [
          { domain: "Storage", points: 12, maxPoints: 15 },
          { domain: "Network", points: 0, maxPoints: 5 },
        ],
      },
    },
  });
  expect(body.steps[0]?.checks).toMatchObject([
    { name: "a", passed: true, hint: "" },
    { name: "b", passed: false, hint: "" },
  ]);
  expect((await act({ task: 2, flag: 1 })).body).toMatchObject({ step: 2, exam: { flagged: [] } });
  await act({ finish: true });
  expect(graded.length).toBe(3);
});

test("the service ends an exam at its time: tokens expire, and whoever looks next has it graded", async () => {
  const { ask, cluster, time, run, send } = await begun();
  cluster.gradeStep = async ({ expressions }) => passing(...expressions.map(() => true));
  const access = (await ask("GET", "/access")).body as unknown as OwnAccess;
  expect(access.tokens.length).toBe(1);
  const endMs = Date.parse(run.exam?.endsAt ?? "");
  expect(endMs - Date.parse(run.startedAt)).toBe(3_600_000);
  expect(Date.parse(run.expiresAt)).toBeGreaterThan(endMs);
  expect(cluster.tokens.map(({ expiresAtMs }) => expiresAtMs)).toContain(Math.floor(endMs / 1000) * 1000);
  time.nowMs = endMs - 10_000;
  expect((await ask("GET", "")).body.state).toBe("running");
  time.nowMs = endMs;
  const { results } = await (await send("GET", "/v1/lessons/exam/results")).json<{
    results: { state: string; points: number }[];
  }>();
  expect(results).toMatchObject([{ state: "finished", points: 20 }]);
  expect((await ask("GET", "")).body.exam?.report?.percent).toBe(100);
});
