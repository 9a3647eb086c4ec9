// Steps of a lesson in the control API: questions, hints with a price, solutions after some tries, and automatic grading.
import { describe, expect, test } from "vitest";
import { questionLimits } from "../../shared/base/lesson-limits.ts";
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { Run, RunWithTokens } from "../../shared/contract/lesson.ts";
import { newService } from "./service.ts";

const secrets = ["SECRET-RIGHT", "SECRET-FEEDBACK", "SECRET-GAP", "SECRET-HINT", "SECRET-SOLUTION", "SECRET-CEL"];
const lesson = {
  name: "first",
  title: "First",
  steps: [
    {
      title: "One",
      text: "# One",
      checks: [{ name: "a", points: 2, expression: '"SECRET-CEL" != ""', messageExpression: '"SECRET-CEL"' }],
      questions: [
        {
          ...{ kind: "choice", name: "which", text: "Which?", points: 3 },
          options: [
            { text: "this", correct: true, feedback: "SECRET-RIGHT" },
            { text: "that", feedback: "SECRET-FEEDBACK" },
          ],
        },
        { kind: "order", name: "order", text: "Order?", items: ["first", "second", "third"] },
        { kind: "fill", name: "fill", text: "Say ___", gaps: [["SECRET-GAP"]] },
        { kind: "text", name: "why", text: "Why?", expression: 'answer == "SECRET-CEL"' },
      ],
      hints: [
        { text: "SECRET-HINT one", price: 1 },
        { text: "SECRET-HINT two", price: 4 },
      ],
      solutionAfter: 2,
      solution: [{ apply: "SECRET-SOLUTION: 1" }],
    },
    { title: "Two", text: "# Two", checks: [{ name: "b", expression: "true" }] },
  ],
};
const right = { which: ["this"], order: ["first", "second", "third"], fill: ["secret-gap"], why: ["so"] };

type Answered = Run & Partial<ErrorBody>;

async function begun() {
  const bed = await newService();
  expect((await bed.send("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
  const started = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner: "pat" } });
  const { url, sandbox, run } = await started.json<RunWithTokens>();
  const cluster = bed.clusters.get(sandbox.id);
  if (!cluster) throw new Error("there is no cluster");
  const key = new URL(url).hash.slice(1);
  /** As the learner's page, which waits between two actions. */
  const learn = async (what: string, body?: object) => {
    bed.time.nowMs += 1_100;
    const answer = await bed.send(body ? "POST" : "GET", `/v1/learn${what}`, { key, ...(body ? { body } : {}) });
    return { status: answer.status, body: await answer.json<Answered>() };
  };
  const result = async () => {
    const answer = await bed.send("GET", "/v1/lessons/first/results");
    return (await answer.json<{ results: Run[] }>()).results[0];
  };
  return { ...bed, cluster, learn, run, result };
}

const verdict =
  (...passed: boolean[]) =>
  () =>
    ({ ok: true, revision: 60, results: passed.map((isPassed) => ({ passed: isPassed, message: "" })) }) as const;

describe("questions of a step", () => {
  test("M10: the learner's page holds no answer, hint, feedback, expression or solution before it is due", async () => {
    const { learn, cluster } = await begun();
    cluster.verdict = verdict(false, false);
    const page = await learn("");
    const wrong = await learn("/check", { answers: { which: ["this"], fill: ["nothing"], why: ["nothing"] } });
    for (const secret of secrets.slice(1)) {
      expect(JSON.stringify(page.body), secret).not.toContain(secret);
      expect(JSON.stringify(wrong.body), secret).not.toContain(secret);
    }
    expect(page.body.page.questions[1]?.items).not.toEqual(["first", "second", "third"]);
    expect(page.body.page.questions[0]).toEqual({
      ...{ kind: "choice", name: "which", text: "Which?", points: 3, several: false, options: ["this", "that"] },
      ...{ answer: [], passed: false, tries: 0, feedback: [] },
    });
  });

  test("M7: the step passes when all checks hold and all answers are right, and the answers are in the results", async () => {
    const { learn, cluster, result } = await begun();
    cluster.verdict = verdict(true, false);
    const first = await learn("/check", { answers: { which: ["that"], why: ["no"] } });
    expect(first.body).toMatchObject({ step: 1, points: 2, steps: [{ attempts: 1, maxPoints: 8 }, {}] });
    expect(first.body.page.questions[0]).toMatchObject({ passed: false, tries: 1, feedback: ["SECRET-FEEDBACK"] });
    cluster.verdict = verdict(true, true);
    const second = await learn("/check", { answers: right });
    expect(second.body).toMatchObject({ step: 2, points: 8, steps: [{ state: "passed", seconds: 2 }, {}] });
    expect(cluster.graded.at(-1)).toMatchObject({ answers: { 1: "so" }, messages: { 0: '"SECRET-CEL"' } });
    expect((await result())?.steps[0]).toMatchObject({
      answers: { which: { answer: ["this"], passed: true, tries: 2 }, why: { answer: ["so"], passed: true, tries: 2 } },
      tries: [{ points: 2 }, { points: 8 }],
      attempts: 2,
    });
  });

  test("M7: an answer that was given again unchanged is no further try, and a right one stays right", async () => {
    const { learn, cluster } = await begun();
    cluster.verdict = verdict(false);
    await learn("/check", { answers: { fill: ["secret-gap"], which: ["that"] } });
    const again = await learn("/check", { answers: { fill: ["other"], which: ["that"] } });
    expect(again.body.page.questions.map(({ passed, tries }) => [passed, tries])).toEqual([
      [false, 1],
      [false, 0],
      [true, 1],
      [false, 0],
    ]);
  });

  test.each([
    ["an unknown question", { nothing: ["a"] }, "answers.nothing"],
    ["an unknown option", { which: ["else"] }, "answers.which"],
    ["texts beyond the bound", { why: ["x".repeat(questionLimits.answerCharacters + 1)] }, "answers.why.0"],
  ])("M7: %s is refused, and no try is counted", async (_, answers, field) => {
    const { learn, cluster } = await begun();
    const refused = await learn("/check", { answers });
    expect([refused.status, refused.body.error]).toMatchObject([400, { code: "invalid_field", field }]);
    expect(cluster.graded).toEqual([]);
    expect((await learn("")).body.steps[0]).toMatchObject({ attempts: 0 });
  });
});

describe("hints and solutions", () => {
  test("M7: a hint costs its price of the step's points, which never fall below 0", async () => {
    const { learn, cluster } = await begun();
    cluster.verdict = verdict(true, true);
    expect((await learn("")).body.page).toMatchObject({ hints: [], nextHint: { price: 1 } });
    const first = await learn("/hint", {});
    expect(first.body.page).toMatchObject({ hints: ["SECRET-HINT one"], nextHint: { price: 4 } });
    expect((await learn("/check", { answers: { which: ["this"] } })).body.points).toBe(4);
    expect((await learn("/hint", {})).body).toMatchObject({ points: 0, steps: [{ best: 0, hints: 2 }, {}] });
    expect((await learn("/hint", {})).status).toBe(404);
    // The checks of all: 8 points, less 5.
    expect((await learn("/check", { answers: right })).body.points).toBe(3);
  });

  test("M7: the solution is shown after the lesson's number of tries, and then no further points are earned", async () => {
    const { learn, cluster } = await begun();
    cluster.verdict = verdict(false);
    expect((await learn("")).body.page.solutionAfter).toBe(2);
    expect((await learn("/solution", {})).body.error?.code).toBe("solution_not_due");
    await learn("/check", {});
    expect((await learn("/check", {})).body.page.solutionAfter).toBe(0);
    const page = await learn("/solution", {});
    expect(page.body.page.solution).toContain("SECRET-SOLUTION: 1");
    expect(page.body.page.solution).toContain("**SECRET-GAP**");
    cluster.verdict = verdict(true, true);
    expect((await learn("/check", { answers: right })).body).toMatchObject({
      ...{ step: 2, points: 0 },
      steps: [{ state: "passed", solutionShown: true }, {}],
    });
  });
});

describe("automatic grading", () => {
  test("M7: a change of the cluster grades the checks without a try, and passing the step needs a try", async () => {
    const { learn, cluster } = await begun();
    cluster.verdict = verdict(false);
    expect((await learn("/check", { unlessRevision: 0 })).body).toMatchObject({
      revision: 60,
      steps: [{ graded: true, attempts: 0, checks: [{ passed: false, hint: "" }] }, {}],
    });
    cluster.verdict = verdict(true);
    expect((await learn("/check", { unlessRevision: 60 })).body).toMatchObject({ step: 1, points: 2 });
    expect(cluster.graded.at(-1)?.unless).toMatchObject({ revision: 60 });
    cluster.verdict = () => ({ ok: true, isUnchanged: true, results: [], revision: 60 });
    expect((await learn("/check", { unlessRevision: 60 })).body).toMatchObject({
      steps: [{ attempts: 0, checks: [{ passed: true }] }, {}],
    });
  });

  test("M7: is no action of the learner, so it is not refused right after one", async () => {
    const { learn, time, cluster } = await begun();
    cluster.verdict = verdict(false);
    await learn("/check", {});
    time.nowMs -= 1_100;
    expect((await learn("/check", { unlessRevision: 0 })).status).toBe(200);
    time.nowMs -= 1_100;
    expect((await learn("/check", {})).body.error?.code).toBe("too_soon");
  });

  test("M7: a paused, ended or concurrently changed run is returned without grading and without an error", async () => {
    const { learn, send, time, cluster, service } = await begun();
    cluster.verdict = verdict(true);
    const { changeRun } = service.lessons;
    service.lessons.changeRun = () => Promise.resolve(false);
    expect((await learn("/check", { unlessRevision: 0 })).body).toMatchObject({ points: 0 });
    service.lessons.changeRun = changeRun;
    const graded = cluster.graded.length;
    await send("POST", "/v1/lessons/first/pause", { body: { paused: true } });
    expect((await learn("/check", { unlessRevision: 0 })).body).toMatchObject({ paused: true, points: 0 });
    await send("POST", "/v1/lessons/first/pause", { body: { paused: false } });
    time.nowMs += 1e9;
    expect((await learn("/check", { unlessRevision: 0 })).body).toMatchObject({ state: "expired", points: 0 });
    expect(cluster.graded.length).toBe(graded);
  });
});
