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

test("M5: serve of an exam, which is graded only at its end, leaves no sandbox of its clusters behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lesson-"));
  const text =
    "name: several\ntitle: Several\nexam: {}\nclusters: [{name: c1}, {name: c2}]\nsteps:\n  - {title: One, page: 1.md, checks: [{name: a, expression: 'true'}]}\n";
  writeFileSync(join(folder, "lesson.yaml"), text);
  writeFileSync(join(folder, "1.md"), "# One");
  const before = harness.clusters.size;
  const { code, said: errorOutput } = await lesson(["serve", folder]);
  expect([code, errorOutput]).toEqual([1, expect.stringContaining("exam")]);
  expect(harness.clusters.size).toBe(before + 2);
  expect([...harness.clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
});
