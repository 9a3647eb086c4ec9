// Classes: learners come to a lesson by one link under names of their own, and have their own run there.
import { describe, expect, test } from "vitest";
import { classLimits } from "../../shared/base/lesson-limits.ts";
import type { ClassLook, Joined, LessonClass } from "../../shared/contract/hosted/class.ts";
import type { ResultList, Run } from "../../shared/contract/lesson.ts";
import { keys, newService, type SendOptions } from "./service.ts";

const step = { title: "One", text: "# One", checks: [{ name: "a", points: 2, hint: "", expression: "true" }] };
const lesson = { name: "first", title: "The first", timeLimitMinutes: 30, steps: [step] };
const minuteMs = 60_000;

interface Answered<T> {
  readonly status: number;
  readonly body: T & { readonly error?: { readonly code: string; readonly field?: string } };
}

async function newClass(input: object = {}) {
  const bed = await newService();
  const ask = async <T>(method: string, path: string, options: SendOptions = {}): Promise<Answered<T>> => {
    const answer = await bed.send(method, path, options);
    return { status: answer.status, body: answer.status === 204 ? ({} as never) : await answer.json() };
  };
  expect((await ask("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
  const created = await ask<LessonClass>("POST", "/v1/lessons/first/classes", { body: { title: "7b", ...input } });
  expect(created.status).toBe(201);
  const token = new URL(created.body.url).hash.slice(1);
  /** As a browser without any key. */
  const join = (body: object) => ask<Joined>("POST", "/v1/classes/join", { key: "", body: { class: token, ...body } });
  const look = (body: object = {}) =>
    ask<ClassLook>("POST", "/v1/classes/look", { key: "", body: { class: token, ...body } });
  const learn = (url: string) => ask<Run>("GET", "/v1/learn", { key: new URL(url).hash.slice(1) });
  const results = async () => (await ask<ResultList>("GET", "/v1/lessons/first/results")).body.results;
  return { ...bed, ask, made: created.body, token, join, look, learn, results };
}

describe("a class's link", () => {
  test("M12: gives each new learner a seat with a name and a run; a learner who returns with the same token gets the same run", async () => {
    const { join, look, learn, results, made: created, clusters } = await newClass();
    expect(new URL(created.url).pathname).toBe("/learn/join");
    expect((await look()).body).toMatchObject({ lesson: "The first", title: "7b", seatsLeft: 40 });
    const { status, body: ann } = await join({ name: "  Ann " });
    expect([status, ann.name]).toEqual([201, "Ann"]);
    expect((await learn(ann.url)).body).toMatchObject({ learner: "Ann", class: created.id, step: 1 });
    const again = await join({ learner: ann.learner });
    expect(again.body).toEqual(ann);
    expect((await look({ learner: ann.learner })).body).toMatchObject({ name: "Ann", seatsLeft: 39 });
    const { body: ben } = await join({ name: "Ben" });
    expect((await learn(ben.url)).body.run).not.toBe((await learn(ann.url)).body.run);
    expect((await results()).map(({ learner, class: of }) => [learner, of]).sort()).toEqual([
      ["Ann", created.id],
      ["Ben", created.id],
    ]);
    expect(clusters.size).toBe(2);
  });

  test("M12: gives a name to one learner of the class, in any spelling, and not a name that the teacher uses", async () => {
    const { join, ask, learn } = await newClass();
    const { body: ann } = await join({ name: "Ann Lee" });
    const refused = await join({ name: "ann  LEE" });
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: "name_taken", field: "name" }]);
    // The teacher's own Ann Lee resumes no run that somebody has begun under her name.
    const body = { learner: "Ann Lee", resume: true };
    const ownRun = await ask<Run>("POST", "/v1/lessons/first/runs", { body });
    expect(ownRun.body.run).not.toBe((await learn(ann.url)).body.run);
    expect(ownRun.body.class).toBeUndefined();
  });

  test("M12: refuses learners past its seats, and creates nothing for them", async () => {
    const { join, clusters, look, database } = await newClass({ seats: 1 });
    expect((await join({ name: "Ann" })).status).toBe(201);
    expect((await join({ name: "Ben" })).body.error?.code).toBe("class_full");
    expect((await look()).body.seatsLeft).toBe(0);
    expect(clusters.size).toBe(1);
    expect(database.prepare("SELECT count(*) AS n FROM class_seats").get()).toEqual({ n: 1 });
  });

  test("M12: after its end lets learners return to their runs, but accepts no new learner and starts no run", async () => {
    const { join, time } = await newClass({ ttlSeconds: 600 });
    const { body: ann } = await join({ name: "Ann" });
    time.nowMs += 11 * minuteMs;
    expect((await join({ name: "Ben" })).body.error?.code).toBe("expired");
    expect((await join({ learner: ann.learner })).body).toEqual(ann);
    time.nowMs += 30 * minuteMs;
    expect((await join({ learner: ann.learner })).status).toBe(410);
  });

  test("M12: starts another run after the end of one, up to the bound of a seat", async () => {
    const { join, time, learn } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    const runs = new Set([(await learn(ann.url)).body.run]);
    for (let n = 1; n < classLimits.runsOfSeat; n++) {
      time.nowMs += 31 * minuteMs;
      runs.add((await learn((await join({ learner: ann.learner })).body.url)).body.run);
    }
    expect(runs.size).toBe(classLimits.runsOfSeat);
    time.nowMs += 31 * minuteMs;
    const refused = await join({ learner: ann.learner });
    expect([refused.status, refused.body.error]).toMatchObject([429, { limit: { name: "runsOfSeat" } }]);
  });

  test("M12: with two tabs at once starts one run, and tells the other tab to retry", async () => {
    const { join, database, clusters } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    database.exec("UPDATE class_seats SET run = ''");
    const both = await Promise.all([join({ learner: ann.learner }), join({ learner: ann.learner })]);
    expect(both.map(({ status, body }) => body.error?.code ?? status).sort()).toEqual([201, "busy"]);
    expect(clusters.size).toBe(2);
  });

  test("M12: does not count a run that could not be created, and leaves its name free", async () => {
    const { join, service, look } = await newClass();
    const { addRun } = service.lessons;
    service.lessons.addRun = () => Promise.reject(new Error("D1 is gone"));
    expect((await join({ name: "Ann" })).status).toBe(500);
    service.lessons.addRun = addRun;
    expect((await look()).body.seatsLeft).toBe(40);
    const { status, body: ann } = await join({ name: "Ann" });
    expect(status).toBe(201);
    expect((await join({ learner: ann.learner })).body).toEqual(ann);
  });
});

describe("the end of a class's link", () => {
  test("M12: a revoked link is refused, and its runs continue", async () => {
    const { join, look, ask, made: created, learn } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    expect((await ask("DELETE", `/v1/lessons/first/classes/${created.id}`)).status).toBe(204);
    expect((await look()).status).toBe(404);
    expect((await join({ learner: ann.learner })).status).toBe(404);
    expect((await learn(ann.url)).body.learner).toBe("Ann");
  });

  test("M12: a link ends with its lesson, and is refused for a suspended tenant", async () => {
    const { look, join, ask } = await newClass();
    await ask("PATCH", "/v1/admin/tenants/ada", { key: keys.operator, body: { suspended: "unpaid" } });
    const refused = await join({ name: "Ann" });
    expect([refused.status, refused.body.error?.code, JSON.stringify(refused.body)]).toEqual([
      403,
      "suspended",
      expect.not.stringContaining("unpaid"),
    ]);
    await ask("PATCH", "/v1/admin/tenants/ada", { key: keys.operator, body: { suspended: null } });
    await ask("DELETE", "/v1/lessons/first");
    expect((await look()).status).toBe(404);
  });

  test("M12: an altered token, and one of another class or kind, are refused", async () => {
    const { join, look, ask, token } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    const otherClass = await ask<LessonClass>("POST", "/v1/lessons/first/classes", { body: { title: "7c" } });
    const otherToken = new URL(otherClass.body.url).hash.slice(1);
    expect((await look({ class: otherToken, learner: ann.learner })).body.name).toBeUndefined();
    expect((await join({ class: otherToken, learner: ann.learner })).status).toBe(404);
    for (const wrong of [token.slice(0, -1), `${token}a`, ann.learner, `sbj_cls${"a".repeat(20)}_${"b".repeat(51)}`]) {
      expect((await look({ class: wrong })).status).toBe(404);
    }
    expect((await join({ learner: token })).status).toBe(404);
    expect((await join({ name: "Ben", learner: ann.learner })).body.error?.field).toBe("name");
    expect((await join({})).body.error?.field).toBe("name");
    expect((await join({ name: "x".repeat(61) })).body.error?.field).toBe("name");
  });

  test("M12: a tenant has a bounded number of classes, and long expired ones are deleted", async () => {
    const { ask, service, time, database } = await newClass({ ttlSeconds: 600 });
    for (let n = 1; n < classLimits.classes; n++) {
      await ask("POST", "/v1/lessons/first/classes", { body: { title: "more", ttlSeconds: 86_400 } });
    }
    const refused = await ask("POST", "/v1/lessons/first/classes", { body: { title: "more" } });
    expect([refused.status, refused.body.error?.code]).toEqual([409, "too_many_classes"]);
    expect(await service.classes.forget(time.nowMs + 700_000, 10)).toBe(1);
    expect(database.prepare("SELECT count(*) AS n FROM lesson_classes").get()).toEqual({ n: classLimits.classes - 1 });
  });
});
