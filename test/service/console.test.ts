// The console and the framed live view in a real browser, on the real service.
import { readFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { Browser, BrowserContext, Page, WebSocketRoute } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type CreateToken, type ViewToken, viewToken as viewTokenShape } from "../../shared/contract/token.ts";
import { seriousViolations } from "./browser/accessible.ts";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "./chromium.ts";
import { type TestSandbox, control as askControl, newSandbox as makeSandbox } from "./sandbox.ts";
import { serviceOf } from "./tenants.ts";

warnWithoutChromium("the console");

describe.skipIf(!hasChromium)("the console", () => {
  const service = serviceOf("console");
  const { http: base, apiKey: key } = service;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(() => context?.close());

  let sandboxCount = 0;
  async function newSandbox(): Promise<{ sandbox: TestSandbox; api: Api }> {
    sandboxCount += 1;
    // The kubelets take their time, so that a person sees the phases.
    const sandbox = await makeSandbox({ name: `console-${sandboxCount}`, kubeletSpeed: "real" }, service);
    return { sandbox, api: apiOf(sandbox) };
  }

  async function viewToken(id: string, input: CreateToken): Promise<ViewToken> {
    const init = { method: "POST", body: JSON.stringify(input) };
    const answer = await askControl(service, `/v1/sandboxes/${id}/tokens`, init);
    return viewTokenShape.parse(await answer.json());
  }

  async function visit(path: string): Promise<Page> {
    context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(base + path);
    return page;
  }

  async function signedIn(path = "/"): Promise<Page> {
    const page = await visit(path);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    return page;
  }

  test("a wrong key is refused with an explanation, and the right one is shared with the next tab and removed after signing out", async () => {
    const page = await visit("/");
    await page.getByLabel("API key").fill("sbk_0123456789abcdef0123456789abcdef");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("That is not a key of this service.").waitFor();
    await page.getByLabel("API key").fill(`  ${key}\n`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sandboxes" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sandboxes" }).waitFor();
    const otherPage = await context.newPage();
    await otherPage.goto(base);
    await otherPage.getByRole("heading", { name: "Sandboxes" }).waitFor();
    expect(await otherPage.evaluate("localStorage.length")).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    await otherPage.getByLabel("API key").waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("the documentation is linked, lists every page, is searched by keyboard, and its commands are copied", async () => {
    const page = await signedIn();
    await page.getByRole("link", { name: "Documentation" }).click();
    await page.getByRole("heading", { name: "Sandbar", level: 1 }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("load balanc");
    await page.getByText("Simulated parts").last().waitFor();
    await page.getByRole("searchbox").fill("snapshot undo mistake");
    await page.locator(".results a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/snapshots#/);
    expect(await page.getByRole("navigation", { name: "Documentation" }).getByRole("link").count()).toBeGreaterThan(30);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const block = page.locator(".code-block").first();
    await block.getByRole("button", { name: "Copy" }).click();
    await block.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(
      await block.locator("code").textContent(),
    );
    for (const [at, colorScheme] of (["light", "dark"] as const).entries()) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousViolations(page, at > 0)).toEqual([]);
    }
    await page.goto(`${base}/docs/security#proof`);
    const current = page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Security" });
    const { y = -1 } = (await current.boundingBox()) ?? {};
    expect([await page.evaluate("scrollY > 1000"), y > 0 && y < 900]).toEqual([true, true]);
  });

  test("a sandbox is created by a form that marks each invalid field", async () => {
    const page = await signedIn();
    await page.getByRole("button", { name: "New sandbox" }).click();
    const form = page.getByRole("dialog");
    const submit = form.getByRole("button", { name: "Create sandbox" });
    const errors: [string, string, string, RegExp][] = [
      ["Name", "Not A Name", "made-by-form", /^must consist of lower case/],
      ["Lives for", "0.001", "2", /^must be a whole number/],
      ["Nodes", "5001", "2", /^must be at most 5000/],
      ["Manifests", "kind: [", "", /^document 1, line 1: error converting YAML/],
    ];
    for (const [label, wrong, right, message] of errors) {
      const field = form.getByLabel(label, { exact: true });
      await field.fill(wrong);
      await submit.click();
      await form.getByRole("alert").filter({ hasText: message }).waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await form.getByRole("alert").count()).toBe(1);
      await field.fill(right);
    }
    await submit.click();
    await page.getByRole("heading", { name: "made-by-form" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.locator("[data-kind=Node]").count()).toBe(2);
    await page.getByRole("link", { name: "Sandbar" }).click();
    const row = page.locator("tr[data-name=made-by-form]");
    expect(await row.locator("[data-label=Nodes]").innerText()).toContain("2");
    expect(await row.locator("[data-label='Expires in']").innerText()).toMatch(/^Expires in\s*1(19|20)m$|^1(19|20)m$/);
  });

  test("workloads and events change live, and no request goes to another host", async () => {
    const { sandbox, api } = await newSandbox();
    const { id } = sandbox;
    const page = await signedIn(`/#/sandboxes/${id}`);
    const requestedUrls: string[] = [];
    page.on("request", (request) => requestedUrls.push(request.url()));
    await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate(rememberStatuses);
    await api("/apis/apps/v1/namespaces/default/deployments", "POST", deployment("web", 2));
    const pods = page.locator("tr[data-kind=Pod][data-name^=web-]");
    await expect.poll(() => pods.getByText("Running", { exact: true }).count(), { timeout: 20_000 }).toBe(2);
    await page.locator("tr[data-name=web]").getByText("Available").waitFor();
    expect(await page.locator("tr[data-name=web] [data-label=Ready]").innerText()).toBe("2/2");
    expect(await pods.first().locator("[data-label=Node]").innerText()).toMatch(/^node-\d$/);
    // A person saw the phases, not the result alone.
    const seenStatuses = await page.evaluate<string[]>("[...window.statusesSeen]");
    expect(seenStatuses).toEqual(expect.arrayContaining(["ContainerCreating", "Running", "Available"]));
    const events = page.getByRole("list", { name: "Events, newest first" });
    await events.getByText("Scaled up replica set").first().waitFor();
    await api("/apis/apps/v1/namespaces/default/deployments/web", "DELETE");
    await page.locator("tr[data-name^=web]").first().waitFor({ state: "detached" });
    await expect.poll(() => pods.count(), { timeout: 50_000 }).toBe(0);
    expect(requestedUrls.filter((url) => !url.startsWith(base))).toEqual([]);
  });

  test("an object opens with its YAML and its own events, by keyboard too, and namespaces are distinguished", async () => {
    const { sandbox, api } = await newSandbox();
    const { id } = sandbox;
    await api("/api/v1/namespaces", "POST", { metadata: { name: "zoo" } });
    await api("/api/v1/namespaces/default/pods", "POST", pod("nowhere-to-go", { nodeSelector: { moon: "yes" } }));
    const page = await signedIn(`/#/sandboxes/${id}`);
    const row = page.locator("tr[data-name=nowhere-to-go]");
    await row.getByText("Pending").waitFor();
    await row.getByRole("button").focus();
    await page.keyboard.press("Enter");
    const detail = page.getByRole("region", { name: "Pod nowhere-to-go" });
    await detail.getByText("FailedScheduling").waitFor();
    await detail.getByRole("link", { name: "YAML" }).click();
    const yaml = parse(await detail.getByLabel("YAML").innerText()) as { kind: string; spec: { nodeSelector: object } };
    expect(yaml).toMatchObject({ apiVersion: "v1", kind: "Pod", spec: { nodeSelector: { moon: "yes" } } });
    // The detail is live as well.
    await api("/api/v1/namespaces/default/pods/nowhere-to-go", "PATCH", { metadata: { labels: { seen: "live" } } });
    await detail.getByText("seen: live").waitFor();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.innerText")).toContain("nowhere-to-go");
    await page.getByLabel("Namespace").selectOption("zoo");
    await row.waitFor({ state: "detached" });
    await api("/api/v1/namespaces/zoo/pods", "POST", pod("lion"));
    await page.locator("tr[data-name=lion]").waitFor();
    await page.getByLabel("Namespace").selectOption("");
    await row.waitFor();
  });

  test("the kubeconfig is copied, or saved if copying is not allowed", async () => {
    const { sandbox } = await newSandbox();
    const { name, token, server } = sandbox;
    const page = await signedIn();
    const copy = page.locator(`tr[data-name=${name}]`).getByRole("button", { name: "Copy kubeconfig" });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await copy.click();
    await page.getByText("Copied").waitFor();
    const config = parse(await page.evaluate<string>("navigator.clipboard.readText()")) as unknown;
    expect(config).toMatchObject({ clusters: [{ cluster: { server } }], users: [{ user: { token } }] });
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await copy.waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), copy.click()]);
    expect(saved.suggestedFilename()).toBe(`${name}.kubeconfig`);
    expect(parse(readFileSync(await saved.path(), "utf8"))).toEqual(config);
  });

  test("changes during a broken connection are shown after it", async () => {
    const { sandbox, api } = await newSandbox();
    const { id } = sandbox;
    const page = await visit("/");
    const sockets: WebSocketRoute[] = [];
    let isDown = false;
    await page.routeWebSocket(/\/c\//, (socket) => {
      if (isDown) return void socket.close();
      sockets.push(socket);
      socket.connectToServer();
    });
    await page.route("**/c/**", (route) => (isDown ? route.abort() : route.continue()));
    await page.goto((await viewToken(id, {})).url);
    await page.getByText("Live", { exact: true }).waitFor();
    isDown = true;
    await Promise.all(sockets.map((socket) => socket.close({ code: 1011 })));
    await page.getByText("Reconnecting", { exact: true }).waitFor();
    await api("/api/v1/namespaces/default/pods", "POST", pod("meanwhile"));
    isDown = false;
    await page.locator("tr[data-name=meanwhile]").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
  });

  test("a link to the view is created with its frame, and shows live changes in a page of an allowed origin", async () => {
    const { sandbox, api } = await newSandbox();
    const { name } = sandbox;
    const site = await startSite();
    const page = await signedIn();
    await page.locator(`tr[data-name=${name}]`).getByRole("button", { name: "Embed" }).click();
    const origins = page.getByLabel("Sites that may embed it");
    await origins.fill(`${site.origin}\nnot an origin`);
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("alert").filter({ hasText: "must be an origin" }).waitFor();
    await origins.fill(site.origin);
    await page.getByRole("button", { name: "Create link" }).click();
    site.show(await page.getByLabel("Frame", { exact: true }).inputValue());

    const course = await context.newPage();
    const sent: string[] = [];
    course.on("request", (request) => sent.push(JSON.stringify([request.url(), request.headers()])));
    await course.goto(site.origin);
    const frame = course.frameLocator("iframe");
    await frame.getByText("Live", { exact: true }).waitFor();
    await api("/api/v1/namespaces/default/pods", "POST", pod("framed"));
    await frame.locator("tr[data-name=framed]").getByText("Running").waitFor();
    expect(await frame.getByRole("button", { name: /Sign out|Delete|kubeconfig/ }).count()).toBe(0);
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.filter((sentBody) => sentBody.includes(key))).toEqual([]);
    await site.stop();
  });

  test("a page of another origin cannot frame the view, and no page can frame the console", async () => {
    const { sandbox } = await newSandbox();
    const { id } = sandbox;
    const site = await startSite();
    const { url } = await viewToken(id, { frameOrigins: [site.origin] });
    const page = await visit("/");
    const refusals: string[] = [];
    page.on("console", (message) => {
      if (message.text().includes("frame-ancestors") || message.text().includes("X-Frame-Options")) {
        refusals.push(message.text());
      }
    });
    for (const [origin, source] of [
      [site.otherOrigin, url],
      // The origins are signed: who changes them has none.
      [site.otherOrigin, url.replace(/frame=[^.]+/, `frame=${btoa(site.otherOrigin).replace(/=+$/, "")}`)],
      [site.origin, (await viewToken(id, {})).url],
      [site.origin, `${base}/`],
    ] as const) {
      refusals.length = 0;
      site.show(`<iframe src="${source}"></iframe>`);
      await page.goto(origin);
      await expect.poll(() => refusals.length).toBeGreaterThan(0);
      await expect.poll(() => page.frames().at(-1)?.url()).toContain("chrome-error:");
    }
    await site.stop();
  });

  test("a view reports its expiry, while it is open and when it is opened again", async () => {
    const { sandbox } = await newSandbox();
    const { url, expiresAt } = await viewToken(sandbox.id, { ttlSeconds: 15 });
    const page = await visit("/");
    await page.goto(url);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("This view has expired").waitFor();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    await page.reload();
    await page.getByText("This view has expired").waitFor();
    expect(await page.locator("tr").count()).toBe(0);
  });

  test("a sandbox is deleted after a confirmation, and its open view reports the deletion", async () => {
    const { sandbox } = await newSandbox();
    const { id, name } = sandbox;
    const page = await signedIn();
    const row = page.locator(`tr[data-name=${name}]`);
    const view = await context.newPage();
    await view.goto((await viewToken(id, {})).url);
    await view.getByText("Live", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Keep it" }).click();
    expect((await sandbox.fetch("/api/v1/nodes")).status).toBe(200);
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete sandbox" }).click();
    await row.waitFor({ state: "detached" });
    await view.getByText("This sandbox has expired or was deleted").waitFor();
    await page.goto(`${base}/#/sandboxes/${id}`);
    await page.getByText("This sandbox has expired or was deleted").waitFor();
  });
});

/** Runs in the page: every status that is shown from now on. */
const rememberStatuses = `{
  window.statusesSeen = new Set();
  const look = () => document.querySelectorAll(".chip").forEach((chip) => window.statusesSeen.add(chip.textContent));
  new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
}`;

function pod(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { ...spec, containers: [{ name: "main", image: "nginx" }] } };
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

interface Site {
  readonly origin: string;
  /** The same pages from a place that no token names. */
  readonly otherOrigin: string;
  show(html: string): void;
  stop(): Promise<void>;
}

/** A course page of another site. */
async function startSite(): Promise<Site> {
  let pageText = "";
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>A course</title>${pageText}`);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: `http://localhost:${port}`,
    show: (html) => {
      pageText = html;
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

type Api = (path: string, method: string, body?: object) => Promise<void>;

function apiOf(sandbox: TestSandbox): Api {
  return async (path, method, body) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { "content-type": type };
    const answer = await sandbox.fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  };
}
