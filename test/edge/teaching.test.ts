// A teacher leads a class: deadlines, extra time, pauses, messages, teams, reserved seats, results, comparison and the terminal.
import { must } from "../../shared/base/assert.ts";
import { describe, expect, test } from "vitest";
import { classLimits, recordingLimits } from "../../shared/base/lesson-limits.ts";
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { ClassLook, Joined, LessonClass, SeatList } from "../../shared/contract/hosted/class.ts";
import type { CommandList, Comparison, Reached } from "../../shared/contract/hosted/teaching.ts";
import type { Result, ResultList, Run } from "../../shared/contract/lesson.ts";
import { pauseRuns } from "../../worker/edge/control-api/learn/run-time.ts";
import { informTenants } from "../../worker/edge/control-api/tenancy/inform-sandboxes.ts";
import { keys, newService, startMs } from "./service.ts";

const questions = [{ kind: "fill", name: "say", text: "Say ___", gaps: [["hello"]] }];
const step = { title: "One", text: "# One", checks: [{ name: "a", points: 2, expression: "true" }], questions };
const lesson = { name: "first", title: "The first", timeLimitMinutes: 60, steps: [step] };
const minuteMs = 60_000;

async function newClass(input: object = {}) {
  const bed = await newService();
  const ask = async <T>(method: string, path: string, body?: unknown, key?: string) => {
    const answer = await bed.send(method, path, { ...(body ? { body } : {}), ...(key === undefined ? {} : { key }) });
    const text = await answer.text();
    return {
      status: answer.status,
      body: (text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text) as T & Partial<ErrorBody>,
    };
  };
  await ask("POST", "/v1/lessons", lesson);
  const created = await ask<LessonClass>("POST", "/v1/lessons/first/classes", { title: "7b", ...input });
  expect(created.status).toBe(201);
  const token = new URL(created.body.url).hash.slice(1);
  const join = (body: object) => ask<Joined>("POST", "/v1/classes/join", { class: token, ...body }, "");
  const look = (body: object = {}) => ask<ClassLook>("POST", "/v1/classes/look", { class: token, ...body }, "");
  const learn = (url: string) => ask<Run>("GET", "/v1/learn", undefined, new URL(url).hash.slice(1));
  const act = (url: string, what: string, body: object) => {
    bed.time.nowMs += 1_100;
    return ask<Run>("POST", `/v1/learn/${what}`, body, new URL(url).hash.slice(1));
  };
  const lead = <T = Reached>(what: string, body: object) => ask<T>("POST", `/v1/lessons/first/${what}`, body);
  const results = async () => (await ask<ResultList>("GET", "/v1/lessons/first/results")).body.results;
  return { ...bed, ask, lessonClass: created.body, join, look, learn, act, lead, results };
}

function left({ expiresAt }: Pick<Result, "expiresAt">, nowMs: number): number {
  return (Date.parse(expiresAt) - nowMs) / minuteMs;
}

describe("a deadline", () => {
  test("M12: ends all runs of the class, and moves those that run when it is changed", async () => {
    const deadline = new Date(startMs + 30 * minuteMs).toISOString();
    const { join, learn, ask, time, lessonClass, look, clusters } = await newClass({ deadline });
    const { body: ann } = await join({ name: "Ann" });
    expect((await look()).body.deadline).toBe(deadline);
    expect(left((await learn(ann.url)).body, time.nowMs)).toBe(30);
    const path = `/v1/lessons/first/classes/${lessonClass.id}`;
    const later = new Date(startMs + 45 * minuteMs).toISOString();
    expect((await ask<LessonClass>("PATCH", path, { deadline: later })).body.deadline).toBe(later);
    expect(left((await learn(ann.url)).body, time.nowMs)).toBe(45);
    expect([...clusters.values()].map(({ endsAtMs }) => endsAtMs)).toEqual([startMs + 45 * minuteMs]);
    await ask("PATCH", path, { deadline: null });
    expect(left((await learn(ann.url)).body, time.nowMs)).toBe(60);
  });

  test("M12: lets nobody begin after it, and must be in the future", async () => {
    const deadline = new Date(startMs + 5 * minuteMs).toISOString();
    const { join, time, ask } = await newClass({ deadline });
    time.nowMs += 5 * minuteMs;
    expect((await join({ name: "Ann" })).body.error?.code).toBe("expired");
    const past = await ask("POST", "/v1/lessons/first/classes", { title: "7c", deadline });
    expect([past.status, past.body.error?.field]).toEqual([400, "deadline"]);
  });
});

describe("extra time", () => {
  test("M12: reaches one learner or the class, keeps the learner's credentials, and moves the deadline for late learners", async () => {
    const deadline = new Date(startMs + 30 * minuteMs).toISOString();
    const { join, learn, lead, results, time, lessonClass, ask } = await newClass({ deadline });
    const [ann, ben] = [(await join({ name: "Ann" })).body, (await join({ name: "Ben" })).body];
    const access = async () => (await ask("GET", "/v1/learn/access", undefined, new URL(ann.url).hash.slice(1))).body;
    const before = await access();
    const run = (await results()).find(({ learner }) => learner === "Ann")?.run ?? "";
    expect((await lead("time", { run, minutes: 10 })).body).toEqual({ runs: 1, failed: [] });
    const minutes = async () =>
      Promise.all([ann, ben].map(async ({ url }) => left((await learn(url)).body, time.nowMs)));
    expect(await minutes()).toEqual([40, 30]);
    expect((await lead("time", { class: lessonClass.id, minutes: 5 })).body).toEqual({ runs: 2, failed: [] });
    expect(await minutes()).toEqual([45, 35]);
    expect(await access()).toEqual(before);
    expect(left((await learn((await join({ name: "Kim" })).body.url)).body, time.nowMs)).toBe(35);
  });

  test("M12: is bounded, and is refused for a run that has ended", async () => {
    const { join, lead, results, time } = await newClass();
    await join({ name: "Ann" });
    const run = (await results())[0]?.run;
    const most = classLimits.extraMs / minuteMs;
    expect((await lead("time", { run, minutes: most + 1 })).body.error?.field).toBe("minutes");
    expect((await lead("time", { run, minutes: most })).status).toBe(200);
    expect((await lead("time", { run, minutes: 1 })).body.error?.field).toBe("minutes");
    expect((await lead("time", { run, class: "x", minutes: 1 })).body.error?.field).toBe("class");
    time.nowMs += (most + 61) * minuteMs;
    expect((await lead("time", { run, minutes: 1 })).status).toBe(404);
  });
});

describe("a repeated request for extra time", () => {
  test("M12: adds nothing to runs that have it, and reaches those that the first one did not", async () => {
    const deadline = new Date(startMs + 30 * minuteMs).toISOString();
    const { join, learn, lead, time, lessonClass, clusters, look } = await newClass({ deadline });
    const [ann, ben] = [(await join({ name: "Ann" })).body, (await join({ name: "Ben" })).body];
    const cluster = must([...clusters.values()][1], "Ben's cluster");
    const { setExpiry } = cluster;
    cluster.setExpiry = async () => {
      throw new Error("the cluster does not answer");
    };
    const more = { class: lessonClass.id, minutes: 10, key: "request-1" };
    expect((await lead("time", more)).body).toEqual({ runs: 1, failed: ["Ben"] });
    const kim = (await join({ name: "Kim" })).body;
    cluster.setExpiry = setExpiry;
    const minutes = async () =>
      Promise.all([ann, ben, kim].map(async ({ url }) => left((await learn(url)).body, time.nowMs)));
    expect(await minutes()).toEqual([40, 30, 40]);
    expect((await lead("time", more)).body).toEqual({ runs: 3, failed: [] });
    expect(await minutes()).toEqual([40, 40, 40]);
    expect((await look()).body.deadline).toBe(new Date(startMs + 40 * minuteMs).toISOString());
    // Another request adds time again.
    await lead("time", { ...more, key: "request-2" });
    expect(await minutes()).toEqual([50, 50, 50]);
  });

  test("M12: two requests at the same time both count", async () => {
    const { join, learn, lead, time, clusters, results } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    const run = (await results())[0]?.run;
    const cluster = must([...clusters.values()][0], "Ann's cluster");
    const { setExpiry } = cluster;
    let isFirst = true;
    // Between the first request's read and its write, the second one is answered.
    cluster.setExpiry = async (endsAtMs) => {
      if (isFirst) {
        isFirst = false;
        expect((await lead("time", { run, minutes: 5 })).status).toBe(200);
      }
      return setExpiry(endsAtMs);
    };
    expect((await lead("time", { run, minutes: 10 })).status).toBe(200);
    expect(left((await learn(ann.url)).body, time.nowMs)).toBe(75);
    expect(cluster.endsAtMs).toBe(startMs + 75 * minuteMs);
  });
});

describe("a pause", () => {
  test("M12: suspends the sandboxes of a class, refuses actions, and the time left stays the same", async () => {
    const { ask, join, learn, lead, act, time, lessonClass, clusters, look } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    time.nowMs += 10 * minuteMs;
    expect((await lead("pause", { class: lessonClass.id, paused: true })).body.runs).toBe(1);
    expect([...clusters.values()].map(({ paused }) => paused)).toEqual(["the teacher has paused the lesson"]);
    expect((await act(ann.url, "check", {})).body.error?.code).toBe("paused");
    expect((await join({ name: "Ben" })).body.error?.code).toBe("paused");
    expect((await look()).body.seatsLeft).toBe(39);
    // Longer than the lesson.
    time.nowMs += 90 * minuteMs;
    const paused = (await learn(ann.url)).body;
    expect([paused.paused, Math.round(left(paused, time.nowMs))]).toEqual([true, 50]);
    await lead("pause", { paused: false });
    const { body } = await act(ann.url, "check", {});
    expect([body.paused, Math.round(left(body, time.nowMs)), body.steps[0]?.attempts]).toEqual([false, 50, 1]);
    expect([...clusters.values()].map(({ paused }) => paused)).toEqual([""]);
    // A changed deadline keeps the time of the pause.
    await ask("PATCH", `/v1/lessons/first/classes/${lessonClass.id}`, { deadline: null });
    expect(Math.round(left((await learn(ann.url)).body, time.nowMs))).toBe(50);
  });

  test("M12: a repeated pause of all learners counts once", async () => {
    const { join, learn, lead, time } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    for (const paused of [true, true, false, false]) {
      await lead("pause", { paused });
      time.nowMs += 10 * minuteMs;
    }
    expect(Math.round(left((await learn(ann.url)).body, time.nowMs))).toBe(40);
  });
});

describe("a pause and the organisation's limits", () => {
  const operator = { key: keys.operator };

  test("M12: changed limits reach a paused sandbox and leave it paused", async () => {
    const { send, join, lead, clusters, service } = await newClass();
    await join({ name: "Ann" });
    const [cluster] = clusters.values();
    await lead("pause", { paused: true });
    const body = { overrides: { objects: 50 } };
    expect((await send("PATCH", "/v1/admin/tenants/ada", { body, ...operator })).status).toBe(200);
    await informTenants(service);
    expect(cluster).toMatchObject({ limits: { objects: 50 }, paused: "the teacher has paused the lesson" });
  });

  test("M12: a suspension that ends leaves the pause, and the end of a pause leaves the suspension", async () => {
    const { send, join, lead, clusters, service } = await newClass();
    await join({ name: "Ann" });
    const [cluster] = clusters.values();
    const suspend = (suspended: string | null) =>
      send("PATCH", "/v1/admin/tenants/ada", { body: { suspended }, ...operator });
    await lead("pause", { paused: true });
    await suspend("the bill is not paid");
    await suspend(null);
    expect([cluster?.suspended, cluster?.paused]).toEqual(["", "the teacher has paused the lesson"]);
    await service.plans.set("ada", { suspended: "the bill is not paid" });
    await pauseRuns(service, { tenantId: "ada", lesson: "first" }, false);
    expect([cluster?.suspended, cluster?.paused]).toEqual(["the bill is not paid", ""]);
  });
});

describe("a message", () => {
  test("M12: is on the page of one learner or all, the newest ones alone, and not in other lessons", async () => {
    const { join, learn, lead, results, lessonClass } = await newClass();
    const [ann, ben] = [(await join({ name: "Ann" })).body, (await join({ name: "Ben" })).body];
    const texts = async ({ url }: Joined) => (await learn(url)).body.messages.map(({ text }) => text);
    const run = (await results()).find(({ learner }) => learner === "Ann")?.run;
    expect((await lead("messages", { run, text: "Ann, look at the log" })).body.runs).toBe(1);
    expect((await lead("messages", { class: lessonClass.id, text: 'Five "minutes" left' })).body.runs).toBe(2);
    expect(await texts(ann)).toEqual(["Ann, look at the log", 'Five "minutes" left']);
    expect(await texts(ben)).toEqual(['Five "minutes" left']);
    for (let n = 0; n < classLimits.messages; n++) await lead("messages", { text: `more ${n}` });
    expect(await texts(ann)).toEqual(Array.from({ length: classLimits.messages }, (_, n) => `more ${n}`));
    expect((await lead("messages", { run: "runx", text: "a" })).status).toBe(404);
    expect((await lead("messages", { text: " " })).body.error?.field).toBe("text");
  });
});

describe("teams", () => {
  test("M12: share one sandbox up to their size, and the board names their learners", async () => {
    const { join, look, results, clusters } = await newClass({ teamSize: 2 });
    expect((await join({ name: "Ann" })).body.error?.field).toBe("team");
    const { body: ann } = await join({ name: "Ann", team: "Red" });
    const { body: ben } = await join({ name: "Ben", team: "red" });
    expect(ben.url).toBe(ann.url);
    expect((await join({ name: "Kim", team: "RED" })).body.error?.code).toBe("class_full");
    await join({ name: "Kim", team: "Blue" });
    expect((await look()).body).toMatchObject({ teamSize: 2, teams: [{ name: "Blue", members: 1 }] });
    expect((await results()).map(({ learner, members }) => [learner, members]).sort()).toEqual([
      ["Blue", ["Kim"]],
      ["Red", ["Ann", "Ben"]],
    ]);
    expect(clusters.size).toBe(2);
  });

  test("M12: a class without teams refuses one", async () => {
    const { join } = await newClass();
    expect((await join({ name: "Ann", team: "Red" })).body.error?.field).toBe("team");
  });
});

describe("reserved seats", () => {
  test("M12: give each address a link of its own, once, and can be the only way in", async () => {
    const { ask, join, look, results, lessonClass } = await newClass({ seats: 3, listedOnly: true });
    const path = `/v1/lessons/first/classes/${lessonClass.id}/seats`;
    const emails = ["ann@example.org", "ben@example.org", "ANN@example.org"];
    const reserved = await ask<SeatList>("POST", path, { emails });
    expect(reserved.body.seats.map(({ email, run }) => [email, run])).toEqual([
      ["ANN@example.org", ""],
      ["ben@example.org", ""],
    ]);
    const [first] = reserved.body.seats;
    const [, learner = ""] = new URL(first?.url ?? "").hash.slice(1).split(".");
    expect((await look({ learner })).body).toMatchObject({ name: "ANN@example.org", listedOnly: true });
    expect((await join({ name: "Eve" })).body.error?.code).toBe("not_invited");
    expect((await join({ learner })).status).toBe(201);
    expect((await results())[0]).toMatchObject({ learner: "ANN@example.org", email: "ANN@example.org" });
    const more = await ask<SeatList>("POST", path, { emails: ["ann@example.org", "kim@example.org"] });
    expect(more.body.seats.length).toBe(3);
    expect((await ask("POST", path, { emails: ["lee@example.org"] })).body.error?.code).toBe("class_full");
    expect((await ask("POST", path, { emails: ["nobody"] })).body.error?.field).toBe("emails.0");
    expect((await ask<SeatList>("GET", `${path}?limit=2`)).body).toMatchObject({ seats: [{}, {}] });
  });
});

describe("results", () => {
  test("M12: results of a class have its title, answers, tries and times as JSON, CSV and xAPI", async () => {
    const { ask, join, act, lessonClass, lead } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    await act(ann.url, "check", { answers: { say: ["=bye"] } });
    await act(ann.url, "check", { answers: { say: ["hello"] } });
    await lead("runs", { learner: "teachers-own@example.org" });
    const of = `/v1/lessons/first/results?class=${lessonClass.id}`;
    const { results } = (await ask<ResultList>("GET", of)).body;
    expect(results).toMatchObject([
      {
        learner: "Ann",
        state: "finished",
        steps: [{ attempts: 2, seconds: 2, answers: { say: { answer: ["hello"], tries: 2 } }, tries: [{}, {}] }],
      },
    ]);
    const csv = (await ask<string>("GET", `${of}&format=csv`)).body.split("\r\n");
    expect(csv[0]).toMatch(/^learner,.*,class,email,members,seconds1,hints1,answers1,gradedAt,gradedBy$/);
    expect(csv[1]).toMatch(/,7b,,,2,0,say: hello \(right\),,$/);
    const statements = (await ask<{ id: string; verb: { id: string }; actor: object }[]>("GET", `${of}&format=xapi`))
      .body;
    expect(statements.map(({ verb }) => verb.id.split("/").at(-1))).toEqual([
      ...["initialized", "answered", "passed", "completed"],
    ]);
    expect(statements[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      actor: { account: { name: "Ann" } },
    });
    const again = (await ask<{ id: string }[]>("GET", `${of}&format=xapi`)).body;
    expect(again.map(({ id }) => id)).toEqual(statements.map(({ id }) => id));
  });
});

const line = (text: string) => ({
  at: new Date(startMs).toISOString(),
  line: text,
  output: "x",
  exitCode: 0,
  tookMs: 5,
});

describe("the learner's terminal", () => {
  test("M12: is recorded in order with a bound, and read by the teacher after a line", async () => {
    const { join, act, ask, results, database } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    expect((await act(ann.url, "commands", { commands: [line("one"), line("two")] })).status).toBe(204);
    await act(ann.url, "commands", { commands: [line("three")] });
    const path = `/v1/lessons/first/runs/${(await results())[0]?.run}/commands`;
    const all = (await ask<CommandList>("GET", path)).body;
    expect(all.commands.map(({ at }) => Date.parse(at))).toEqual([startMs + 1_095, startMs + 1_095, startMs + 2_195]);
    expect(all.commands.map(({ seq, line: text }) => [seq, text])).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ]);
    expect((await ask<CommandList>("GET", `${path}?after=2`)).body.commands.map(({ seq }) => seq)).toEqual([3]);
    database.exec(`UPDATE run_commands SET seq = ${recordingLimits.commands} WHERE seq = 3`);
    expect((await act(ann.url, "commands", { commands: [line("beyond")] })).status).toBe(204);
    expect(database.prepare("SELECT count(*) AS n FROM run_commands").get()).toEqual({ n: 3 });
    expect((await ask<CommandList>("GET", path)).body.isFull).toBe(true);
    database.exec("DELETE FROM run_commands WHERE seq > 1");
    expect((await ask<CommandList>("GET", path)).body.isFull).toBe(false);
    database.exec(`UPDATE run_commands SET characters = ${recordingLimits.runCharacters}`);
    await act(ann.url, "commands", { commands: [line("beyond the characters")] });
    expect(database.prepare("SELECT count(*) AS n FROM run_commands").get()).toEqual({ n: 1 });
    const long = line("x".repeat(recordingLimits.lineCharacters + 1));
    expect((await act(ann.url, "commands", { commands: [long] })).status).toBe(400);
  });

  test("M12: is recorded while a line runs, an entry that a page sends again is stored once, and the board learns that the record ended", async () => {
    const { join, act, ask, results, database } = await newClass();
    const { body: ann } = await join({ name: "Ann" });
    const entry = (seq: number, more: object = {}) => ({ ...line(""), exitCode: undefined, seq, number: 1, ...more });
    const send = (...commands: object[]) => act(ann.url, "commands", { page: "page-one", commands });
    await send(entry(1, { line: "kubectl logs -f web" }));
    await send(entry(1, { line: "kubectl logs -f web" }), entry(2, { tookMs: 1_000 }));
    await act(ann.url, "commands", { page: "page-two", commands: [entry(1, { line: "date", exitCode: 0 })] });
    await send(entry(3, { exitCode: 130, tookMs: 2_000 }));
    const path = `/v1/lessons/first/runs/${(await results())[0]?.run}/commands`;
    const { commands, isFull } = (await ask<CommandList>("GET", path)).body;
    expect(commands.map(({ page, number, line: text, exitCode }) => [page, number, text, exitCode])).toEqual([
      ["page-one", 1, "kubectl logs -f web", undefined],
      ["page-one", 1, "", undefined],
      ["page-two", 1, "date", 0],
      ["page-one", 1, "", 130],
    ]);
    expect(isFull).toBe(false);
    expect(database.prepare("SELECT max(characters) AS n FROM run_commands").get()).toEqual({
      n: "kubectl logs -f web".length + "date".length + 4,
    });
    expect((await act(ann.url, "commands", { commands: [entry(4)] })).body.error?.field).toBe("commands");
    expect((await act(ann.url, "commands", { page: "page-one", commands: [line("ls")] })).status).toBe(400);
  });
});

describe("the teacher's lines", () => {
  async function newLearner() {
    const bed = await newClass();
    const { body: ann } = await bed.join({ name: "Ann" });
    const run = (await bed.results())[0]?.run;
    const help = (body: object) => bed.lead<Run>(`runs/${run}/help`, body);
    const consent = (terminal?: string) =>
      bed.act(ann.url, "help", terminal === undefined ? { joined: false } : { joined: true, terminal });
    const take = (terminal: string, upTo: number) => bed.act(ann.url, "help/lines", { terminal, upTo });
    const waiting = async () => (await bed.learn(ann.url)).body.help.lines.map(({ seq, text }) => [seq, text]);
    return { ...bed, ann, help, consent, take, waiting };
  }

  test("M12: need the learner's consent for a terminal, until either ends it", async () => {
    const { ann, help, consent, take, learn, act } = await newLearner();
    expect((await help({ line: "ls" })).body.error?.code).toBe("consent_missing");
    expect((await consent("terminal-a")).body.error?.code).toBe("consent_missing");
    await help({ state: "asked" });
    expect((await help({ line: "ls" })).body.error?.code).toBe("consent_missing");
    expect((await act(ann.url, "help", { joined: true })).body.error?.field).toBe("terminal");
    await consent("terminal-a");
    expect((await help({ line: "kubectl get pods" })).status).toBe(200);
    expect((await learn(ann.url)).body.help).toMatchObject({
      ...{ state: "joined", terminal: "terminal-a", lines: [{ seq: 1, text: "kubectl get pods" }] },
    });
    await consent();
    expect((await learn(ann.url)).body.help).toEqual({ state: "none", lines: [] });
    expect((await help({ line: "ls" })).body.error?.code).toBe("consent_missing");
    expect((await take("terminal-a", 1)).body.error?.code).toBe("consent_missing");
  });

  test("M12: are taken by the terminal with the consent alone, and lines that are sent meanwhile stay", async () => {
    const { help, consent, take, waiting } = await newLearner();
    await help({ state: "asked" });
    await consent("terminal-a");
    await help({ line: "one" });
    await help({ line: "two" });
    // The page has read both lines; a third one and an interrupt follow before it takes them.
    await help({ line: "three" });
    await help({ interrupt: true });
    expect((await take("terminal-b", 2)).body.error?.code).toBe("consent_missing");
    expect((await take("terminal-a", 2)).status).toBe(200);
    expect((await take("terminal-a", 2)).status).toBe(200);
    expect(await waiting()).toEqual([
      [3, "three"],
      [4, ""],
    ]);
    expect((await take("terminal-a", 9)).body.error?.field).toBe("upTo");
    // A repeated question of the teacher, and a repeated consent, drop nothing.
    await help({ state: "asked" });
    await consent("terminal-a");
    expect((await waiting()).length).toBe(2);
    // Another member of the team, or a reloaded page, moves the consent to its terminal.
    await consent("terminal-b");
    expect((await take("terminal-a", 4)).body.error?.code).toBe("consent_missing");
    expect((await take("terminal-b", 4)).status).toBe(200);
    await help({ line: "five" });
    expect(await waiting()).toEqual([[5, "five"]]);
  });

  test("M12: are changed by one request at a time, so that concurrent ones lose no line and run none twice", async () => {
    const { help, consent, take, waiting, service } = await newLearner();
    await help({ state: "asked" });
    await consent("terminal-a");
    await help({ line: "one" });
    const { setHelp } = service.teaching;
    let isFirst = true;
    // Between the page's read and its write, the teacher sends another line.
    service.teaching.setHelp = async (row, to) => {
      if (isFirst) {
        isFirst = false;
        expect((await help({ line: "two" })).status).toBe(200);
      }
      return setHelp(row, to);
    };
    expect((await take("terminal-a", 1)).status).toBe(200);
    expect(isFirst).toBe(false);
    expect(await waiting()).toEqual([[2, "two"]]);
    for (let at = 3; at <= recordingLimits.helpLines + 1; at++) await help({ line: `line ${at}` });
    expect((await help({ line: "too many" })).body.error?.code).toBe("busy");
  });
});

describe("a comparison of runs", () => {
  test("M12: names pairs that share what few others have, and not what the lesson asks of all", async () => {
    const { join, act, ask } = await newClass();
    const common = ["kubectl get pods -A", "kubectl create deployment web --image nginx"];
    const rare = ["kubectl run tset --image bsuybox", "kubectl label pod web mine=yes", "kubectl apply -f my-own.yaml"];
    const lineLists = [["kubectl explain pods.spec"], rare, rare, ["kubectl logs deploy/web -f"]];
    for (const [at, lines] of lineLists.entries()) {
      const { body } = await join({ name: `Learner ${at}` });
      await act(body.url, "commands", { commands: [...common, ...lines].map(line) });
    }
    const { pairs, compared } = (await ask<Comparison>("GET", "/v1/lessons/first/comparison")).body;
    expect(compared).toBe(4);
    expect(
      pairs.map(({ runs, similarity, shared }) => [
        runs.map(({ learner }) => learner).sort(),
        similarity,
        shared.length,
      ]),
    ).toEqual([[["Learner 1", "Learner 2"], 1, 3]]);
    expect(JSON.stringify(pairs)).not.toContain("get pods");
  });
});

describe("going back", () => {
  test("M12: takes a learner to the beginning of a step that was reached, without later points", async () => {
    const { ask } = await newClass();
    const two = {
      ...lesson,
      name: "two",
      steps: [
        { ...step, questions: [] },
        { ...step, questions: [] },
      ],
    };
    await ask("POST", "/v1/lessons", two);
    const started = (await ask<Run>("POST", "/v1/lessons/two/runs", { learner: "pat" })).body;
    const path = `/v1/lessons/two/runs/${started.run}`;
    await ask("POST", `${path}/check`, {});
    expect((await ask<Run>("POST", `${path}/check`, {})).body).toMatchObject({ state: "finished", points: 4 });
    const back = (await ask<Run>("POST", `${path}/reset`, { step: 2 })).body;
    expect(back).toMatchObject({ state: "running", step: 2, points: 2, steps: [{ state: "passed" }, { attempts: 0 }] });
    expect((await ask("POST", `${path}/reset`, { step: 9 })).body.error?.field).toBe("step");
  });

  test.each([
    [1, { step: 1, points: 0 }],
    [2, { step: 2, points: 2 }],
  ])(
    "M12: overwrites what is graded while the cluster is set back to the beginning of step %i",
    async (to, expected) => {
      const { ask, clusters } = await newClass();
      const steps = [1, 2, 3].map(() => ({ ...step, questions: [], solution: [{ apply: "kind: ConfigMap" }] }));
      expect(await ask("POST", "/v1/lessons", { ...lesson, name: "three", steps })).toMatchObject({ status: 201 });
      const started = (await ask<Run>("POST", "/v1/lessons/three/runs", { learner: "pat" })).body;
      const path = `/v1/lessons/three/runs/${started.run}`;
      await ask("POST", `${path}/check`, {});
      const cluster = must(clusters.get(started.sandbox.id), "the cluster");
      const { perform } = cluster;
      let isGraded = false;
      cluster.perform = async (actions) => {
        if (!isGraded) expect((await ask<Run>("POST", `${path}/check`, {})).body).toMatchObject({ step: 3, points: 4 });
        isGraded = true;
        return perform(actions);
      };
      expect(await ask<Run>("POST", `${path}/reset`, { step: to })).toMatchObject({ status: 200, body: expected });
      expect(isGraded).toBe(true);
    },
  );
});
