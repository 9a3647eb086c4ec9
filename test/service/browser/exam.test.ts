// A learner's way through a practice exam in a real browser: tasks in any order, a node that is mended over ssh, and the report at the end.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Sandbar } from "../../../client/index.ts";
import { readLessonFolder } from "../../../shared/lesson/read-folder.ts";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { seriousViolations } from "./accessible.ts";
import { trackErrors } from "./objects-browser.ts";

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
    const client = new Sandbar({ url: service.http, key: service.apiKey });
    const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")] as const);
    const read = readLessonFolder(new Map(files));
    if ("problems" in read) throw new Error(JSON.stringify(read.problems));
    await client.publishLesson(read.lesson);
    const { url } = await client.startRun("cka", { learner: "ann" });
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
      await fits(page);

      const screen = async () =>
        (await page.locator(".xterm-rows:visible").innerText()).replaceAll("\u00a0", " ").trimEnd() + " ";
      const shows = (pattern: RegExp) => expect.poll(screen, { timeout: patienceMs }).toMatch(pattern);
      await shows(/\$ $/);
      await page.locator(".xterm-helper-textarea").focus();
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

  /** The page has no serious violation and is not wider than the window at any width. */
  async function fits(page: Page): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
  }
});
