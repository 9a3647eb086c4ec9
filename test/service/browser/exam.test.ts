// A learner's way through exams of several clusters in a real browser: contexts, a node that is mended over ssh, and the report. Another exam is
// taken by keyboard alone, and a third in two tabs while the teacher gives extra time.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Sandbar } from "../../../client/index.ts";
import { readLessonFolder } from "../../../shared/lesson/read-folder.ts";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { seriousViolations } from "./accessible.ts";
import { trackErrors, visitConsole } from "./objects-browser.ts";

const folder = join(import.meta.dirname, "../../../exams/cka");
const widths = [375, 800, 1300];

warnWithoutChromium("the page of an exam");

describe.skipIf(!hasChromium)("the page of an exam", () => {
  const service = inject("service");
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test("tasks are flagged and opened in any order, a node is mended over ssh, and the report is by domain", async () => {
    const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")] as const);
    const read = readLessonFolder(new Map(files));
    if ("problems" in read) throw new Error(JSON.stringify(read.problems));
    await client().publishLesson(read.lesson);
    const { url } = await client().startRun("cka", { learner: "ann" });
    const context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
    context.setDefaultTimeout(patienceMs);
    try {
      const page = await context.newPage();
      const errors = trackErrors(page);
      await page.goto(url);
      const tasks = page.getByRole("navigation", { name: "Tasks" });
      await page.getByText("Task 1 of 16").waitFor();
      await page.getByRole("button", { name: "Flag for later" }).click();
      await tasks.getByText("flagged").waitFor();
      await tasks.getByRole("button", { name: "A node that is not ready" }).click();
      await page.getByText("Task 13 of 16").waitFor();
      await page.getByText("kubectl config use-context k8s-c3").waitFor();
      await fits(page);

      const shows = (pattern: RegExp) => showsIn(page, pattern);
      await shows(/\$ $/);
      await page.locator(".xterm-helper-textarea").focus();
      await page.keyboard.type("kubectl config get-contexts -o name; kubectl config use-context k8s-c3\n");
      await shows(/k8s-c1\nk8s-c2\nk8s-c3\nSwitched to context "k8s-c3"\./);
      await page.keyboard.type("kubectl get nodes; kubectl --context k8s-c1 get nodes -o name\n");
      await shows(/node-2 +(Not)?Ready[^]*node\/node-1\nnode\/node-2\nnode\/node-3/);
      await page.keyboard.type("ssh node-2\n");
      await shows(/node-2:\/# $/);
      await page.keyboard.type("journalctl -u kubelet -n 4\n");
      await shows(/authority\.crt/);
      await page.keyboard.type(
        "sed -i s/authority.crt/ca.crt/ /var/lib/kubelet/config.yaml; systemctl restart kubelet\n",
      );
      await shows(/restart kubelet\n\S*node-2:\/# $/);
      await page.keyboard.type("systemctl is-active kubelet\n");
      await shows(/\nactive/);
      await page.keyboard.type("exit\n");
      await shows(/\$ $/);

      await page.getByRole("button", { name: "Finish the exam" }).click();
      const ask = page.getByRole("dialog");
      await ask.getByText("One task is flagged.").waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      await ask.getByRole("button", { name: "Finish the exam" }).click();
      const report = page.getByRole("table", { name: "Result by domain" });
      await report.waitFor();
      expect(await report.getByRole("row", { name: "Troubleshooting" }).innerText()).toMatch(/10 of \d+/);
      await page.getByText("10 % of the points; 66 % are needed").waitFor();
      await fits(page);
      expect(errors).toEqual([]);
    } finally {
      await context.close();
    }
  });

  test("an exam of two clusters is taken by keyboard alone", async () => {
    const { url } = await startTwoClusters("kim");
    const context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
    context.setDefaultTimeout(patienceMs);
    try {
      const page = await context.newPage();
      const errors = trackErrors(page);
      await page.goto(url);
      await showsIn(page, /\$ $/);
      const type = (line: string) => page.keyboard.type(`${line}\n`);
      await tabTo(page, "Terminal input", "Tab");
      await type("kubectl create namespace a && kubectl config use-context two-b && kubectl create namespace b");
      await showsIn(page, /Switched to context "two-b"\.\nnamespace\/b created/);
      await page.keyboard.press("Control+Shift+Tab");
      await tabTo(page, "Flag for later", "Tab");
      await page.keyboard.press("Enter");
      await page.getByText("flagged").waitFor();
      await tabTo(page, "Next task", "Tab");
      await page.keyboard.press("Enter");
      await page.getByText("Task 2 of 3").waitFor();
      await tabTo(page, "Finish the exam", "Shift+Tab");
      await page.keyboard.press("Enter");
      const ask = page.getByRole("dialog");
      await ask.waitFor();
      await tabTo(page, "Finish the exam", "Tab");
      await page.keyboard.press("Enter");
      await page.getByText("66 % of the points; 60 % are needed").waitFor();
      const report = page.getByRole("table", { name: "Result by domain" });
      expect(await report.getByRole("row").allInnerTexts()).toEqual([
        "Domain\tPoints",
        "Clusters\t4 of 4",
        "Rest\t0 of 2",
      ]);
      expect(errors).toEqual([]);
    } finally {
      await context.close();
    }
  });

  test("a teacher's extra time moves the timer of an open page; a second tab, a reload and a return show the exam where it is", async () => {
    const { url, run } = await startTwoClusters("lee");
    const context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
    context.setDefaultTimeout(patienceMs);
    const teacher = await visitConsole(browser, service, "#/lessons/two");
    try {
      const page = await context.newPage();
      const errors = trackErrors(page);
      await page.goto(url);
      await page.getByRole("button", { name: "Next task" }).click();
      await page.getByText("Task 2 of 3").waitFor();
      const timer = page.getByRole("timer");
      expect(await timer.innerText()).toMatch(/Time left: (60m|59m)/);
      await teacher.page.locator(".bar.lead").getByRole("button", { name: "Extra time" }).click();
      const dialog = teacher.page.getByRole("dialog");
      await dialog.getByLabel("Minutes").fill("120");
      await dialog.getByRole("button", { name: "Add time" }).click();
      await page.getByText(/The exam now ends at/).waitFor();
      expect(await timer.innerText()).toMatch(/Time left: (179m|3h|2h59m)/);

      const second = await context.newPage();
      await second.goto(url);
      await second.getByText("Task 2 of 3").waitFor();
      await second.getByRole("button", { name: "Flag for later" }).click();
      await page.getByText("flagged").waitFor();
      await page.reload();
      await page.getByText("Task 2 of 3").waitFor();
      await page.getByText("flagged").waitFor();
      await second.getByRole("button", { name: "Finish the exam" }).click();
      await second.getByRole("dialog").getByRole("button", { name: "Finish the exam" }).click();
      await second.getByText(/% of the points/).waitFor();
      await page.getByText(/% of the points/).waitFor();
      expect(await page.locator(".xterm-rows").count()).toBe(0);
      await page.goto("about:blank");
      await page.goto(url);
      await page.getByRole("heading", { name: "Not passed" }).waitFor();
      await teacher.page.getByRole("row", { name: /lee.*finished/i }).waitFor();
      const { results } = await client().listResults("two", { learner: "lee" });
      expect(results[0]).toMatchObject({ run, state: "finished", graded: { by: "learner" } });
      expect(errors).toEqual([]);
      expect(teacher.errors).toEqual([]);
    } finally {
      await context.close();
      await teacher.context.close();
    }
  });

  test("a teacher who watches an exam chooses its cluster", async () => {
    const { clusters = [] } = await startTwoClusters("max");
    const [first, second] = clusters.map(({ sandbox }) => sandbox.id);
    const teacher = await visitConsole(browser, service, "#/lessons/two");
    try {
      const { page, errors } = teacher;
      await page.getByRole("button", { name: "Watch max" }).click();
      const watched = page.getByRole("region", { name: /max/ });
      const link = watched.getByRole("link", { name: "Open sandbox" });
      expect(await link.getAttribute("href")).toContain(first);
      await watched.getByText("Live", { exact: true }).waitFor();
      const requested = page.waitForRequest((request) => request.url().includes(`/c/${second}/`));
      await watched.getByLabel("Cluster").selectOption("two-b");
      await requested;
      expect(await link.getAttribute("href")).toContain(second);
      await watched.getByText("Live", { exact: true }).waitFor();
      expect(errors).toEqual([]);
    } finally {
      await teacher.context.close();
    }
  });

  function client(): Sandbar {
    return new Sandbar({ url: service.http, key: service.apiKey });
  }

  async function startTwoClusters(learner: string) {
    const check = (name: string) => [{ name, points: 2, expression: `found("v1", "Namespace", "${name}")` }];
    await client().publishLesson({
      name: "two",
      title: "Two clusters",
      timeLimitMinutes: 60,
      exam: { passPercent: 60 },
      clusters: [
        { name: "two-a", nodes: 1 },
        { name: "two-b", nodes: 1 },
      ],
      steps: [
        { title: "A", domain: "Clusters", text: "Create the namespace `a`.", checks: check("a") },
        { title: "B", domain: "Clusters", cluster: "two-b", text: "Create the namespace `b`.", checks: check("b") },
        { title: "C", domain: "Rest", cluster: "two-b", text: "Create the namespace `c`.", checks: check("c") },
      ],
    });
    return client().startRun("two", { learner });
  }

  /** The page has no serious violation and is not wider than the window at any width. */
  async function fits(page: Page): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
  }
});

/** Waits until the text of the terminal matches. */
async function showsIn(page: Page, pattern: RegExp): Promise<void> {
  const screen = async () =>
    (await page.locator(".xterm-rows:visible").innerText()).replaceAll("\u00a0", " ").trimEnd() + " ";
  await expect.poll(screen, { timeout: patienceMs }).toMatch(pattern);
}

const mostTabs = 60;

/** Presses a key until the element with a name has the focus. */
async function tabTo(page: Page, name: string, key: "Tab" | "Shift+Tab"): Promise<void> {
  for (let count = 0; count < mostTabs; count++) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(
      "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()",
    );
    if (focused === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}
