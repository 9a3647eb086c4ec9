// `sandbar lesson` for a class, over the control API itself.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commands, parseOptions } from "../../client/cli/commands.ts";
import { UsageError } from "../../client/cli/values.ts";
import { lessonCommand } from "../../client/cli/lesson.ts";
import { Sandbar, SandbarError } from "../../client/index.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { keys, newService } from "./service.ts";

const service = "http://localhost:8787";
const checks = [{ name: "a", points: 2, expression: "true" }];
const steps = [{ title: "One", text: "x", checks }];
let harness: Awaited<ReturnType<typeof newService>>;

beforeEach(async () => {
  harness = await newService();
  vi.stubGlobal("fetch", async (input: string, init?: RequestInit) =>
    controlApiApp.fetch(new Request(input, init), { controlApi: harness.service }),
  );
  await harness.send("POST", "/v1/lessons", { body: { name: "first", title: "First", steps } });
});
afterEach(() => vi.unstubAllGlobals());

async function lesson(args: readonly string[], signal = new AbortController().signal) {
  const [printed, errorOutput] = [[] as string[], [] as string[]];
  const command = commands["lesson"];
  if (!command) throw new Error("there is no such command");
  const parsed = parseArgs({ args: [...args], options: parseOptions(command), allowPositionals: true });
  const values: Readonly<Record<string, unknown>> = parsed.values;
  try {
    const code = await lessonCommand({
      client: new Sandbar({ url: service, key: keys.ada }),
      words: parsed.positionals,
      text: (option) => values[option] as string | undefined,
      texts: (option) => (values[option] ?? []) as string[],
      has: (option) => values[option] === true,
      print: (text) => void printed.push(String(text)),
      say: (text) => void errorOutput.push(text),
      environment: {},
      folder: ".",
      version: "0",
      signal,
    });
    return { code: code ?? 0, out: printed.join(""), said: errorOutput.join("\n") };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SandbarError)) throw error;
    return { code: error instanceof UsageError ? 2 : 1, out: printed.join(""), said: error.message };
  }
}

test("K4: start prints a line of name and link for each learner, and the same link again for a repetition", async () => {
  const begun = await lesson(["start", "first", "ann", "bob"]);
  expect(begun.out).toMatch(/^ann\thttp:\/\/localhost:8787\/learn\/run\w+#sbl_\w+\nbob\thttp\S+\n$/);
  expect((await lesson(["start", "first", "ann", "bob"])).out).toBe(begun.out);
  expect((await lesson(["list"])).out).toMatch(/^NAME +VERSION .*\nfirst +1 +1 +2 +First\n$/);
});

test("K4: results prints a table, JSON or CSV with one header, of all pages", async () => {
  // More than a page.
  const learners = Array.from({ length: 52 }, (_, at) => `learner${at}`);
  for (const learner of learners) {
    harness.time.nowMs += 1000;
    await harness.send("POST", "/v1/lessons/first/runs", { body: { learner } });
  }
  expect((await lesson(["results", "first"])).out.split("\n").length).toBe(54);
  const csv = (await lesson(["results", "first", "--csv"])).out.trim().split("\r\n");
  expect([csv.length, csv.filter((line) => line.startsWith("learner,")).length]).toEqual([53, 1]);
  const json = JSON.parse((await lesson(["results", "first", "--json"])).out) as object[];
  expect(json.length).toBe(52);
  expect((await lesson(["results", "first", "--learner", "learner7"])).out.split("\n").length).toBe(3);
});

test("K4: reset restarts learners by name or all together, and delete removes a lesson", async () => {
  await lesson(["start", "first", "ann", "bob"]);
  expect(await lesson(["reset", "first", "ann"])).toMatchObject({ code: 0, said: "ann's run was reset" });
  expect((await lesson(["reset", "first", "--all"])).said.split("\n").sort()).toEqual([
    "ann's run was reset",
    "bob's run was reset",
  ]);
  expect(await lesson(["delete", "first"])).toMatchObject({ code: 0, said: "first is deleted with its results" });
  expect((await lesson(["results", "first"])).code).toBe(1);
});

test.each([
  [["walk"], "say check, serve, publish, list, start, results, reset, delete"],
  [["check"], "name the folder of one lesson"],
  [["start", "first"], "name the lesson and its learners"],
  [["reset", "first"], "name learners, or say --all"],
  [["reset", "first", "nobody"], "first has no such learners: nobody"],
  [["results"], "name the lesson"],
])("K4: lesson %j is a wrong command", async (words, errorOutput) => {
  expect(await lesson(words)).toMatchObject({ code: 2, out: "", said: expect.stringContaining(errorOutput) });
});

test("M5: serve shows saved changes of a lesson, and leaves nothing behind afterwards", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lesson-"));
  const text =
    "name: mine\ntitle: Mine\nsteps:\n  - {title: One, page: 1.md, checks: [{name: a, expression: 'true'}]}\n";
  writeFileSync(join(folder, "lesson.yaml"), text);
  writeFileSync(join(folder, "1.md"), "# Before");
  const stop = new AbortController();
  const served = lesson(["serve", folder, "--every", "1s"], stop.signal);
  const runs = () => harness.service.lessons.listRuns({ tenantId: "ada", lesson: "mine-draft", limit: 2 });
  await expect.poll(async () => (await runs()).length).toBe(1);
  const [{ id = "" } = {}] = await runs();
  const { url } = await new Sandbar({ url: service, key: keys.ada }).linkRun("mine-draft", id);
  const learner = new Sandbar({ url: service, key: new URL(url).hash.slice(1) }).learner;
  expect((await learner.getOwnRun()).page.text).toBe("# Before");
  writeFileSync(join(folder, "1.md"), "# After");
  await expect.poll(async () => (await learner.getOwnRun()).page.text, { timeout: 10_000 }).toBe("# After");
  stop.abort();
  const { said: errorOutput, code } = await served;
  expect([code, errorOutput]).toEqual([0, expect.stringContaining(url)]);
  await expect(learner.getOwnRun()).rejects.toMatchObject({ status: 401 });
  expect([...harness.clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
});

/** Writes an exam of two clusters, and returns a function that writes it again with other clusters. */
function examFolder() {
  const folder = mkdtempSync(join(tmpdir(), "lesson-"));
  const write = (clusters: string) =>
    writeFileSync(
      join(folder, "lesson.yaml"),
      `name: several\ntitle: Several\nexam: {}\nclusters: [${clusters}]\nsteps:\n  - {title: One, page: 1.md, checks: [{name: a, expression: 'true'}]}\n  - {title: Two, page: 1.md, cluster: c2, checks: [{name: b, expression: 'true'}]}\n`,
    );
  write("{name: c1}, {name: c2}");
  writeFileSync(join(folder, "1.md"), "# Before");
  return { folder, write };
}

test("M5: serve grades every task of an exam, shows saved changes, and leaves no sandbox of its clusters behind", async () => {
  const { folder } = examFolder();
  const before = harness.clusters.size;
  const stop = new AbortController();
  const served = lesson(["serve", folder, "--every", "1s"], stop.signal);
  const runs = () => harness.service.lessons.listRuns({ tenantId: "ada", lesson: "several-draft", limit: 2 });
  await expect.poll(async () => (await runs()).length).toBe(1);
  const [{ id = "" } = {}] = await runs();
  const { url } = await new Sandbar({ url: service, key: keys.ada }).linkRun("several-draft", id);
  const learner = new Sandbar({ url: service, key: new URL(url).hash.slice(1) }).learner;
  writeFileSync(join(folder, "1.md"), "# After");
  await expect.poll(async () => (await learner.getOwnRun()).page.text, { timeout: 10_000 }).toBe("# After");
  expect(await learner.getOwnRun()).toMatchObject({ state: "running", points: 0 });
  stop.abort();
  const { code, out, said: errorOutput } = await served;
  expect([code, out.match(/^- name: "c\d"$/gm)]).toEqual([0, expect.arrayContaining(['- name: "c1"', '- name: "c2"'])]);
  expect(errorOutput).toMatch(/^sandboxes c1 \w+, c2 \w+: the output is a kubeconfig with a context for each/m);
  expect(errorOutput).toContain("1. One: 1 of 1 points\n  + a\n2. Two: 1 of 1 points\n  + b\n2 of 2 points");
  expect(harness.clusters.size).toBe(before + 2);
  expect([...harness.clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
});

test("M5: serve of an exam refuses a step, and ends when its clusters change", async () => {
  const { folder, write } = examFolder();
  expect(await lesson(["serve", folder, "--step", "2"])).toMatchObject({
    code: 2,
    said: expect.stringContaining("no order"),
  });
  expect(harness.clusters.size).toBe(0);
  const served = lesson(["serve", folder, "--every", "1s"]);
  await expect.poll(() => harness.clusters.size, { timeout: 10_000 }).toBe(2);
  await expect.poll(() => [...harness.clusters.values()].flatMap(({ graded }) => graded).length).toBeGreaterThan(1);
  write("{name: c1}, {name: c2}, {name: c3}");
  expect(await served).toMatchObject({ code: 2, said: "the exam has other clusters now: serve it again" });
  expect([...harness.clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
});
