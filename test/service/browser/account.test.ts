// The console's pages of the service in a real browser: usage, templates, limits, keys, webhooks, the log, the API, the operator's pages
// and trials. Pages have no serious accessibility violation and log no error.
import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { control as askControl, newSandbox } from "../sandbox.ts";
import { operatorKey, type RunningService, startService } from "../service.ts";
import { seriousViolations } from "./accessible.ts";

warnWithoutChromium("the pages of the service");

const shopManifests = `kind: ConfigMap
apiVersion: v1
metadata: {name: prices}
---
kind: Deployment
apiVersion: apps/v1
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}
`;

describe.skipIf(!hasChromium)("the console's pages of the service", () => {
  let service: RunningService;
  let browser: Browser;
  let context: BrowserContext;
  let errors: string[];

  beforeAll(async () => {
    const environment = { SANDBAR_OPERATOR_KEY: operatorKey, SANDBAR_TRIAL: "8", SANDBAR_KUBELET_DELAYS: "zero" };
    service = await startService({ environment });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(() => context?.close());

  async function visit(path: string, colorScheme: "light" | "dark" = "light"): Promise<Page> {
    context = await browser.newContext({ viewport: { width: 1300, height: 900 }, colorScheme });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(service.address.http + path);
    return page;
  }

  async function signedIn(path: string, colorScheme?: "light" | "dark"): Promise<Page> {
    const page = await visit(path, colorScheme);
    await page.getByLabel("API key").fill(service.address.apiKey);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    return page;
  }

  async function operating(path: string): Promise<Page> {
    const page = await visit(path);
    await page.getByLabel("The operator's key").fill(operatorKey);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("navigation", { name: "Of the operator" }).waitFor();
    return page;
  }

  async function requestJson(path: string, init: RequestInit = {}): Promise<unknown> {
    const answer = await askControl(service.address, path, init);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  }

  const lines = (page: Page) => page.locator(".command code");

  test("Z1: usage is shown by sandbox and by day with the selection in the address, and saved as CSV", async () => {
    const sandbox = await newSandbox({ name: "used" }, service.address);
    for (let n = 0; n < 5; n++) await (await sandbox.fetch("/api/v1/pods")).text();
    const page = await signedIn("/#/usage");
    const row = page.locator("tr[data-name=used]");
    await expect
      .poll(
        async () => {
          await page.reload();
          await row.waitFor();
          return Number(await row.locator("[data-label=Requests]").innerText());
        },
        { timeout: 40_000, interval: 1_000 },
      )
      .toBeGreaterThanOrEqual(5);
    expect(await row.locator("[data-label=Price]").innerText()).toMatch(/^(< )?\$0\.\d{2,4}$/);
    await page.getByLabel("By", { exact: true }).selectOption("day");
    const today = new Date().toISOString().slice(0, 10);
    await page.locator(`tr[data-name="${today}"]`).waitFor();
    expect(page.url()).toContain("by=day");
    expect(await lines(page).first().innerText()).toContain("sandbar usage");
    expect(await lines(page).first().innerText()).toContain("--by-day");
    await page.reload();
    await page.locator(`tr[data-name="${today}"]`).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    expect(readFileSync(await (await saved).path(), "utf8")).toMatch(/^day,sandbox,name,sandboxHours/);
    await page.getByLabel("From").fill(today);
    expect(page.url()).toContain(`from=${today}`);
    await page.goto(`${service.address.http}/#/usage?from=2020-01-01&to=2020-01-02`);
    await page.getByText("No usage in these days.").waitFor();
    expect(errors).toEqual([]);
  });

  test("Z2: a template is created from manifests and its next version from a sandbox, used, and deleted after a confirmation", async () => {
    const page = await signedIn("/#/templates");
    await page.getByText("No templates of your own yet.").waitFor();
    await page.getByRole("link", { name: "New template" }).click();
    expect(page.url()).toContain("#/templates?make=new");
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("Shop");
    await form.getByRole("button", { name: "Create template" }).click();
    await form.getByRole("alert").filter({ hasText: "must consist of lower case" }).waitFor();
    await form.getByLabel("Name", { exact: true }).fill("shop");
    await form.getByLabel("Nodes").fill("2");
    await form.getByLabel("Manifests").fill("kind: Nonsense\napiVersion: v1\nmetadata: {name: a}");
    await form.getByRole("button", { name: "Create template" }).click();
    await form.getByRole("alert").filter({ hasText: "Nonsense" }).waitFor();
    await form.getByLabel("Manifests").fill(shopManifests);
    expect(await form.locator(".command code").innerText()).toContain(
      "sandbar template save shop --nodes 2 -f manifests.yaml",
    );
    // With somebody who may look, and something that is wrong.
    await form.getByRole("button", { name: "Add a user" }).click();
    const user = form.getByRole("group", { name: "User 1" });
    await user.getByLabel("Name", { exact: true }).fill("ann");
    await user.getByLabel("ClusterRole").fill("No Role");
    await form.getByRole("button", { name: "Add an incident" }).click();
    const incident = form.getByRole("group", { name: "Incident 1" });
    await incident.getByLabel("What happens").selectOption("scaled");
    await incident.getByLabel("Name", { exact: true }).fill("web");
    await form.getByRole("button", { name: "Create template" }).click();
    await user.getByRole("alert").filter({ hasText: "must be a name of Kubernetes" }).waitFor();
    await user.getByLabel("ClusterRole").fill("view");
    expect(await seriousViolations(page)).toEqual([]);
    await form.getByRole("button", { name: "Create template" }).click();
    await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
    await page.getByText("users ann").waitFor();
    await page.getByText("1 thing is wrong from the beginning").waitFor();
    await page.getByText("name: prices").waitFor();

    // Used.
    await page.getByRole("link", { name: "Use it" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("of-shop");
    await page.getByRole("button", { name: "Create sandbox" }).click();
    await page.getByRole("heading", { name: "of-shop" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.locator("[data-kind=Node]").count()).toBe(2);
    const id = page.url().split("/").at(-1) ?? "";
    const token = ((await requestJson(`/v1/sandboxes/${id}`)) as { token: string }).token;
    const map = await fetch(`${service.address.http}/c/${id}/api/v1/namespaces/default/configmaps/prices`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(map.status).toBe(200);

    // The next version, of that sandbox.
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("link", { name: "Create template" }).click();
    await form.getByLabel("Name", { exact: true }).fill("shop");
    expect(await form.getByLabel("Sandbox").inputValue()).toBe(id);
    await form.getByRole("button", { name: "Create template" }).click();
    await page.locator("tr[data-name='shop@2']").waitFor();
    await page.getByLabel("Compare with").selectOption("shop@1");
    await page.locator("[data-diff]").getByText("name: prices").waitFor();
    await page.getByRole("button", { name: "Delete shop@1" }).click();
    expect(await form.locator(".command code").innerText()).toContain("sandbar template delete shop@1");
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete template" }).click();
    await page.getByText("No templates of your own yet.").waitFor();
    expect(errors).toEqual([]);
  });

  test("Z3: an operator finds a tenant, sets limits that reach its running sandbox, suspends and resumes it", async () => {
    const sandbox = await newSandbox({ name: "operated", nodes: 1 }, service.address);
    const tenant = "local";
    const page = await visit("/#/admin");
    await page.getByLabel("The operator's key").fill(service.address.apiKey);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("That is not the operator's key of this service.").waitFor();
    await page.getByLabel("The operator's key").fill(operatorKey);
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator(`tr[data-name=${tenant}] a`).click();
    await page.getByRole("button", { name: "Plan and limits" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nodes", { exact: true }).fill("many");
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await dialog.getByRole("alert").first().waitFor();
    await dialog.getByLabel("Nodes", { exact: true }).fill("1");
    expect(await dialog.locator(".command code").innerText()).toContain(`sandbar admin limits ${tenant} nodes=1`);
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByText("nodes 1", { exact: true }).waitFor();
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "further" } };
    const refused = await sandbox.fetch("/api/v1/nodes", { method: "POST", body: JSON.stringify(node) });
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("limited: nodes=1")]);

    await page.getByRole("link", { name: sandbox.id }).click();
    const health = page.getByRole("region", { name: `How ${sandbox.id} fares` });
    await health.getByText("Its database").waitFor();
    expect(page.url()).toContain(`#/admin/tenants/${tenant}/${sandbox.id}`);

    await page.getByRole("button", { name: "Suspend" }).click();
    await dialog.getByLabel("Reason shown to the tenant").fill("you mine coins");
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await page.getByText("It is suspended: you mine coins").waitFor();
    expect((await sandbox.fetch("/api/v1/pods")).status).toBe(403);
    expect((await askControl(service.address, "/v1/sandboxes")).status).toBe(403);
    await page.getByRole("button", { name: "Let it go on" }).click();
    await dialog.getByRole("button", { name: "Let it go on" }).click();
    await page.getByText("It is suspended").waitFor({ state: "detached" });
    expect((await sandbox.fetch("/api/v1/pods")).status).toBe(200);
    await page.getByRole("button", { name: "Plan and limits" }).click();
    await dialog.getByLabel("Nodes", { exact: true }).fill("");
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("link", { name: "What operators did" }).click();
    await page.getByText('"suspended":"you mine coins"').waitFor();
    expect(await page.locator("tr[data-name=changeOperatedTenant]").count()).toBe(4);
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByLabel("The operator's key").waitFor();
    expect(errors).toEqual([]);
  });

  test("Z4: a visitor without account tries a sandbox live in the page, and gets its kubeconfig", async () => {
    const page = await visit("/");
    await page.getByRole("link", { name: "Try it without an account" }).click();
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.locator("[data-kind=Node]").count()).toBe(3);
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Copy kubeconfig" }).click();
    const config = JSON.parse(readFileSync(await (await saved).path(), "utf8")) as { users: [{ user: object }] };
    expect(config.users[0].user).toHaveProperty("token");
  });

  test("Z5: a webhook is created, tested and deleted, a key is created with an expiry, and the audit log lists both", async () => {
    const page = await signedIn("/#/webhooks");
    await page.getByText("No webhooks yet.").waitFor();
    await page.getByRole("link", { name: "New webhook" }).click();
    const dialog = page.getByRole("dialog");
    // Nobody listens there.
    await dialog.getByLabel("Address").fill("https://127.0.0.1:9/hook");
    await dialog.getByLabel("sandbox.ready").uncheck();
    expect(await dialog.locator(".command code").innerText()).toContain("--event sandbox.created");
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    await page.getByRole("heading", { name: "https://127.0.0.1:9/hook" }).waitFor();
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.locator("tr[data-name=test]").getByText("waiting").waitFor();
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByText("off: nothing is sent").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("No webhooks yet.").waitFor();

    await page.goto(`${service.address.http}/#/keys/new`);
    await dialog.getByLabel("Name", { exact: true }).fill("looks");
    await dialog.getByLabel("Good for").selectOption("30 days");
    await dialog.getByRole("button", { name: "Read only" }).click();
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText(/^sbk_/).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.locator("tr[data-name=looks]");
    expect(await row.locator("[data-label='Expires in']").innerText()).toMatch(/29d|30d/);
    expect(await row.locator("[data-label=May]").innerText()).not.toContain("write");

    await page.getByRole("link", { name: "Organisation" }).click();
    await page.getByLabel("Allowed origins").fill("nowhere");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "must be an origin" }).waitFor();
    await page.getByLabel("Allowed origins").fill("https://course.example.org");
    await page.getByLabel("Name", { exact: true }).fill("The school");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The school" }).waitFor();
    expect(await requestJson("/v1/tenant")).toMatchObject({ allowedOrigins: ["https://course.example.org"] });

    await page.goto(`${service.address.http}/#/audit`);
    await page.locator("tr[data-name=createKey]").first().waitFor();
    await page.getByLabel("Filter").fill("createKey done");
    expect(await page.locator("tr[data-name=createWebhook]").count()).toBe(0);
    expect(page.url()).toContain("q=createKey");
    expect(errors).toEqual([]);
  });

  test("Z6: an operation of the API is found and read without signing in", async () => {
    const page = await visit("/#/api");
    await page.getByRole("link", { name: "GET /v1/sandboxes", exact: true }).waitFor();
    await page.getByLabel("Filter").fill("creates sandbox post");
    await page.getByRole("link", { name: "POST /v1/sandboxes", exact: true }).click();
    await page.getByText("sandboxes:create", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Body" }).getByText("kubeletSpeed").waitFor();
    expect(page.url()).toContain("#/api/createSandbox");
    expect(await lines(page).first().innerText()).toContain(`curl -X POST ${service.address.http}/v1/sandboxes`);
    expect(errors).toEqual([]);
  });

  const ownPaths = [
    "",
    "templates",
    "templates?make=new",
    "templates?use=three-nodes",
    "templates/three-nodes",
    "usage",
  ];
  const further = [
    "usage?by=day",
    "limits",
    "webhooks/new",
    "members",
    "sign-on",
    "sign-on/provider",
    "organisation",
    "new",
    "import",
    "keys",
    "keys/new",
    "publishable-keys",
    "lti",
    "lti/link",
    "audit",
    "api",
    "trial",
  ];

  test.each(["light", "dark"] as const)(
    "Z7: no page has a serious accessibility violation, in %s colours",
    async (scheme) => {
      const page = await signedIn("/", scheme);
      const violationsByPath: Record<string, string[]> = {};
      for (const path of [...ownPaths, ...further]) {
        await page.goto(`${service.address.http}/#/${path}`);
        await page.waitForLoadState("networkidle");
        violationsByPath[path] = await seriousViolations(page, scheme === "dark");
      }
      await page.setViewportSize({ width: 390, height: 800 });
      // The widths are the same in both color schemes.
      for (const path of scheme === "light" ? [...ownPaths, ...further] : []) {
        await page.goto(`${service.address.http}/#/${path}`);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (width > 390) violationsByPath[`${path} on a phone`] = [`is ${width} wide`];
      }
      expect(Object.entries(violationsByPath).filter(([, all]) => all.length > 0)).toEqual([]);
      expect(errors).toEqual([]);
    },
  );

  test("Z7: the operator's pages have none either", async () => {
    const page = await operating("/#/admin");
    for (const path of ["admin", "admin/tenants/local", "admin/log"]) {
      await page.goto(`${service.address.http}/#/${path}`);
      await page.waitForLoadState("networkidle");
      expect([path, await seriousViolations(page)]).toEqual([path, []]);
    }
    await page.goto(`${service.address.http}/#/admin/tenants/local`);
    await page.getByRole("button", { name: "Plan and limits" }).click();
    expect(await seriousViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });
});
