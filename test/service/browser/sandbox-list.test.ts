// The list of sandboxes and wide tables in a real browser: no width hides an action or a message, and the deletion of many goes on past errors.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { Sandbar } from "../../../client/index.ts";
import { hasChromium, launchBrowser, warnWithoutChromium } from "../chromium.ts";
import { seriousViolations } from "./accessible.ts";
import { type Visit, visitConsole } from "./objects-browser.ts";

warnWithoutChromium("the list of sandboxes");

const count = 32;
/** The widths, and the height that a row has at most. */
const widths = [
  [1440, 60],
  [860, 130],
  [360, 220],
] as const;
const name = (at: number) => `listed-${String(at).padStart(2, "0")}`;

describe.skipIf(!hasChromium)("the list of sandboxes", () => {
  const service = inject("service");
  let browser: Browser;
  let visit: Visit;
  let firstId: string;

  beforeAll(async () => {
    const client = new Sandbar({ url: service.http, key: service.apiKey });
    const create = (at: number) =>
      client.createSandbox({ name: name(at), nodes: 1, labels: { team: `listed-${at % 4}` }, ttlSeconds: 3600 });
    firstId = (await create(0)).id;
    for (let at = 1; at < count; at++) await create(at);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    await visit?.context.close();
  });

  async function at(place: string, width: number): Promise<Page> {
    visit = await visitConsole(browser, service, place, { viewport: { width, height: 900 } });
    return visit.page;
  }

  const row = (page: Page, at: number) => page.locator(`table.sandboxes tr[data-name=${name(at)}]`);

  test.each(widths)("D25: shows every action of a row, and selects all, at %i px", async (width, height) => {
    const page = await at("#/?q=listed", width);
    const newest = row(page, count - 1);
    await newest.waitFor();
    const boxes = await Promise.all(
      (await newest.locator("td.actions > *").all()).map((action) => action.boundingBox()),
    );
    expect(boxes.length).toBe(4);
    for (const box of boxes) expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    if (width > 360) expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
    expect((await newest.boundingBox())?.height).toBeLessThan(height);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await page.getByRole("checkbox", { name: "Select all" }).check();
    await page.getByText(`${count} selected`).waitFor();
    await newest.getByRole("checkbox").uncheck();
    await page.getByText(`${count - 1} selected`).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(visit.errors).toEqual([]);
  });

  test("D25: shows few rows again after a search, a filter or another order, and more while it is scrolled", async () => {
    const page = await at("#/?q=listed", 1440);
    const rows = page.locator("table.sandboxes tbody tr");
    await expect.poll(() => rows.count()).toBeGreaterThan(count - 1);
    await page.locator("[data-search]").fill("team=listed-1");
    await expect.poll(() => rows.count()).toBe(count / 4);
    await page.locator("[data-search]").fill("listed");
    await page.getByRole("button", { name: "Name", exact: true }).click();
    await expect.poll(() => rows.first().getAttribute("data-name")).toBe(name(0));
    await expect.poll(() => rows.count()).toBeGreaterThan(count - 1);
    // A row keeps its element while others are selected.
    await row(page, 3).evaluate((element) => element.setAttribute("data-same", "yes"));
    await row(page, 2).getByRole("checkbox").check();
    await page.getByText("1 selected").waitFor();
    expect(await row(page, 3).getAttribute("data-same")).toBe("yes");
  });

  test.each([860, 360])("D25: an event's message stands below its row in a pane of %i px", async (width) => {
    const page = await at(`#/sandboxes/${firstId}?tab=objects&kind=events`, width);
    const message = page
      .locator(".grid-row > .below")
      .filter({ hasText: /\w+ \w+/ })
      .first();
    await message.waitFor();
    const box = await message.boundingBox();
    expect(box?.height).toBeGreaterThan(10);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    const next = page.locator(".grid-row:has(> .below)").nth(1);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(((await next.boundingBox())?.y ?? 0) + 1);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test("D25: the tabs of an object stay where they are on a phone, however long the pane is", async () => {
    const open = "open=deployments.apps/kube-system/coredns";
    const page = await at(`#/sandboxes/${firstId}?${open}`, 390);
    const tab = page.locator(".detail .tabs").getByRole("link", { name: "YAML" });
    const heights: number[] = [];
    for (const name of ["Summary", "Charts", "YAML", "Changes"]) {
      await page.locator(".detail .tabs").getByRole("link", { name }).click();
      await page.locator(".detail .tabs [aria-current=page]", { hasText: name }).waitFor();
      heights.push((await tab.boundingBox())?.y ?? Number.NaN);
    }
    expect(new Set(heights).size, heights.join()).toBe(1);
  });

  test("D25: the deletion of many shows its progress, names an error, goes on past it, and can be tried again", async () => {
    const page = await at("#/?q=listed", 1440);
    await row(page, 1).waitFor();
    const deletions = "**/v1/sandboxes/*";
    let [sent, pending, most] = [0, 0, 0];
    let failing = true;
    await page.route(deletions, async (route) => {
      if (route.request().method() !== "DELETE") return route.fallback();
      sent += 1;
      most = Math.max(most, ++pending);
      const body = { error: { code: "internal", message: "the disk is full" } };
      if (sent === 2 && failing) await route.fulfill({ status: 500, json: body });
      else await route.fulfill({ response: await route.fetch() });
      pending -= 1;
    });
    await page.getByRole("checkbox", { name: "Select all" }).check();
    await page.getByRole("button", { name: "Delete the selected" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: `Delete ${count}` }).click();
    await dialog.getByRole("progressbar", { name: "Deleted sandboxes" }).waitFor();
    await dialog.getByText("1 sandbox could not be deleted:").waitFor();
    await dialog.getByText("the disk is full").waitFor();
    await dialog.getByRole("button", { name: "Delete 1", exact: true }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect([sent, most <= 6]).toEqual([count, true]);
    failing = false;
    await dialog.getByRole("button", { name: "Delete 1", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => page.locator("table.sandboxes tr[data-name^=listed-]").count()).toBe(0);
    expect(sent).toBe(count + 1);
  });
});
