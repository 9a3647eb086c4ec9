// A lesson as a learner takes it and a teacher sees it: in a real browser, on the real service.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { type RunWithTokens, Sandbar } from "../../client/index.ts";
import { seriousViolations } from "./browser/accessible.ts";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "./chromium.ts";

warnWithoutChromium("lessons in a page");

const service = inject("service");
const client = new Sandbar({ url: service.http, key: service.apiKey });
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const has = (name: string) => `found("v1", "ConfigMap", "default", "${name}")`;
const lesson = {
  name: "in-a-page",
  title: "In a page",
  manifests: "{apiVersion: v1, kind: ConfigMap, metadata: {name: given}, data: {colour: green}}",
  steps: [
    {
      title: "Make one",
      text: '# Make one\n\nMake a ConfigMap `one`. <img src=x onerror="window.hit = 1">\n\n```sh\n$ kubectl create configmap one\n```\n',
      checks: [
        { name: "There is one", points: 2, hint: "kubectl create configmap one", expression: has("one") },
        { name: "Nothing else was made", expression: `!${has("wrong")}` },
      ],
      solution: [{ apply: JSON.stringify(configMap("one")) }],
    },
    {
      title: "Look at one",
      text: "# Look at one\n\nLook at the ConfigMap `given`.",
      question: "Which colour does it have?",
      checks: [
        {
          name: "It is green",
          points: 2,
          hint: "kubectl get configmap given -o yaml",
          expression: 'answer == "green"',
        },
      ],
      solution: [{ answer: "green" }],
    },
    {
      title: "Make two",
      text: "# Make two\n\nMake a ConfigMap `two`.",
      checks: [{ name: "There is two", expression: has("two") }],
      solution: [{ apply: JSON.stringify(configMap("two")) }],
    },
  ],
};

describe.skipIf(!hasChromium)("M11: the learner's page", () => {
  let browser: Browser;
  let context: BrowserContext;
  /** The errors that pages reported. */
  let complaints: string[];

  beforeAll(async () => {
    browser = await launchBrowser();
    await client.publishLesson(lesson);
  });
  afterAll(() => browser?.close());
  afterEach(() => context?.close());

  async function open(url: string, options: { width?: number; colorScheme?: "light" | "dark" } = {}): Promise<Page> {
    const { width = 1300, colorScheme = "light" } = options;
    complaints = [];
    context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    context.setDefaultTimeout(patienceMs);
    context.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  async function write(run: RunWithTokens, name: string): Promise<void> {
    const headers = { authorization: `Bearer ${run.tokens[0]?.token ?? ""}`, "content-type": "application/json" };
    const url = `${client.clusterUrl(run.sandbox.id)}/api/v1/namespaces/default/configmaps`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(configMap(name)) });
    expect(answer.status).toBe(201);
  }

  test("M11: leads from the start to full points through a mistake, and the teacher sees it on the board", async () => {
    const run = await client.startRun(lesson.name, { learner: "kim" });
    const page = await open(run.url);
    const check = page.getByRole("button", { name: "Check", exact: true });
    await page.getByRole("heading", { name: "Make one" }).waitFor();
    await page.getByRole("tab", { name: "Live view" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await check.click();
    await page.getByText("Hint: kubectl create configmap one").waitFor();
    await page.getByText("One check does not hold yet.").waitFor();
    // The mistake is undone with the step, and nothing of the text has run.
    await write(run, "wrong");
    await page.getByRole("button", { name: "Start this step again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start this step again" }).click();
    await page.getByText("The step begins again.").waitFor();
    expect(await page.evaluate("window.hit")).toBeUndefined();
    await page.getByText('<img src=x onerror="window.hit = 1">').waitFor();
    await write(run, "one");
    await check.click();
    await page.getByText("Step 1 is passed: 3 points.").waitFor();
    await page.getByLabel("Which colour does it have?").fill("red");
    await check.click();
    await page.getByText("kubectl get configmap given -o yaml").waitFor();
    expect(await page.getByLabel("Which colour does it have?").inputValue()).toBe("red");
    await page.getByLabel("Which colour does it have?").fill("green");
    await check.click();
    await page.getByText("Step 2 is passed: 2 points.").waitFor();
    // An earlier page is read again.
    await page.getByRole("button", { name: /Make one/ }).click();
    await page.getByText("You are reading step 1 again.").waitFor();
    await page.getByRole("button", { name: "Back to step 3" }).click();
    await write(run, "two");
    await check.click();
    await page.getByRole("heading", { name: "You have finished" }).waitFor();
    await page.getByText("6 of 6 points").first().waitFor();
    expect(complaints).toEqual([]);

    const teacher = await context.newPage();
    await teacher.goto(`${service.http}/#/lessons/${lesson.name}`);
    await teacher.getByLabel("API key").fill(service.apiKey);
    await teacher.getByRole("button", { name: "Sign in" }).click();
    const row = teacher.locator("tr[data-learner=kim]");
    await row.getByText("finished").waitFor();
    expect(await row.locator("[data-label=Points]").innerText()).toMatch(/6 \/ 6$/);
    expect(await row.locator(".dots li").allInnerTexts()).toEqual(
      ["3", "2", "1"].map((digit) => expect.stringContaining(digit)),
    );
    const [saved] = await Promise.all([
      teacher.waitForEvent("download"),
      teacher.getByRole("button", { name: "Results as CSV" }).click(),
    ]);
    expect(readFileSync(await saved.path(), "utf8")).toContain("kim,in-a-page,1,finished,3,6,6,6,");
  });

  test("M11: belongs to a class: learners are added, one is watched at work, and all restart", async () => {
    const teacher = await open(`${service.http}/#/lessons/${lesson.name}`);
    await teacher.getByLabel("API key").fill(service.apiKey);
    await teacher.getByRole("button", { name: "Sign in" }).click();
    await teacher.getByRole("button", { name: "Add learners" }).click();
    await teacher.getByLabel("Names").fill("lee\nmia\n");
    await teacher.getByRole("button", { name: "Add", exact: true }).click();
    const link = await teacher.getByRole("link", { name: /of mia/ }).getAttribute("href");
    await teacher.getByRole("button", { name: "Done" }).click();
    await teacher.locator("tr[data-learner=lee]").waitFor();

    const learner = await context.newPage();
    await learner.goto(link ?? "");
    await learner.getByRole("button", { name: "Skip to a later step" }).click();
    await learner.getByLabel("Go on at").selectOption("3");
    await learner.getByRole("dialog").getByRole("button", { name: "Skip to a later step" }).click();
    await learner.getByText("You are at step 3 now.").waitFor();
    const row = teacher.locator("tr[data-learner=mia]");
    await row.locator("[data-label=Step]").getByText("Make two").waitFor();
    await row.getByRole("button", { name: "Watch" }).click();
    const watched = teacher.getByRole("region", { name: "Watching mia" });
    await watched.getByText("There is two").waitFor();
    await watched.getByText("Live", { exact: true }).waitFor();
    await teacher.getByRole("button", { name: "Reset all" }).click();
    await teacher.getByRole("dialog").getByRole("button", { name: "Reset all" }).click();
    await row.locator("[data-label=Step]").getByText("Make one").waitFor();
    await learner.reload();
    await learner.getByRole("heading", { name: "Make one" }).waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    await teacher.getByRole("button", { name: "Delete run" }).click();
    await row.waitFor({ state: "detached" });
    await learner.reload();
    await learner.getByText("This link is no longer valid").waitFor();
  });

  test("M11: fits a phone in another origin's frame, and sends events to its page", async () => {
    let pageText = "";
    const site = createServer((_, answer) => void answer.writeHead(200, { "content-type": "text/html" }).end(pageText));
    await new Promise<void>((ready) => site.listen(0, "127.0.0.1", ready));
    const address = site.address();
    const origin = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
    const run = await client.startRun(lesson.name, { learner: "ben", frameOrigins: [origin] });
    pageText = `<!doctype html><title>A course</title><script>window.told = []; addEventListener("message", ({ data }) => told.push(data.type));</script>
      <iframe title="lesson" src="${run.url}" style="width: 400px; height: 700px"></iframe>`;
    const page = await open(origin, { width: 420 });
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Make one" }).waitFor();
    await write(run, "one");
    await frame.getByRole("button", { name: "Check", exact: true }).click();
    await frame.getByText("Step 1 is passed").waitFor();
    expect(await page.evaluate("window.told")).toEqual(["ready", "changed", "passed"]);
    const inside = page.frames().find((frame) => frame.url().includes("/learn/"));
    expect(await inside?.evaluate("document.documentElement.scrollWidth")).toBe(400);
    site.close();
    site.closeAllConnections();
  });

  test.each(["light", "dark"] as const)(
    "M11: has no serious accessibility violation, in %s colours",
    async (colorScheme) => {
      const run = await client.startRun(lesson.name, { learner: "zoe" });
      const page = await open(run.url, { colorScheme });
      await page.getByRole("tab", { name: "Live view" }).click();
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Check", exact: true }).click();
      await page.getByText("does not hold yet").waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Skip to a later step" }).click();
      expect(await seriousViolations(page)).toEqual([]);
      await page.goto(`${service.http}/#/lessons`);
      await page.getByLabel("API key").fill(service.apiKey);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("link", { name: lesson.title }).click();
      await page.locator("tr[data-learner=zoe]").getByRole("button", { name: "Watch" }).click();
      await page.getByRole("region", { name: "Watching zoe" }).getByText("Live", { exact: true }).waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await client.deleteRun(lesson.name, run.run);
    },
  );

  test("M11: explains an incomplete link, and shows the points after the expiry", async () => {
    const page = await open(`${service.http}/learn/run${"a".repeat(20)}`);
    await page.getByText("This link is incomplete").waitFor();
    await page.goto(`${service.http}/learn/run${"a".repeat(20)}#sbl_x`);
    await page.getByText("This link is no longer valid").waitFor();
    const run = await client.startRun(lesson.name, { learner: "ada" });
    await page.route("**/v1/learn", async (route) => {
      const answer = await route.fetch();
      const body = { ...((await answer.json()) as object), state: "expired", points: 4 };
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto(run.url);
    await page.getByText("The cluster is gone. You have 4 of 6 points.").waitFor();
    expect(await page.getByRole("button", { name: /Check|Skip|again/ }).count()).toBe(0);
  });
});
