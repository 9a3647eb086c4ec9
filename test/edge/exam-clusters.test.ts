// Exams of several clusters: a sandbox and a context for each, graded, extended, reset, paused, shared and deleted together.
import { describe, expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { sharedStateLimits } from "../../shared/base/lesson-limits.ts";
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { OpenedShare, Share } from "../../shared/contract/hosted/share.ts";
import type { Reached } from "../../shared/contract/hosted/teaching.ts";
import type { ExamAction, OwnAccess, ResultList, Run, RunWithTokens } from "../../shared/contract/lesson.ts";
import { gradeDueExams } from "../../worker/edge/control-api/learn/due-exams.ts";
import { type FakeCluster, newService } from "./service.ts";

const minuteMs = 60_000;
const task = (domain: string, cluster?: string) => ({
  title: `A task of ${cluster ?? "the first"}`,
  domain,
  text: "# Task",
  ...(cluster === undefined ? {} : { cluster }),
  checks: [
    { name: "a", points: 2, expression: "true" },
    { name: "b", points: 3, expression: "true" },
  ],
});
const exam = {
  name: "exam",
  title: "Exam",
  timeLimitMinutes: 60,
  exam: { passPercent: 50 },
  users: [{ name: "candidate", groups: ["system:masters"] }],
  clusters: [
    { name: "k8s-c1", nodes: 2, manifests: "kind: Namespace" },
    { name: "k8s-c2", version: "1.35", prepare: [{ node: { name: "node-1", run: "true" } }] },
  ],
  steps: [task("Storage"), task("Network", "k8s-c2"), task("Storage", "k8s-c2")],
};

async function newBed() {
  const bed = await newService();
  const ask = async <T>(method: string, path: string, body?: unknown, key?: string) => {
    const answer = await bed.send(method, path, { ...(body ? { body } : {}), ...(key === undefined ? {} : { key }) });
    const text = await answer.text();
    return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as T & Partial<ErrorBody> };
  };
  expect((await ask("POST", "/v1/lessons", exam)).status).toBe(201);
  return { ...bed, ask };
}

async function begun() {
  const bed = await newBed();
  const { ask, clusters, time } = bed;
  const { status, body: run } = await ask<RunWithTokens>("POST", "/v1/lessons/exam/runs", { learner: "pat" });
  expect(status).toBe(201);
  const key = new URL(run.url).hash.slice(1);
  const learn = async <T = Run>(method: "GET" | "POST", path: string, body?: object) => {
    time.nowMs += 2000;
    return ask<T>(method, `/v1/learn${path}`, body, key);
  };
  const clusterOf = (at: number): FakeCluster => {
    const cluster = clusters.get(run.clusters?.[at]?.sandbox.id ?? "");
    if (!cluster) throw new Error("there is no cluster");
    return cluster;
  };
  const act = (action: ExamAction) => learn("POST", "/exam", action);
  const lead = (what: string, body: object) => ask<Reached>("POST", `/v1/lessons/exam/${what}`, body);
  const result = async () => (await ask<ResultList>("GET", "/v1/lessons/exam/results")).body.results[0];
  return { ...bed, run, learn, act, lead, result, first: clusterOf(0), second: clusterOf(1) };
}

describe("an exam of two clusters", () => {
  test("has a sandbox for each, with its nodes, version, manifests and preparation, and a context for each", async () => {
    const { run, first, second, learn, service } = await begun();
    expect(first.initializeOptions).toMatchObject({ nodes: 2, manifests: "kind: Namespace" });
    expect(second.initializeOptions).toMatchObject({ nodes: 3, manifests: "", settings: { version: "1.35" } });
    expect([first.performed, second.performed]).toEqual([[], [{ node: { name: "node-1", run: "true" } }]]);
    expect(run.clusters?.map(({ name }) => name)).toEqual(["k8s-c1", "k8s-c2"]);
    expect(run.sandbox).toEqual(run.clusters?.[0]?.sandbox);
    expect(run.exam?.clusters).toEqual(["k8s-c1", "k8s-c2", "k8s-c2"]);
    const { body: access } = await learn<OwnAccess>("GET", "/access");
    const [config = ""] = access.tokens.map(({ kubeconfig }) => kubeconfig);
    expect(config.match(/name: "k8s-c\d"/g)).toEqual(
      ["c1", "c2", "c1", "c2", "c1", "c2"].map((name) => `name: "k8s-${name}"`),
    );
    expect(config).toContain('current-context: "k8s-c1"');
    for (const [at, cluster] of [first, second].entries()) {
      const { sandbox, tokens = [] } = access.clusters?.[at] ?? {};
      expect(config).toContain(`server: "${sandbox?.server}"`);
      expect(config).toContain(`token: "${tokens[0]?.token}"`);
      expect(cluster.tokens.map(({ user }) => user)).toEqual(["candidate"]);
      const row = await service.directory.find("ada", sandbox?.id ?? "");
      expect(row?.labels).toEqual({ lesson: "exam", cluster: at === 0 ? "k8s-c1" : "k8s-c2" });
    }
  });

  test("grades each task in its cluster, with partial points and a report by domain", async () => {
    const { act, first, second } = await begun();
    first.verdict = () => ({
      ok: true,
      revision: 60,
      results: [
        { passed: true, message: "" },
        { passed: false, message: "" },
      ],
    });
    const { body } = await act({ finish: true });
    expect([first.graded.length, second.graded.length]).toEqual([1, 2]);
    expect(second.graded[0]?.since).toBe(40);
    expect(body).toMatchObject({ state: "finished", points: 12, maxPoints: 15, graded: { by: "learner" } });
    expect(body.exam?.report).toEqual({
      percent: 80,
      byDomain: [
        { domain: "Storage", points: 7, maxPoints: 10 },
        { domain: "Network", points: 5, maxPoints: 5 },
      ],
    });
  });

  test("is graded for a teacher at any time, each task in its cluster, and nothing of it is stored", async () => {
    const { ask, learn, act, run, first, second } = await begun();
    const path = `/v1/lessons/exam/runs/${run.run}/check`;
    const { body: now } = await ask<Run>("POST", path, {});
    expect([first.graded.length, second.graded.length]).toEqual([1, 2]);
    expect(now).toMatchObject({ state: "running", points: 15, exam: { report: { percent: 100 } } });
    expect(now.steps[2]?.checks).toMatchObject([{ passed: true }, { passed: true }]);
    const { body: learnersRun } = await learn("GET", "");
    expect(learnersRun).toMatchObject({ state: "running", points: 0 });
    expect([learnersRun.exam?.report, learnersRun.steps.flatMap(({ checks }) => checks)]).toEqual([undefined, []]);
    for (const cluster of [first, second])
      cluster.verdict = ({ expressions }) => ({
        ok: true,
        revision: 60,
        results: expressions.map(() => ({ passed: false, message: "" })),
      });
    expect((await learn("POST", "/check", {})).status).toBe(400);
    const { body: end } = await act({ finish: true });
    expect([end.state, end.points]).toEqual(["finished", 0]);
  });

  test("switches to another version for a teacher's check, unless that has other clusters", async () => {
    const { ask, learn, run, second } = await begun();
    const path = `/v1/lessons/exam/runs/${run.run}/check`;
    await ask("POST", "/v1/lessons", { ...exam, steps: exam.steps.map((step) => ({ ...step, text: "# Changed" })) });
    expect((await ask<Run>("POST", path, { version: 2 })).body.version).toBe(2);
    expect((await learn("GET", "")).body.page.text).toBe("# Changed");
    await ask("POST", "/v1/lessons", { ...exam, clusters: undefined, steps: [task("Storage")] });
    const { status, body } = await ask("POST", path, { version: 3 });
    expect([status, body.error?.message]).toEqual([400, "version: has other clusters than the run: start another run"]);
    expect(second.graded.length).toBe(2);
  });

  test("gives nothing for the tasks of a cluster that was deleted, and grades the others", async () => {
    const { act, second } = await begun();
    second.gradeStep = async () => ({ ok: false, code: "expired", message: "the sandbox has expired" });
    const { body } = await act({ finish: true });
    expect([body.points, body.steps[1]?.checks[0]?.message]).toEqual([5, "the task's cluster was deleted"]);
  });

  test("revokes the learner's tokens in each cluster when it is graded, and returns none any more", async () => {
    const { act, learn, first, second } = await begun();
    await act({ finish: true });
    expect([first.tokens, second.tokens]).toEqual([[], []]);
    expect((await learn("GET", "/access")).status).toBe(410);
    expect((await learn("GET", "")).body.state).toBe("finished");
  });

  test("keeps its learner without tokens if one's tokens are replaced after it was graded", async () => {
    const { act, ask, run, second } = await begun();
    await act({ finish: true });
    const rotated = await ask("POST", `/v1/sandboxes/${run.clusters?.[1]?.sandbox.id}/rotate`, {});
    expect([rotated.status, second.tokens]).toEqual([200, []]);
  });

  test("is reset as a whole, with new tokens", async () => {
    const { act, ask, run, first, second } = await begun();
    await act({ task: 2, flag: 1 });
    await act({ finish: true });
    const path = `/v1/lessons/exam/runs/${run.run}/reset`;
    expect((await ask("POST", path, { step: 2 })).body.error?.message).toContain("an exam begins again as a whole");
    const { body } = await ask<Run>("POST", path, {});
    expect(body).toMatchObject({ state: "running", points: 0, step: 1, exam: { flagged: [] } });
    expect([first.restored.length, second.restored.length]).toEqual([1, 1]);
    expect([first.tokens.length, second.tokens.length]).toEqual([1, 1]);
    expect(second.performed.length).toBe(2);
  });

  test("is not reset after its time", async () => {
    const { ask, run, time, first } = await begun();
    time.nowMs = Date.parse(run.endsAt);
    const { status, body } = await ask("POST", `/v1/lessons/exam/runs/${run.run}/reset`, {});
    expect([status, body.error?.message]).toEqual([410, "the time of the exam is over: start another run"]);
    expect(first.restored).toEqual([]);
  });

  test("is paused and deleted with each cluster", async () => {
    const { ask, lead, run, first, second } = await begun();
    await lead("pause", { run: run.run, paused: true });
    expect([first.paused, second.paused].every((reason) => reason.includes("paused"))).toBe(true);
    await lead("pause", { run: run.run, paused: false });
    expect([first.paused, second.paused]).toEqual(["", ""]);
    expect((await ask("DELETE", `/v1/lessons/exam/runs/${run.run}`)).status).toBe(204);
    expect([first.destroyed, second.destroyed]).toEqual([true, true]);
  });

  test("is shared with each cluster, whichever of its sandboxes is shared", async () => {
    const { ask, run, clusters } = await begun();
    const id = run.clusters?.[1]?.sandbox.id ?? "";
    const { body: share } = await ask<Share>("POST", `/v1/sandboxes/${id}/shares`, { title: "Broken" });
    const token = new URL(share.url).hash.slice(1);
    const { status, body: opened } = await ask<OpenedShare>("POST", "/v1/shares/open", { share: token }, "");
    expect(status).toBe(201);
    expect(opened.clusters?.map(({ name }) => name)).toEqual(["k8s-c1", "k8s-c2"]);
    expect(opened.tokens[0]?.kubeconfig).toContain(`token: "${opened.clusters?.[1]?.tokens[0]?.token}"`);
    expect(clusters.size).toBe(4);
    // The forks of an address are counted by the copies that it opened, not by their sandboxes.
    for (let at = 1; at < sharedStateLimits.forksOfAddress; at++)
      expect((await ask("POST", "/v1/shares/open", { share: token }, "")).status).toBe(201);
    expect((await ask("POST", "/v1/shares/open", { share: token }, "")).status).toBe(429);
    expect((await ask("DELETE", `/v1/shares/${share.id}`)).status).toBe(204);
    expect((await ask<{ snapshots: object[] }>("GET", "/v1/snapshots")).body.snapshots).toEqual([]);
  });

  test("is found by each of its sandboxes: in the list, and when one's tokens are replaced", async () => {
    const { ask, run, second } = await begun();
    const { body } = await ask<{ sandboxes: { lesson?: { learner: string } }[] }>("GET", "/v1/sandboxes");
    expect(body.sandboxes.map(({ lesson }) => lesson?.learner)).toEqual(["pat", "pat"]);
    const [before] = second.tokens;
    await ask("POST", `/v1/sandboxes/${run.clusters?.[1]?.sandbox.id}/rotate`, {});
    expect(second.tokens.length).toBe(1);
    expect(second.tokens[0]?.hash).not.toBe(before?.hash);
  });
});

describe("clusters that cannot be made", () => {
  test("leave no sandbox behind, and the refusal says how many the exam needs", async () => {
    const { ask, service, clusters } = await newBed();
    await service.plans.set("ada", { overrides: { liveSandboxes: 1 } });
    const { status, body } = await ask<Run>("POST", "/v1/lessons/exam/runs", { learner: "pat" });
    expect([status, body.error?.code]).toEqual([429, "limit_reached"]);
    expect(body.error?.message).toMatch(/^the exam needs 2 sandboxes: liveSandboxes/);
    expect([...clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
    expect((await ask<{ sandboxes: object[] }>("GET", "/v1/sandboxes")).body.sandboxes).toEqual([]);
  });

  test("leave no sandbox behind if a preparation is refused", async () => {
    const { ask, service, clusters } = await newBed();
    const { cluster } = service;
    service.cluster = (id) => {
      const fake = cluster(id) as FakeCluster;
      fake.perform = async (actions) =>
        actions.length > 0
          ? { ok: false, code: "solution_refused", message: "no such node" }
          : { ok: true, revision: 1 };
      return fake;
    };
    const { status, body } = await ask<Run>("POST", "/v1/lessons/exam/runs", { learner: "pat" });
    expect([status, body.error?.code]).toEqual([400, "invalid_manifests"]);
    expect(clusters.size).toBe(2);
    expect([...clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
  });
});

describe("extra time", () => {
  test("moves the end of the exam, of access and of each sandbox, and keeps credentials", async () => {
    const { lead, run, learn, first, second, time } = await begun();
    const { body: before } = await learn<OwnAccess>("GET", "/access");
    const endMs = Date.parse(run.exam?.endsAt ?? "");
    const seconds = (ms: number) => Math.floor(ms / 1000) * 1000;
    expect(second.tokens.map(({ expiresAtMs }) => expiresAtMs)).toEqual([seconds(endMs)]);
    expect((await lead("time", { run: run.run, minutes: 15 })).body).toEqual({ runs: 1, failed: [] });
    const { body: after } = await learn<OwnAccess>("GET", "/access");
    expect(after).toEqual(before);
    const laterMs = endMs + 15 * minuteMs;
    expect(Date.parse((await learn("GET", "")).body.exam?.endsAt ?? "")).toBe(laterMs);
    for (const cluster of [first, second]) {
      expect(cluster.tokens.map(({ expiresAtMs }) => expiresAtMs)).toEqual([seconds(laterMs)]);
      expect(cluster.endsAtMs).toBe(laterMs + 30 * minuteMs);
    }
    time.nowMs = laterMs - 10_000;
    expect((await learn("GET", "")).body.state).toBe("running");
    time.nowMs = laterMs;
    expect((await learn("GET", "")).body).toMatchObject({ state: "finished", graded: { by: "time" } });
  });

  test("is refused for an exam that was graded, and skips it among all", async () => {
    const { act, lead, run } = await begun();
    await act({ finish: true });
    expect((await lead("time", { run: run.run, minutes: 15 })).status).toBe(400);
    expect((await lead("time", { minutes: 15 })).body).toEqual({ runs: 0, failed: [] });
  });
});

describe("an exam that nobody opens", () => {
  test("is graded at its end: the tenant's object is reminded, also of extra time", async () => {
    const { lead, result, run, service, settled, tenants, time } = await begun();
    await settled();
    const endMs = Date.parse(run.endsAt);
    expect(tenants.inside("ada").nextDueMs()).toBe(endMs);
    await lead("time", { run: run.run, minutes: 5 });
    time.nowMs = endMs;
    expect(await gradeDueExams(service, 10, "ada")).toEqual({ graded: 0, isSomeLeft: false });
    time.nowMs = endMs + 5 * minuteMs;
    expect(await gradeDueExams(service, 10, "bob")).toEqual({ graded: 0, isSomeLeft: false });
    expect(await gradeDueExams(service, 10)).toEqual({ graded: 1, isSomeLeft: false });
    time.nowMs += 40 * minuteMs;
    const graded = { at: new Date(endMs + 5 * minuteMs).toISOString(), by: "time" };
    expect(await result()).toMatchObject({ state: "finished", points: 15, graded });
  });

  test("stays ungraded while its grading fails, and is tried again", async () => {
    const { run, service, second, errors, time } = await begun();
    const { gradeStep } = second;
    second.gradeStep = () => Promise.reject(new Error("the cluster is away"));
    time.nowMs = Date.parse(run.endsAt);
    expect(await gradeDueExams(service, 10)).toEqual({ graded: 0, isSomeLeft: true });
    expect(errors.map(String)).toEqual(["Error: the cluster is away"]);
    second.gradeStep = gradeStep;
    expect(await gradeDueExams(service, 10)).toEqual({ graded: 1, isSomeLeft: false });
  });

  test("ends its learner's access even if its grading fails", async () => {
    const { run, service, first, second, time } = await begun();
    time.nowMs = Date.parse(run.endsAt);
    first.gradeStep = () => Promise.reject(new Error("the cluster is away"));
    await gradeDueExams(service, 10);
    expect([first.tokens, second.tokens]).toEqual([[], []]);
  });

  test("is not graded if the teacher moves its end after it was listed", async () => {
    const { run, service, second, lead, learn, time } = await begun();
    const { ungradedExams } = service.lessons;
    time.nowMs = Date.parse(run.endsAt);
    service.lessons.ungradedExams = async (...query) => {
      const rows = await ungradedExams(...query);
      await lead("time", { run: run.run, minutes: 15 });
      return rows;
    };
    await gradeDueExams(service, 10);
    expect([second.graded, second.tokens.length]).toEqual([[], 1]);
    expect((await learn("GET", "")).body.state).toBe("running");
  });

  test("is not graded if the teacher moves its end meanwhile, and its learner goes on", async () => {
    const { run, service, second, lead, learn, time } = await begun();
    const { gradeStep } = second;
    time.nowMs = Date.parse(run.endsAt);
    second.gradeStep = async (question) => {
      second.gradeStep = gradeStep;
      expect((await lead("time", { run: run.run, minutes: 15 })).status).toBe(200);
      return gradeStep(question);
    };
    await gradeDueExams(service, 10);
    expect((await learn("GET", "")).body.state).toBe("running");
    expect((await learn("GET", "/access")).status).toBe(200);
    expect(second.tokens.length).toBe(1);
  });

  test("stays due if its learner moved on while it was graded", async () => {
    const { run, service, second, time } = await begun();
    const { gradeStep } = second;
    time.nowMs = Date.parse(run.endsAt);
    second.gradeStep = async (question) => {
      second.gradeStep = gradeStep;
      const row = must(await service.lessons.findRun("ada", "exam", run.run), "the run");
      await service.lessons.changeRun(row, { step: 2 });
      return gradeStep(question);
    };
    expect(await gradeDueExams(service, 10)).toEqual({ graded: 0, isSomeLeft: true });
    expect(await gradeDueExams(service, 10)).toEqual({ graded: 1, isSomeLeft: false });
  });

  test("is graded once by two at the same time", async () => {
    const { run, service, learn, result, time, errors } = await begun();
    time.nowMs = Date.parse(run.endsAt);
    const [page] = await Promise.all([learn("GET", ""), gradeDueExams(service, 10)]);
    expect([page.status, errors]).toEqual([200, []]);
    expect((await result())?.steps.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });
});

test("a learner of a class who returns after the end of an exam sees the result, and begins no other", async () => {
  const { ask, time, clusters } = await newBed();
  const { body: created } = await ask<{ url: string }>("POST", "/v1/lessons/exam/classes", { title: "7b" });
  const token = new URL(created.url).hash.slice(1);
  const join = (body: object) =>
    ask<{ url: string; learner: string }>("POST", "/v1/classes/join", { class: token, ...body }, "");
  const { body: ann } = await join({ name: "Ann" });
  time.nowMs += 61 * minuteMs;
  const page = async () => (await ask<Run>("GET", "/v1/learn", undefined, new URL(ann.url).hash.slice(1))).body;
  expect((await page()).state).toBe("finished");
  time.nowMs += 60 * minuteMs;
  expect((await join({ learner: ann.learner })).body.url).toBe(ann.url);
  expect([(await page()).state, clusters.size]).toEqual(["finished", 2]);
});

test("the deadline of a class ends an exam, which is graded afterwards", async () => {
  const { ask, time, clusters } = await newBed();
  const deadline = new Date(time.nowMs + 20 * minuteMs).toISOString();
  const classes = "/v1/lessons/exam/classes";
  const { body: created } = await ask<{ url: string; id: string }>("POST", classes, { title: "7b", deadline });
  const token = new URL(created.url).hash.slice(1);
  const { body: ann } = await ask<{ url: string }>("POST", "/v1/classes/join", { class: token, name: "Ann" }, "");
  const page = async () => (await ask<Run>("GET", "/v1/learn", undefined, new URL(ann.url).hash.slice(1))).body;
  expect((await page()).exam?.endsAt).toBe(deadline);
  const earlier = new Date(time.nowMs + 15 * minuteMs).toISOString();
  await ask("PATCH", `${classes}/${created.id}`, { deadline: earlier });
  expect((await page()).exam?.endsAt).toBe(earlier);
  time.nowMs += 25 * minuteMs;
  expect((await page()).state).toBe("finished");
  expect(clusters.size).toBe(2);
});
