// The timeline of the console in a real browser: a moment of the past, reached by dragging, by steps and by an address; and the clock.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { newSandbox, type TestSandbox } from "../sandbox.ts";
import { hasChromium, launchBrowser, warnWithoutChromium } from "../chromium.ts";
import { seriousViolations } from "./accessible.ts";
import { deployment, type Send, sendTo, type Visit, visitConsole } from "./objects-browser.ts";

warnWithoutChromium("the timeline of the console");

const deployments = "/apis/apps/v1/namespaces/default/deployments";

describe.skipIf(!hasChromium)("the timeline of the console", () => {
  const service = inject("service");
  let browser: Browser;
  let sandbox: TestSandbox;
  let send: Send;
  let visit: Visit;
  let beforeRevision = "";

  beforeAll(async () => {
    browser = await launchBrowser();
    sandbox = await newSandbox({ name: "timeline", nodes: 2 });
    send = sendTo(sandbox);
    await send(deployments, "POST", deployment("early", 1));
    const early = (await (await sandbox.fetch(`${deployments}/early`)).json()) as {
      metadata: { resourceVersion: string };
    };
    beforeRevision = early.metadata.resourceVersion;
    await new Promise((done) => setTimeout(done, 3_000));
    await send(deployments, "POST", deployment("late", 1));
    const isReady = async () =>
      (await (await sandbox.fetch(`${deployments}/late`)).text()).includes('"readyReplicas":1');
    while (!(await isReady())) await new Promise((done) => setTimeout(done, 200));
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    await visit?.context.close();
  });

  async function open(query = ""): Promise<Page> {
    visit = await visitConsole(browser, service, `#/sandboxes/${sandbox.id}${query && `?${query}`}`);
    return visit.page;
  }
  const bar = (page: Page) => page.getByRole("region", { name: "Timeline" });
  const workload = (page: Page, name: string) =>
    page
      .getByRole("button", { name, exact: true })
      .or(page.getByText(name, { exact: true }))
      .first();

  test("is dragged to a revision, which the full page then shows, and back to the present", async () => {
    const page = await open();
    await workload(page, "late").waitFor();
    await bar(page).locator("i.request").first().waitFor({ state: "attached" });
    const slider = bar(page).getByRole("slider");
    const box = await slider.boundingBox();
    if (!box) throw new Error("there is no handle");
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 8, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 12, y, { steps: 6 });
    await page.mouse.up();
    await bar(page)
      .getByText(/^As it was at .* Nothing can be changed here\.$/)
      .waitFor();
    expect(page.url()).toMatch(/[?&]at=20\d\d-/);
    await workload(page, "late").waitFor({ state: "hidden" });
    await expect.poll(() => page.getByRole("button", { name: "Create", exact: true }).count()).toBe(0);
    await bar(page).getByRole("button", { name: "Back to now" }).click();
    await workload(page, "late").waitFor();
    expect(page.url()).not.toContain("at=");
    expect(visit.errors).toEqual([]);
  });

  test("has an address for each revision, and steps from change to change", async () => {
    const page = await open(`at=${beforeRevision}`);
    await workload(page, "early").waitFor();
    expect(await workload(page, "late").isVisible()).toBe(false);
    await bar(page).getByRole("button", { name: "Next change" }).click();
    await expect.poll(() => Number(/at=(\d+)/.exec(page.url())?.[1])).toBeGreaterThan(Number(beforeRevision));
    await bar(page).getByRole("button", { name: "Previous change" }).click();
    await expect.poll(() => Number(/at=(\d+)/.exec(page.url())?.[1])).toBeLessThanOrEqual(Number(beforeRevision));
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("pauses the clock, steps a minute and sets the speed", async () => {
    const page = await open();
    await bar(page).getByRole("button", { name: "Pause the clock" }).click();
    await bar(page).getByRole("button", { name: "Run the clock" }).waitFor();
    const clock = async () => {
      const answer = await fetch(`${service.http}/v1/sandboxes/${sandbox.id}/clock`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      });
      return (await answer.json()) as { now: string; state: string; speed: number };
    };
    const paused = await clock();
    expect(paused.state).toBe("paused");
    await bar(page).getByRole("button", { name: "Run a minute" }).click();
    await expect.poll(async () => Date.parse((await clock()).now) - Date.parse(paused.now)).toBe(60_000);
    await bar(page).getByLabel("Speed of the clock").selectOption("10");
    await bar(page).getByRole("button", { name: "Run the clock" }).click();
    await expect.poll(async () => clock()).toMatchObject({ state: "running", speed: 10 });
  });
});
