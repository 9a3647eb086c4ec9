// Clusters in pages of other people, in a real browser, on the real service: elements, plain frames and what a page is told.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, devices, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import {
  type CreatePublishableKey,
  type PublishableKey,
  publishableKey,
} from "../../../shared/contract/hosted/publishable-key.ts";
import { oembed } from "../../../shared/contract/hosted/embed.ts";
import { readFolder } from "../../../shared/lesson/read-folder.ts";
import { control } from "../sandbox.ts";
import { listening, type Site, startSite, themes } from "./sites.ts";

const chromiumPath = process.env.CHROMIUM || "/usr/bin/chromium";

if (!existsSync(chromiumPath)) {
  console.warn(`NOT TESTED: clusters in others' pages, because there is no Chromium at ${chromiumPath} (set CHROMIUM to one).`);
}

describe.skipIf(!existsSync(chromiumPath))("a cluster in somebody's page", { timeout: 90_000 }, () => {
  const service = inject("service");
  let browser: Browser;
  let site: Site;
  const open: BrowserContext[] = [];

  beforeAll(async () => {
    site = await startSite();
    browser = await chromium.launch(launching);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });

  async function newKey(of: Partial<CreatePublishableKey> = {}): Promise<PublishableKey> {
    const body = { name: "course", origins: [site.origin], templates: ["guestbook", "empty"], ...of };
    const answer = await control(service, "/v1/publishable-keys", { method: "POST", body: JSON.stringify(body) });
    expect(answer.status, await answer.clone().text()).toBe(201);
    return publishableKey.parse(await answer.json());
  }

  const script = (key = "") => `${listening}<script type="module" src="${service.http}/embed.js${key && `?key=${key}`}"></script>`;

  async function visitor(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(30_000);
    open.push(context);
    return context;
  }

  async function visit(context: BrowserContext, path: string, origin = site.origin): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin + path);
    return page;
  }

  const told = async <T>(page: Page, type: string): Promise<T> => {
    await page.waitForFunction(`window.told?.[${JSON.stringify(type)}]`);
    return page.evaluate<T>(`window.told[${JSON.stringify(type)}]`);
  };
  const sandboxOf = async (page: Page) => (await told<[{ sandbox: { id: string } }]>(page, "ready"))[0].sandbox.id;

  test("Z9: two visitors of one static page have two sandboxes, and each has the same when he comes back", async () => {
    const { key } = await newKey();
    site.put("/two", themes.plain({ head: script(key), body: '<sandbar-cluster template="guestbook"></sandbar-cluster>' }));
    const [ann, bea] = [await visitor(), await visitor()];
    const [hers, others] = [await visit(ann, "/two"), await visit(bea, "/two")];
    await hers.frameLocator("sandbar-cluster iframe").getByText("Live", { exact: true }).first().waitFor();
    const [first, second] = [await sandboxOf(hers), await sandboxOf(others)];
    expect(first).not.toBe(second);
    await hers.reload();
    expect(await sandboxOf(hers)).toBe(first);
    expect(await told(hers, "ready")).toMatchObject([{ isNew: false, from: "sandbar-cluster" }]);
  });
});

const launching = {
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
};
