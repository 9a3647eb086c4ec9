// Tests a person's changes in the console, in a real browser: the nodes of a sandbox, whose phase is shown, and a webhook with its deliveries.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { newSandbox } from "../sandbox.ts";
import { serviceOf } from "../tenants.ts";
import { seriousViolations } from "./accessible.ts";

warnWithoutChromium("changes of sandboxes and webhooks in the console");

describe.skipIf(!hasChromium)("the console", () => {
  const service = serviceOf("changes");
  let browser: Browser;
  let context: BrowserContext;
  let errors: string[];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(() => context?.close());

  async function signedIn(path: string): Promise<Page> {
    context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(service.http + path);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    return page;
  }

  test("Z5: a sandbox's phase and nodes are shown, and its nodes can be changed within the bounds", async () => {
    const sandbox = await newSandbox({ name: "grows", nodes: 2 }, service);
    const page = await signedIn("/#/");
    const row = page.locator("tr[data-name=grows]");
    await expect.poll(() => row.locator("[data-label=Phase]").innerText()).toMatch(/^(Pending|Running)$/);
    await row.getByRole("link", { name: "grows", exact: true }).click();
    const head = page.locator(".titled .facts");
    await head.getByText("Running").waitFor();
    await head.getByText("2 nodes").waitFor();
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Change nodes" }).click();
    await dialog.getByLabel("Nodes").fill("6000");
    await dialog.getByRole("button", { name: "Change nodes" }).click();
    await dialog.getByText("must be at most 5000").waitFor();
    await dialog.getByLabel("Nodes").fill("4");
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Change nodes" }).click();
    await dialog.waitFor({ state: "detached" });
    await head.getByText("4 nodes").waitFor();
    const nodes = (await (await sandbox.fetch("/api/v1/nodes")).json()) as { items: unknown[] };
    expect(nodes.items).toHaveLength(4);
    expect(errors).toEqual([]);
  });

  test("Z5: a delivery of a webhook is listed and sent again, and a new secret signs beside the old one", async () => {
    const received: IncomingHttpHeaders[] = [];
    const receiver = createServer((request, response) => {
      received.push(request.headers);
      response.writeHead(204).end();
    });
    await new Promise<void>((done) => void receiver.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    try {
      const page = await signedIn("/#/webhooks/new");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Address").fill(url);
      await dialog.getByRole("button", { name: "Create webhook" }).click();
      await page.getByRole("heading", { name: url }).waitFor();
      await page.getByText("No deliveries yet.").waitFor();
      await page.getByRole("button", { name: "Send a test event" }).click();
      const rows = page.locator("tr[data-name=test]");
      await expect.poll(() => rows.first().innerText(), { timeout: patienceMs }).toContain("204");
      await rows.first().getByRole("button", { name: "Send again" }).click();
      await expect.poll(() => received.length, { timeout: patienceMs }).toBe(2);
      expect(received[1]?.["webhook-id"]).toBe(received[0]?.["webhook-id"]);
      await page.getByRole("button", { name: "Replace the secret" }).click();
      await dialog.getByRole("button", { name: "Replace the secret" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Send a test event" }).click();
      await expect.poll(() => received.length, { timeout: patienceMs }).toBe(3);
      expect(String(received[0]?.["webhook-signature"]).split(" ")).toHaveLength(1);
      expect(String(received[2]?.["webhook-signature"]).split(" ")).toHaveLength(2);
      expect(await seriousViolations(page)).toEqual([]);
      expect(errors).toEqual([]);
    } finally {
      receiver.close();
    }
  });
});
