// Lessons and runs in the control API: versions, bounds and progress, over clusters that record their calls.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { Result, Run, RunWithTokens } from "../../shared/contract/lesson.ts";
import { keys, newService } from "./service.ts";

const check = (name: string, points: number, expression = "true") => ({ name, points, hint: `do ${name}`, expression });
const lesson = {
  name: "first",
  title: "First",
  manifests: "a: 1",
  timeLimitMinutes: 30,
  users: [{ name: "ann", groups: ["system:masters"] }, { name: "bob" }],
  steps: [
    {
      title: "One",
      text: "# One",
      checks: [check("a", 2, "1 == 1"), check("b", 3, "2 == 2")],
      solution: [{ apply: "x: 1" }],
    },
    {
      title: "Two",
      text: "# Two",
      question: "Why?",
      checks: [check("c", 5, 'answer == "so"')],
      solution: [{ answer: "so" }],
    },
    { title: "Three", text: "# Three", checks: [check("d", 1)] },
  ],
};

type Bed = Awaited<ReturnType<typeof newService>>;

async function published(document: object = lesson): Promise<Bed> {
  const bed = await newService();
  const { status } = await bed.send("POST", "/v1/lessons", { body: document });
  expect(status).toBe(201);
  return bed;
}

async function begun(bed: Bed, learner = "pat") {
  const answer = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner } });
  expect(answer.status).toBe(201);
  const run = await answer.json<RunWithTokens>();
  const cluster = bed.clusters.get(run.sandbox.id);
  if (!cluster) throw new Error("there is no cluster");
  const act = async (what: string, body: object = {}) => {
    const done = await bed.send("POST", `/v1/lessons/first/runs/${run.run}/${what}`, { body });
    return { status: done.status, body: await done.json<Run & { error?: { code: string; field?: string } }>() };
  };
  return { run, cluster, act };
}

async function madeSandbox({ send }: Bed): Promise<string> {
  return (await (await send("POST", "/v1/sandboxes", { body: {} })).json<{ id: string }>()).id;
}

const verdicts =
  (...passed: boolean[]) =>
  () =>
    ({
      ok: true,
      revision: 60,
      results: passed.map((isPassed) => ({ passed: isPassed, message: isPassed ? "" : "it is not there" })),
    }) as const;

describe("lessons", () => {
  test("M6: a changed lesson is published as its next version, and an equal one as the same version", async () => {
    const { send, time } = await published();
    const again = await (await send("POST", "/v1/lessons", { body: lesson })).json();
    time.nowMs += 1000;
    const changed = await (await send("POST", "/v1/lessons", { body: { ...lesson, title: "Other" } })).json();
    expect([again, changed]).toMatchObject([{ version: 1 }, { version: 2, title: "Other", steps: 3, points: 11 }]);
    const old = await (await send("GET", "/v1/lessons/first?version=1")).json();
    expect(old).toMatchObject({
      version: 1,
      lesson: { title: "First", description: "", allowsSkipping: true },
    });
    const listed = await (await send("GET", "/v1/lessons")).json();
    expect(listed).toMatchObject({ lessons: [{ name: "first", version: 2 }] });
  });

  test("M6: lessons are listed by name, in any order of publication", async () => {
    const { send } = await newService();
    for (const [name, title] of Object.entries({ middle: "b", zebra: "a", alpha: "c" }))
      await send("POST", "/v1/lessons", { body: { ...lesson, name, title } });
    const { lessons } = await (await send("GET", "/v1/lessons")).json<{ lessons: { name: string }[] }>();
    expect(lessons.map(({ name }) => name)).toEqual(["alpha", "middle", "zebra"]);
  });

  test("M6: a template that does not exist is named as the invalid field", async () => {
    const { send } = await newService();
    const answer = await send("POST", "/v1/lessons", { body: { ...lesson, template: "absent" } });
    const message = "template: is not there: neither a template of yours nor one that is built in";
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "invalid_field", field: "template", message } },
    ]);
  });

  test("M6: another tenant sees no lesson", async () => {
    const bed = await published();
    const { run } = await begun(bed);
    const asBob = { key: keys.bob };
    for (const path of ["/v1/lessons/first", "/v1/lessons/first/results", `/v1/lessons/first/runs/${run.run}`]) {
      expect((await bed.send("GET", path, asBob)).status).toBe(404);
    }
    expect((await bed.send("POST", `/v1/lessons/first/runs/${run.run}/check`, { ...asBob, body: {} })).status).toBe(
      404,
    );
    expect((await bed.send("DELETE", "/v1/lessons/first", asBob)).status).toBe(404);
    expect(await (await bed.send("GET", "/v1/lessons", asBob)).json()).toEqual({ lessons: [] });
  });

  test.each([
    [
      "an expression",
      { steps: [{ title: "a", text: "b", checks: [check("c", 1, "nothing")] }] },
      "steps.0.checks.0.expression",
    ],
    ["a field", { titel: "x" }, "titel"],
    ["no steps", { steps: [] }, "steps"],
    [
      "points",
      { steps: [{ title: "a", text: "b", checks: [check("c", limits.lessonPoints + 1)] }] },
      "steps.0.checks.0.points",
    ],
  ])("M6: an invalid %s is named", async (_, change, field) => {
    const { send } = await newService();
    const answer = await send("POST", "/v1/lessons", { body: { ...lesson, ...change } });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_field", field } }]);
  });

  test("M6: a lesson has a bound in characters, and a tenant one in versions", async () => {
    const { send, database } = await published();
    const step = { title: "a", text: "x".repeat(limits.lessonPageCharacters), checks: [check("c", 1)] };
    const large = await send("POST", "/v1/lessons", {
      body: { ...lesson, steps: Array.from({ length: 9 }, () => step) },
    });
    expect([large.status, await large.json()]).toMatchObject([413, { error: { code: "too_large" } }]);
    const add = database.prepare("INSERT INTO lessons VALUES ('ada', 'many', ?, 'x', 1, 1, '{}', 2, 0)");
    for (let version = 1; version < limits.lessonVersions; version++) add.run(version);
    const more = await send("POST", "/v1/lessons", { body: { ...lesson, title: "Other" } });
    expect([more.status, await more.json()]).toMatchObject([409, { error: { code: "too_many_lessons" } }]);
  });
});

describe("runs of a lesson", () => {
  test("M7: a run is a sandbox with the lesson's objects, lifetime and users", async () => {
    const bed = await published();
    const { run, cluster } = await begun(bed);
    expect(run).toMatchObject({
      learner: "pat",
      state: "running",
      step: 1,
      points: 0,
      maxPoints: 11,
      page: { title: "One", text: "# One" },
    });
    expect(run.tokens.map(({ user }) => user)).toEqual(["ann", "bob"]);
    expect(run.tokens.every((userToken) => userToken.kubeconfig.includes(JSON.stringify(userToken.token)))).toBe(true);
    expect(Date.parse(run.expiresAt) - bed.time.nowMs).toBe(30 * 60_000);
    expect(cluster.initializeOptions).toMatchObject({ manifests: "a: 1", nodes: limits.sandboxNodesDefault });
    expect(cluster.tokens.map(({ user, groups }) => [user, groups])).toEqual([
      ["ann", ["system:masters"]],
      ["bob", []],
    ]);
    expect(JSON.stringify(run)).not.toContain("expression");
  });

  test("M7: partial credit is stored as best and last attempt, with hints for failed checks", async () => {
    const bed = await published();
    const { cluster, act } = await begun(bed);
    cluster.verdict = verdicts(false, true);
    const first = await act("check");
    expect(first.body.steps[0]).toEqual({
      title: "One",
      state: "current",
      attempts: 1,
      best: 3,
      last: 3,
      hints: 0,
      solutionShown: false,
      graded: true,
      maxPoints: 5,
      checks: [
        { name: "a", points: 2, passed: false, hint: "do a", message: "it is not there" },
        { name: "b", points: 3, passed: true, hint: "", message: "" },
      ],
    });
    cluster.verdict = verdicts(true, false);
    const second = await act("check");
    expect(second.body).toMatchObject({ step: 1, points: 3, steps: [{ best: 3, last: 2, attempts: 2 }, {}, {}] });
    expect(cluster.graded[0]).toEqual({
      expressions: ["1 == 1", "2 == 2"],
      since: 40,
      answer: "",
      allowsStatusWrites: false,
    });
  });

  test("M7: when all checks pass, the next step starts at that revision, and the last one ends the run", async () => {
    const bed = await published();
    const { cluster, act } = await begun(bed);
    cluster.verdict = verdicts(true, true);
    expect((await act("check")).body).toMatchObject({
      step: 2,
      points: 5,
      page: { title: "Two", question: "Why?", answer: "" },
    });
    expect((await act("answer", { answer: "so" })).body.page.answer).toBe("so");
    cluster.verdict = verdicts(true);
    await act("check");
    expect(cluster.graded.at(-1)).toMatchObject({ since: 60, answer: "so" });
    const last = (await act("check")).body;
    expect(last).toMatchObject({ step: 3, points: 11, state: "finished" });
    expect(last.steps.map(({ state }) => state)).toEqual(["passed", "passed", "passed"]);
    cluster.verdict = verdicts(false);
    expect((await act("check")).body).toMatchObject({ state: "finished", points: 11 });
  });

  test("M7: restarting a step restores its first revision", async () => {
    const bed = await published();
    const { cluster, act } = await begun(bed);
    cluster.states.set(40, new Uint8Array());
    expect((await act("restart")).status).toBe(200);
    expect(cluster.restored).toEqual([{ revision: 40 }]);
    await act("check");
    expect(cluster.graded[0]?.since).toBe(99);
  });

  test("M7: if a step's first revision is compacted, the step starts as after a skip", async () => {
    const bed = await published();
    const { cluster, act } = await begun(bed);
    await act("check");
    expect((await act("restart")).body).toMatchObject({ step: 2, points: 5, steps: [{ state: "passed" }, {}, {}] });
    expect(cluster.restored).toMatchObject([{ file: {} }]);
    expect(cluster.performed).toEqual([{ apply: "x: 1" }]);
    await act("check");
    expect(cluster.graded.at(-1)?.since).toBe(40);
  });

  test("M7: restarting a run restores its start and removes its points", async () => {
    const bed = await published();
    const { cluster, act, run } = await begun(bed);
    await act("check");
    bed.time.nowMs += 60_000;
    const again = (await act("reset")).body;
    expect(again).toMatchObject({
      step: 1,
      points: 0,
      lastPoints: 0,
      state: "running",
      steps: [{ attempts: 0 }, {}, {}],
    });
    expect(Date.parse(again.stepStartedAt) - Date.parse(run.startedAt)).toBe(60_000);
    expect(cluster.restored).toMatchObject([{ file: {} }]);
    expect(cluster.performed).toEqual([]);
  });

  test("M7: deleting a run deletes its sandbox", async () => {
    const bed = await published();
    const { cluster, run } = await begun(bed);
    const path = `/v1/lessons/first/runs/${run.run}`;
    expect((await bed.send("DELETE", path)).status).toBe(204);
    expect([cluster.destroyed, (await bed.send("GET", path)).status]).toEqual([true, 404]);
    expect((await bed.send("DELETE", path)).status).toBe(404);
  });

  test("M7: resuming a run returns the same run with the same tokens until it expires", async () => {
    const bed = await published();
    const { run } = await begun(bed);
    const resumed = async (learner: string) => {
      const answer = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner, resume: true } });
      expect(answer.status).toBe(201);
      return answer.json<RunWithTokens>();
    };
    const again = await resumed("pat");
    expect([again.run, again.tokens, again.url]).toEqual([run.run, run.tokens, run.url]);
    expect((await resumed("kim")).run).not.toBe(run.run);
    bed.time.nowMs += 30 * 60_000;
    expect((await resumed("pat")).run).not.toBe(run.run);
  });

  test("M7: an earlier step's page can be read again, and a later step's page cannot", async () => {
    const bed = await published();
    const { act, run } = await begun(bed);
    const of = (step: number) => bed.send("GET", `/v1/lessons/first/runs/${run.run}?step=${step}`);
    expect((await of(2)).status).toBe(400);
    await act("check");
    expect(await (await of(1)).json()).toMatchObject({ step: 2, page: { step: 1, text: "# One", answer: "" } });
    expect(await (await of(2)).json()).toMatchObject({ page: { step: 2, question: "Why?" } });
  });

  test("M7: a run has the lesson's images", async () => {
    const image = { name: "shop:v1", from: "busybox", command: ["sleep", "60"] };
    const { cluster } = await begun(await published({ ...lesson, images: [image] }));
    expect(cluster.initializeOptions?.settings.images).toMatchObject([image]);
    const { cluster: usual } = await begun(await published());
    expect(usual.initializeOptions?.settings.images).toBe("strict");
  });

  test("M7: a lesson of a template starts from the template's version at publication, with the lesson's objects applied", async () => {
    const bed = await newService();
    await bed.send("POST", "/v1/templates", { body: { name: "shop", sandbox: await madeSandbox(bed) } });
    const document = { ...lesson, template: "shop" };
    expect((await bed.send("POST", "/v1/lessons", { body: document })).status).toBe(201);
    await bed.send("POST", "/v1/templates", { body: { name: "shop", sandbox: await madeSandbox(bed) } });
    expect(await (await bed.send("GET", "/v1/lessons/first")).json()).toMatchObject({ lesson: { template: "shop@1" } });
    const { cluster } = await begun(bed);
    expect([cluster.initializeOptions?.state === undefined, cluster.initializeOptions?.manifests]).toEqual([false, ""]);
    expect(cluster.performed).toEqual([{ apply: "a: 1" }]);
    const reset = await begun(bed, "kim");
    reset.cluster.performed.length = 0;
    expect((await reset.act("reset")).status).toBe(200);
    expect(reset.cluster.performed).toEqual([{ apply: "a: 1" }]);
  });

  test("M7: a cluster of an exam starts from its template's version at publication, with its objects applied", async () => {
    const bed = await newService();
    await bed.send("POST", "/v1/templates", { body: { name: "shop", sandbox: await madeSandbox(bed) } });
    const { manifests: _, ...fields } = lesson;
    const clusters = [{ name: "c1" }, { name: "c2", template: "shop", manifests: "b: 2" }];
    expect((await bed.send("POST", "/v1/lessons", { body: { ...fields, exam: {}, clusters } })).status).toBe(201);
    await bed.send("POST", "/v1/templates", { body: { name: "shop", sandbox: await madeSandbox(bed) } });
    expect(await (await bed.send("GET", "/v1/lessons/first")).json()).toMatchObject({
      lesson: { clusters: [{ name: "c1" }, { name: "c2", template: "shop@1" }] },
    });
    const { run } = await begun(bed);
    const second = bed.clusters.get(run.clusters?.[1]?.sandbox.id ?? "");
    expect([second?.initializeOptions?.state === undefined, second?.performed]).toEqual([false, [{ apply: "b: 2" }]]);
  });

  test.each([
    [
      { exam: {}, manifests: "", clusters: [{ name: "c1" }, { name: "c2", template: "nowhere" }] },
      "clusters.1.template",
    ],
    [{ template: "nowhere" }, "template"],
    [{ template: "three-nodes", nodes: 2 }, "nodes"],
    [{ template: "three-nodes", images: "any" }, "images"],
    [{ template: "Not a name" }, "template"],
  ])("M6: a lesson of an invalid template is refused: %j", async (change, field) => {
    const { send } = await newService();
    const answer = await send("POST", "/v1/lessons", { body: { ...lesson, ...change } });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_field", field } }]);
  });

  test("M7: skipping solves the earlier steps without points", async () => {
    const bed = await published();
    const { cluster, act } = await begun(bed);
    const skipped = (await act("skip", { step: 3 })).body;
    expect(cluster.performed).toEqual([{ apply: "x: 1" }, { answer: "so" }]);
    expect([skipped.step, skipped.points, skipped.steps.map(({ state }) => state)]).toEqual([
      3,
      0,
      ["skipped", "skipped", "current"],
    ]);
    const back = await act("skip", { step: 2 });
    expect([back.status, back.body.error?.field]).toEqual([400, "step"]);
    const otherRun = await begun(bed, "kim");
    otherRun.cluster.refuses = { ok: false, code: "solution_refused", message: "action 1: no" };
    const refused = await otherRun.act("skip", { step: 2 });
    expect([refused.status, refused.body.error?.code]).toEqual([409, "solution_refused"]);
  });

  test("M7: two concurrent actions in a run: the second is refused, and the first loses nothing", async () => {
    const bed = await published();
    const { cluster, act, run } = await begun(bed);
    cluster.verdict = () => {
      bed.database.prepare("UPDATE lesson_runs SET change = change + 1 WHERE id = ?").run(run.run);
      return verdicts(true, true)();
    };
    const lost = await act("check");
    expect([lost.status, lost.body.error?.code]).toEqual([409, "busy"]);
    const now = await (await bed.send("GET", `/v1/lessons/first/runs/${run.run}`)).json();
    expect(now).toMatchObject({ step: 1, points: 0 });
  });

  test("M7: an expired run is shown and not graded", async () => {
    const bed = await published();
    const { act, run } = await begun(bed);
    bed.time.nowMs += 30 * 60_000;
    const late = await act("check");
    expect([late.status, late.body.error?.code]).toEqual([410, "expired"]);
    expect(await (await bed.send("GET", `/v1/lessons/first/runs/${run.run}`)).json()).toMatchObject({
      state: "expired",
    });
  });

  test("M7: a run that cannot start leaves nothing behind", async () => {
    const users = ["a", "b", "c", "d"].map((name) => ({ name }));
    const bed = await published({ ...lesson, users });
    const full = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner: "pat" } });
    expect([full.status, await full.json()]).toMatchObject([409, { error: { code: "too_many_tokens" } }]);
    expect([...bed.clusters.values()].map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(await (await bed.send("GET", "/v1/lessons/first/results")).json()).toEqual({ results: [] });
    expect(await (await bed.send("GET", "/v1/sandboxes")).json()).toEqual({ sandboxes: [] });
  });

  test("M7: an answer to a step without a question is refused", async () => {
    const { act } = await begun(await published());
    const refused = await act("answer", { answer: "x" });
    expect([refused.status, refused.body.error?.field]).toEqual([400, "answer"]);
  });

  test("M7: a run keeps its version until its teacher selects another", async () => {
    const bed = await published();
    const { act } = await begun(bed);
    await bed.send("POST", "/v1/lessons", { body: { ...lesson, title: "Second" } });
    expect((await act("check")).body).toMatchObject({ title: "First", version: 1 });
    expect((await act("check", { version: 2 })).body).toMatchObject({ title: "Second", version: 2 });
    expect((await act("check", { version: 3 })).status).toBe(404);
  });

  test("M7: selecting a version with other users creates their tokens, and earlier tokens stay", async () => {
    const bed = await published();
    const { act, run, cluster } = await begun(bed);
    const users = [...lesson.users, { name: "eve", groups: ["devs"] }];
    await bed.send("POST", "/v1/lessons", { body: { ...lesson, users } });
    await act("check", { version: 2 });
    expect(cluster.tokens.map(({ user, groups }) => [user, groups])).toEqual([
      ["ann", ["system:masters"]],
      ["bob", []],
      ["eve", ["devs"]],
    ]);
    // Once is enough.
    const before = cluster.tokens.length;
    await act("check", { version: 2 });
    expect(cluster.tokens.length).toBe(before);
    const again = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner: "pat", resume: true } });
    const { tokens } = await again.json<RunWithTokens>();
    expect([tokens.slice(0, 2), tokens[2]?.user]).toEqual([run.tokens, "eve"]);
  });

  test("M7: a tenant has a bounded number of runs", async () => {
    const bed = await published();
    await begun(bed);
    bed.database.exec("CREATE TEMP TABLE run AS SELECT * FROM lesson_runs; UPDATE run SET created_at_ms = 0");
    const add = bed.database.prepare("INSERT INTO lesson_runs SELECT * FROM run");
    const rename = bed.database.prepare("UPDATE run SET id = 'r' || ?");
    for (let at = 1; at < limits.lessonRuns; at++) {
      rename.run(at);
      add.run();
    }
    const full = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner: "x" } });
    expect([full.status, await full.json()]).toMatchObject([409, { error: { code: "too_many_runs" } }]);
    expect(await bed.service.lessons.forgetRuns(1, 10)).toBe(10);
  });
});

describe("results of a lesson", () => {
  test("M7: are listed from the newest, in pages, and as CSV without formulas", async () => {
    const bed = await published();
    for (const learner of ["=1+1", 'a "b", c', "pat"]) {
      bed.time.nowMs += 1000;
      await begun(bed, learner);
    }
    const page = await (await bed.send("GET", "/v1/lessons/first/results?limit=2")).json<{
      results: Result[];
      nextCursor: string;
    }>();
    expect(page.results.map(({ learner }) => learner)).toEqual(["pat", 'a "b", c']);
    const rest = await (await bed.send("GET", `/v1/lessons/first/results?cursor=${page.nextCursor}`)).json<{
      results: Result[];
    }>();
    expect(rest.results.map(({ learner }) => learner)).toEqual(["=1+1"]);
    const csv = await bed.send("GET", "/v1/lessons/first/results?limit=2", { headers: { accept: "text/csv" } });
    expect(csv.headers.get("sandbar-next-cursor")).toBe(page.nextCursor);
    expect((await csv.text()).split("\r\n").map((line) => line.split(",first,")[0])).toEqual([
      "learner,lesson,version,state,step,points,maxPoints,lastPoints,startedAt,stepStartedAt,changedAt,expiresAt,run,sandbox,step1,attempts1,step2,attempts2,step3,attempts3,class,email,members,seconds1,hints1,answers1,seconds2,hints2,answers2,seconds3,hints3,answers3,gradedAt,gradedBy",
      "pat",
      '"a ""b"", c"',
      "",
    ]);
    const all = await (await bed.send("GET", "/v1/lessons/first/results?format=csv")).text();
    expect(all).toContain("\r\n'=1+1,first,1,running,1,0,11,");
  });

  test("M7: are filtered by learner, with the points of each step", async () => {
    const bed = await published();
    const { act, cluster } = await begun(bed, "pat");
    await begun(bed, "kim");
    cluster.verdict = verdicts(false, true);
    await act("check");
    cluster.verdict = verdicts(true, false);
    await act("check");
    const { results } = await (await bed.send("GET", "/v1/lessons/first/results?learner=pat")).json<{
      results: Result[];
    }>();
    expect(results).toMatchObject([
      { learner: "pat", points: 3, lastPoints: 2, steps: [{ state: "current", attempts: 2, best: 3, last: 2 }] },
    ]);
    const csv = await (await bed.send("GET", "/v1/lessons/first/results?learner=pat&format=csv")).text();
    expect(csv.split("\r\n")[1]).toMatch(/^pat,first,1,running,1,3,11,2,.*,3,2,0,0,0,0,,,,,0,,,0,,,0,,,$/);
  });

  test("M6: are deleted with the lesson and its versions", async () => {
    const bed = await published();
    const { act } = await begun(bed);
    expect((await bed.send("DELETE", "/v1/lessons/first")).status).toBe(204);
    expect((await act("check")).status).toBe(404);
    expect((await bed.send("DELETE", "/v1/lessons/first")).status).toBe(404);
  });
});
