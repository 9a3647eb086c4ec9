// The terminals of a learner's page in a real browser. A teacher follows them while they run, and runs lines in the one whose user consented. The
// learner arranges them with the live view.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { Sandbar } from "../../../client/index.ts";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { seriousViolations } from "./accessible.ts";
import { trackErrors, visitConsole } from "./objects-browser.ts";

warnWithoutChromium("the terminals of a learner's page");

const lesson = {
  name: "terminals",
  title: "Terminals",
  steps: [
    {
      title: "Make one",
      text: "# Make one",
      checks: [{ name: "There is one", expression: 'found("v1", "ConfigMap", "default", "one")' }],
    },
  ],
};

describe.skipIf(!hasChromium)("the terminals of a learner's page", () => {
  const service = inject("service");
  const client = new Sandbar({ url: service.http, key: service.apiKey });
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let errors: string[][] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    await client.publishLesson(lesson);
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts = [];
    errors = [];
  });

  async function open(url: string, width = 1600): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 1000 } });
    contexts.push(context);
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    errors.push(trackErrors(page));
    await page.goto(url);
    await page.getByRole("heading", { name: "Make one" }).waitFor();
    await expect.poll(() => screenOf(page), { timeout: patienceMs }).toMatch(/\$/);
    return page;
  }

  /** Returns the text of a visible terminal. */
  async function screenOf(page: Page): Promise<string> {
    const texts = await page.locator(".xterm-rows:visible").allInnerTexts();
    return (texts[0] ?? "").replaceAll("\u00a0", " ");
  }

  function countOf(text: string, screen: string): number {
    return screen.split(text).length - 1;
  }

  test("M12: a teacher sees lines while they run, and each of the teacher's lines runs once, in the terminal that allowed it", async () => {
    const run = await client.startRun(lesson.name, { learner: "kim" });
    const [first, second] = [await open(run.url), await open(run.url)];
    const visit = await visitConsole(browser, service, `#/lessons/${lesson.name}`);
    contexts.push(visit.context);
    errors.push(visit.errors);
    const { page: teacher } = visit;
    await teacher.getByRole("button", { name: "Watch kim" }).click();
    const detail = teacher.getByRole("region", { name: "Watching kim" });
    await detail.getByRole("button", { name: "Ask to join" }).click();
    await second.getByRole("button", { name: "Allow", exact: true }).waitFor();
    await first.getByRole("button", { name: "Allow", exact: true }).click();
    await first.getByText("Your teacher has joined Terminal 1.").waitFor();
    await second.getByText("Your teacher has joined another terminal").waitFor();
    const send = async (line: string) => {
      await detail.getByLabel("Line for the learner's terminal").fill(line);
      await detail.getByRole("button", { name: "Run", exact: true }).click();
    };
    // The first lines are sent faster than the pages ask for them.
    for (const name of ["a", "b", "c"]) await send(`kubectl create configmap from-${name}`);
    for (const name of ["a", "b", "c"]) await detail.getByText(`configmap/from-${name} created`).waitFor();
    await send("while true; do echo tick $((40 + 2)); sleep 1; done");
    await detail.getByText("tick 42").waitFor();
    await detail.getByText("running", { exact: true }).waitFor();
    expect(await seriousViolations(teacher)).toEqual([]);
    await detail.getByRole("button", { name: "Send Ctrl-C" }).click();
    await detail.getByText("exit 130").waitFor();
    const screens = [await screenOf(first), await screenOf(second)] as const;
    for (const name of ["a", "b", "c"]) expect(countOf(`configmap/from-${name} created`, screens[0])).toBe(1);
    expect(screens[0]).not.toContain("AlreadyExists");
    expect(screens[1]).not.toContain("from-");

    await second.getByRole("button", { name: "Allow here instead" }).click();
    await first.getByText("Your teacher has joined another terminal").waitFor();
    await send("kubectl create configmap from-d");
    await expect.poll(() => screenOf(second), { timeout: patienceMs }).toContain("configmap/from-d created");
    expect(await screenOf(first)).not.toContain("from-d");
    await second.getByRole("button", { name: "End it" }).click();
    await detail.getByRole("button", { name: "Ask to join" }).waitFor();

    // The last output arrives although the page closes at once.
    await first.locator(".xterm-helper-textarea").focus();
    await first.keyboard.type("echo the last $((1 + 1)) words; sleep 60\n");
    await expect.poll(() => screenOf(first), { timeout: patienceMs }).toContain("the last 2 words");
    await first.goto("about:blank");
    await detail.getByText("the last 2 words", { exact: true }).waitFor();
    await detail.getByText("exit 129").waitFor();
    expect(errors.flat()).toEqual([]);
  });

  test("M11: terminals are tabs, two of them or one and the live view are visible together, and the layout is remembered", async () => {
    const run = await client.startRun(lesson.name, { learner: "lee" });
    const page = await open(run.url);
    const dock = page.getByRole("region", { name: "Dock" });
    const panels = () =>
      dock.getByRole("tabpanel").evaluateAll((all) => all.map((panel) => panel.getAttribute("aria-label")));
    await dock.getByRole("button", { name: "New terminal" }).click();
    await dock.getByRole("tab", { name: "Terminal 2", selected: true }).waitFor();
    await dock.getByRole("button", { name: "Two tabs side by side" }).click();
    expect((await panels()).sort()).toEqual(["Terminal 1", "Terminal 2"]);
    await expect.poll(() => page.locator(".xterm-rows:visible").count()).toBe(2);
    // Terminals share their files.
    await dock.getByRole("tabpanel", { name: "Terminal 2" }).locator("textarea").focus();
    await page.keyboard.type("echo shared > note\n");
    await dock.getByRole("tabpanel", { name: "Terminal 1" }).locator("textarea").focus();
    await page.keyboard.type("cat note\n");
    const text = async () =>
      (await dock.getByRole("tabpanel", { name: "Terminal 1" }).locator(".xterm-rows").innerText()).replaceAll(
        "\u00a0",
        " ",
      );
    await expect.poll(text, { timeout: patienceMs }).toMatch(/cat note\s+shared/);
    await dock.getByRole("button", { name: "Live view with the terminal" }).click();
    expect((await panels()).sort()).toEqual(["Live view", "Terminal 2"]);
    await dock.getByText("Live", { exact: true }).waitFor();
    const boxes = async () =>
      Promise.all(["Terminal 2", "Live view"].map((name) => dock.getByRole("tabpanel", { name }).boundingBox()));
    const [above, below] = await boxes();
    expect(below?.y).toBeGreaterThan((above?.y ?? 0) + 100);
    await dock.getByRole("button", { name: "Second tab below" }).click();
    const [left, right] = await boxes();
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + 100);
    const splitter = dock.getByRole("separator", { name: "Size of the second tab" });
    await splitter.focus();
    await page.keyboard.press("ArrowLeft");
    expect(Number(await splitter.getAttribute("aria-valuenow"))).toBe(53);
    expect(await seriousViolations(page)).toEqual([]);
    // The keys are those of the console.
    const isInTerminal = () => page.evaluate("document.activeElement.closest('.xterm') !== null");
    await page.getByRole("button", { name: "Check", exact: true }).focus();
    await page.keyboard.press("Control+j");
    await expect.poll(isInTerminal).toBe(true);
    await page.keyboard.press("Control+j");
    await expect.poll(isInTerminal).toBe(false);
    await dock.getByRole("tab", { name: "Terminal 2" }).focus();
    await page.keyboard.press("ArrowLeft");
    await dock.getByRole("tab", { name: "Terminal 1", selected: true }).waitFor();

    await page.reload();
    await dock.getByText("Live", { exact: true }).waitFor();
    expect((await panels()).sort()).toEqual(["Live view", "Terminal 1"]);
    const [again, beside] = await Promise.all(
      ["Terminal 1", "Live view"].map((name) => dock.getByRole("tabpanel", { name }).boundingBox()),
    );
    expect(beside?.x).toBeGreaterThan((again?.x ?? 0) + 100);

    const phone = await open(run.url, 390);
    expect(await phone.getByRole("button", { name: "Two tabs side by side" }).isVisible()).toBe(false);
    expect(await phone.getByRole("button", { name: "Live view with the terminal" }).isVisible()).toBe(false);
    await phone.getByRole("tab", { name: "Live view" }).click();
    await phone.getByText("Live", { exact: true }).waitFor();
    expect(await phone.getByRole("tabpanel").count()).toBe(1);
    expect(await phone.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(errors.flat()).toEqual([]);
  });
});
