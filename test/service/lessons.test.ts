// Lessons of teachers and learners: the commands of docs/courses.md, and a run with restarted and skipped steps.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Sandbar } from "../../client/index.ts";
import { findKubectls } from "./binaries.ts";
import { type Installed, installClient } from "./client.ts";
import { projectRoot } from "./service.ts";

const service = inject("service");
const page = readFileSync(join(projectRoot, "docs/courses.md"), "utf8");
const [first] = findKubectls();
let installed: Installed;

beforeAll(async () => {
  installed = await installClient(service);
});
afterAll(() => installed.remove());

function blockOf(kind: string): string {
  const begin = `\`\`\`${kind}\n`;
  const at = page.indexOf(begin);
  expect(at, kind).toBeGreaterThan(0);
  return page.slice(at + begin.length, page.indexOf("\n```", at));
}

test.skipIf(!first)(
  "M9: the lesson of docs/courses.md is checked, published, run and graded as documented",
  async () => {
    const folder = join(installed.folder, "hello");
    mkdirSync(folder);
    writeFileSync(join(folder, "lesson.yaml"), blockOf("yaml lesson.yaml"));
    writeFileSync(join(folder, "1-hello.md"), blockOf("md 1-hello.md"));
    expect(blockOf("sh publish")).toBe("sandbar lesson check hello\nsandbar lesson publish hello");
    expect(await installed.sandbar(["lesson", "check", "hello"])).toMatchObject({
      code: 0,
      stdout: "hello: 1 steps, 3 points\n",
    });
    const published = await installed.sandbar(["lesson", "publish", "hello"]);
    expect([published.code, published.stderr]).toEqual([0, "hello is published as version 1\n"]);
    const prelude = blockOf("sh prelude").replace(/^SANDBAR=.*$/m, `SANDBAR=${service.http} KEY=${service.apiKey}`);
    const script = ["set -eu", prelude, blockOf("sh class"), blockOf("sh class-link")].join("\n");
    const options = { cwd: mkdtempSync(join(service.data, "course-")), encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], options);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout.split("\n")).toEqual([
      '[0,"kubectl create configmap hello --from-literal=text=world"]',
      "configmap/hello created",
      '[3,3,"finished"]',
      '["ann@example.org",3]',
      "learner,lesson,version,state,step,points,maxPoints",
      "ann@example.org,hello,1,finished,1,3,3",
      expect.stringMatching(/\/learn\/join#sbj_/),
      expect.stringMatching(/\/learn\/run[a-z2-7]+#sbl_/),
      "",
    ]);
  },
);

test("M5: a faulty lesson is reported with line and column, and exits with 1", async () => {
  mkdirSync(join(installed.folder, "wrong"));
  const text = blockOf("yaml lesson.yaml").replace('found("v1"', 'fund("v1"');
  writeFileSync(join(installed.folder, "wrong/lesson.yaml"), text);
  writeFileSync(join(installed.folder, "wrong/1-hello.md"), "x");
  const outcome = await installed.sandbar(["lesson", "check", "wrong"]);
  expect([outcome.code, outcome.stdout]).toEqual([
    1,
    "wrong/lesson.yaml:10:25: undeclared reference to 'fund' (in container '')\n",
  ]);
});

const client = new Sandbar({ url: service.http, key: service.apiKey });

test.each(readdirSync(join(projectRoot, "lessons")))(
  "M8: %s is published, started, and solved up to its last step",
  async (name) => {
    const published = await installed.sandbar(["lesson", "publish", join(projectRoot, "lessons", name)]);
    expect(published.code, published.stdout + published.stderr).toBe(0);
    const { run, steps } = await client.startRun(name, { learner: "ann" });
    const last = steps.length;
    const skipped = await client.skipToStep(name, run, last);
    expect([skipped.step, skipped.steps.map(({ state }) => state).slice(0, -1)]).toEqual([
      last,
      Array.from({ length: last - 1 }, () => "skipped"),
    ]);
    expect((await client.checkRun(name, run)).steps.at(-1)).toMatchObject({ state: "current", best: 0 });
  },
);

test("M7: a lesson of a template starts from the template's state, also after a reset", async () => {
  const expression =
    'found("apps/v1", "Deployment", "default", "extra") && object("v1", "ConfigMap", "default", "mine").data.a == "b"';
  await client.publishLesson({
    name: "of-template",
    title: "Of a template",
    template: "three-nodes",
    manifests: "{apiVersion: v1, kind: ConfigMap, metadata: {name: mine}, data: {a: b}}",
    steps: [{ title: "One", text: "x", checks: [{ name: "a", expression }] }],
  });
  expect((await client.getLesson("of-template")).lesson.template).toMatch(/^three-nodes@\d+$/);
  const { run, sandbox, tokens } = await client.startRun("of-template", { learner: "tom" });
  const headers = { authorization: `Bearer ${tokens[0]?.token ?? ""}`, "content-type": "application/json" };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(client.clusterUrl(sandbox.id) + path, { ...init, headers });
  const nodes = async () => ((await (await ask("/api/v1/nodes")).json()) as { items: object[] }).items.length;
  const configMap = "/api/v1/namespaces/default/configmaps/mine";
  expect([await nodes(), (await ask(configMap)).status]).toEqual([3, 200]);
  expect((await ask(configMap, { method: "DELETE" })).status).toBe(200);
  expect(await client.checkRun("of-template", run)).toMatchObject({ points: 0, steps: [{ attempts: 1 }] });
  expect(await client.resetRun("of-template", run)).toMatchObject({ steps: [{ attempts: 0 }] });
  // The learner's token is as good as before.
  expect([await nodes(), (await ask(configMap)).status]).toEqual([3, 200]);
});

describe("a lesson's run", () => {
  const step = (title: string, expression: string, name: string) => ({
    title,
    text: "x",
    checks: [{ name: "it is there", points: 2, hint: "make it", expression }],
    solution: [{ apply: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }) }],
  });
  const has = (name: string) => `found("v1", "ConfigMap", "default", "${name}")`;
  const lesson = {
    name: "walk",
    title: "Walk",
    manifests: `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {app: web}}, spec: {containers: [{name: a, image: nginx}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {selector: {app: web}, ports: [{port: 80}]}}
`,
    steps: [
      step("One", `${has("one")} && !changes("v1", "ConfigMap", "default").exists(c, c.name == "bad")`, "one"),
      step("Two", has("two"), "two"),
      step("Three", 'http("web.shop").status == 200', "three"),
    ],
  };

  test("M7: goes through a mistake, a restarted step, a skipped step, and answers from containers", async () => {
    await client.publishLesson(lesson);
    const { run, sandbox, tokens } = await client.startRun("walk", { learner: "kim" });
    const write = async (name: string) => {
      const headers = { authorization: `Bearer ${tokens[0]?.token ?? ""}`, "content-type": "application/json" };
      const url = `${client.clusterUrl(sandbox.id)}/api/v1/namespaces/default/configmaps`;
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ metadata: { name } }) });
      expect(answer.status).toBe(201);
    };
    await write("bad");
    await write("one");
    expect(await client.checkRun("walk", run)).toMatchObject({ step: 1, points: 0 });
    await client.restartStep("walk", run);
    expect(await client.checkRun("walk", run)).toMatchObject({ step: 1, points: 0 });
    // It is as before the step: the same name is free again, and the mistake is forgotten.
    await write("one");
    expect(await client.checkRun("walk", run)).toMatchObject({ step: 2, points: 2 });
    expect(await client.skipToStep("walk", run, 3)).toMatchObject({ step: 3, points: 2, state: "running" });
    await expect.poll(async () => (await client.checkRun("walk", run)).state, { timeout: 60_000 }).toBe("finished");
    expect(await client.getRun("walk", run)).toMatchObject({ points: 4, maxPoints: 6 });
    expect((await client.listResults("walk")).results).toMatchObject([
      { learner: "kim", points: 4, state: "finished" },
    ]);
  });
});
