// The link that the start prints, followed in a real browser on the real service.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "./chromium.ts";
import { type RunningService, startService } from "./service.ts";

warnWithoutChromium("the sign-in link");

describe.skipIf(!hasChromium)("the printed sign-in link", () => {
  let service: RunningService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** Opens the link in a fresh browser context. */
  async function visit(link: string): Promise<{ readonly page: Page; readonly requestedUrls: string[] }> {
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const requestedUrls: string[] = [];
    page.on("request", (request) => void requestedUrls.push(request.url()));
    await page.goto(link);
    return { page, requestedUrls };
  }

  test("H2: signs in once, and appears neither in the address nor in a request", async () => {
    const [link = "", secret = ""] = /http:\/\/localhost:\d+\/#\/link\/([0-9a-f]{48})$/m.exec(service.output()) ?? [];
    const { page, requestedUrls } = await visit(link);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
    expect(
      requestedUrls.filter((url) => new URL(url).pathname + new URL(url).search !== "/" && url.includes(secret)),
    ).toEqual([]);
    // It lasts as a key does.
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    const again = await visit(link);
    await again.page.getByText("the link has been used, or is too old").waitFor();
    await again.page.getByLabel("API key").waitFor();
    expect(service.output().split(secret).length).toBe(2);
  });
});
