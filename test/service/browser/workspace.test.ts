// A sandbox as one screen, in a real browser: the tree of workloads, previews, charts, keys, selections, forms, and the list of sandboxes.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasChromium, launchBrowser, warnWithoutChromium } from "../chromium.ts";
import { eventually } from "../kubectl.ts";
import { newSandbox, type TestSandbox } from "../sandbox.ts";
import { seriousViolations } from "./accessible.ts";
import { deployment, type Send, sendTo, type Visit, visitConsole } from "./objects-browser.ts";

warnWithoutChromium("the workspace of a sandbox");

const core = "/api/v1/namespaces/default";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
/** A page whose script tries to leave its origin, and says what it could do. */
const page = `<html><body><a href="/other">other</a><p id="findings"></p><script>
let findings = "";
try { findings += document.cookie === "" ? "no cookies, " : "cookies, "; } catch { findings += "no cookies, "; }
try { findings += parent.document.title; } catch { findings += "no parent, "; }
fetch("/v1/me").then(() => "reached", () => "no service").then((text) => { document.getElementById("findings").textContent = findings + text; });
</script></body></html>`;

describe.skipIf(!hasChromium)("the workspace of a sandbox", () => {
  const service = inject("service");
  let browser: Browser;
  let sandbox: TestSandbox;
  let send: Send;
  let visit: Visit;

  beforeAll(async () => {
    browser = await launchBrowser();
    sandbox = await newSandbox({ name: "workspace", nodes: 2 });
    send = sendTo(sandbox);
    await send(`${core}/configmaps`, "POST", { metadata: { name: "site" }, data: { "index.html": page } });
    const mount = {
      volumeMounts: [{ name: "site", mountPath: "/usr/share/nginx/html" }],
      ports: [{ containerPort: 80 }],
    };
    const web = deployment("web", 2, mount) as { spec: { template: { spec: object } } };
    Object.assign(web.spec.template.spec, { volumes: [{ name: "site", configMap: { name: "site" } }] });
    await send(deployments, "POST", web);
    await send(`${core}/services`, "POST", {
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    });
    for (const name of ["one", "two", "three"]) await send(deployments, "POST", deployment(name, 1));
    await eventually(
      () => "the Service answers",
      async () => (await sandbox.fetch(`${core}/services/web:80/proxy/`)).ok,
    );
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    await visit?.context.close();
  });

  async function at(query: string): Promise<Page> {
    visit = await visitConsole(browser, service, `#/sandboxes/${sandbox.id}${query && `?${query}`}`);
    return visit.page;
  }

  test("D18: the tree opens a workload with the keyboard, stays beside the details and other parts, and is searched", async () => {
    const page = await at("");
    const tree = page.getByRole("tree", { name: "Tree of workloads" });
    await tree.getByRole("treeitem", { name: /^Deployment web / }).waitFor();
    await tree.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /one/, level: 2 }).waitFor();
    expect(page.url()).toContain("open=deployments.apps/default/one");
    await page.getByRole("link", { name: "Topology" }).click();
    await tree.getByRole("treeitem", { name: /^Deployment three / }).click();
    await page.getByRole("heading", { name: /three/, level: 2 }).waitFor();
    await page.getByLabel("Search the tree").fill("two");
    await tree.getByRole("treeitem", { name: /^Deployment web / }).waitFor({ state: "detached" });
    expect(await tree.getByRole("treeitem", { name: /two/ }).count()).toBe(2);
    await page.getByRole("button", { name: "Hide the tree of workloads" }).click();
    await tree.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "Show the tree of workloads" }).click();
    await tree.waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("D19: a Service's page is shown with its status in an origin of its own, which reaches nothing else", async () => {
    const page = await at("open=services/default/web&pane=preview");
    await page.getByText(/^200 .*in \d+ ms$/).waitFor();
    const frame = page.frameLocator("iframe.preview-page");
    await expect.poll(() => frame.locator("#findings").innerText()).toBe("no cookies, no parent, no service");
    await expect
      .poll(() => frame.getByRole("link", { name: "other" }).getAttribute("href"))
      .toMatch(/^\/preview\/[\w.-]+\/c\/\w+\/api\/v1\/namespaces\/default\/services\/web:80\/proxy\/other$/);
    expect(await page.locator(".preview").getByLabel("The same with kubectl").innerText()).toBe(
      "kubectl port-forward -n default service/web 8080:80",
    );
    // The frame's blocked request is an error of its page.
    visit.errors.length = 0;
    await page.getByLabel("Path", { exact: true }).fill("/absent");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^404 .*in \d+ ms$/).waitFor();
    await page.getByText("Headers", { exact: true }).first().click();
    await page.getByLabel("Headers", { exact: true }).fill("Authorization: Bearer x");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Not a header: “Authorization: Bearer x”", { exact: false }).waitFor();
    await page.getByLabel("Headers", { exact: true }).fill("");
    await page.getByLabel("Path", { exact: true }).fill("/");
    await page.getByLabel("Method").selectOption("POST");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^405 .*in \d+ ms$/).waitFor();
  });

  test("D20: usage of a workload, a pod and a node, and requests of a Service, are drawn over time", async () => {
    const page = await at("open=deployments.apps/default/web&pane=charts");
    const chart = (title: string) => page.locator(`[data-chart="${title}"]`);
    await chart("CPU").waitFor();
    await expect.poll(() => chart("Memory").locator("[data-value]").first().innerText()).toMatch(/^\d+Mi$/);
    await expect.poll(() => chart("CPU").getByRole("listitem").allInnerTexts()).toHaveLength(3);
    const slider = chart("CPU").getByRole("slider");
    await slider.focus();
    await page.keyboard.press("Home");
    expect(await slider.getAttribute("aria-valuenow")).toBe("0");
    await page.goto(`${service.http}/#/sandboxes/${sandbox.id}?open=nodes/-/node-1&pane=charts`);
    await expect
      .poll(() => chart("CPU").getByRole("listitem").allInnerTexts())
      .toContainEqual(expect.stringMatching(/^Allocatable/));
    for (let count = 0; count < 3; count++) await sandbox.fetch(`${core}/services/web:80/proxy/`);
    await page.goto(`${service.http}/#/sandboxes/${sandbox.id}?open=services/default/web&pane=charts`);
    await chart("Requests a minute").getByText("2xx").waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("D20: the replicas of an autoscaler are drawn within its bounds", async () => {
    await send("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", "POST", {
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 4,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
        ],
      },
    });
    const page = await at("open=horizontalpodautoscalers.autoscaling/default/web&pane=charts");
    const texts = page.locator('[data-chart="Replicas"]').getByRole("listitem");
    await expect.poll(() => texts.allInnerTexts()).toContainEqual(expect.stringMatching(/^At most\s+4$/));
    await send("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web", "DELETE");
    expect(visit.errors).toEqual([]);
  });

  test("D21: keys open rows, edit, show logs and open a shell, and ? lists them", async () => {
    const page = await at("tab=objects&kind=pods&q=app%3Dweb");
    await page.locator(".grid-row[data-name^=web-]").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Summary" }).waitFor();
    await page.keyboard.press("l");
    await page.locator("[data-log]").waitFor();
    await page.keyboard.press("e");
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await page.keyboard.press("s");
    await page.getByRole("tab", { name: /^web-/ }).waitFor();
    await page.locator(".terminal-pane .xterm").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.getByRole("heading", { name: "workspace" }).click();
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keys" });
    for (const text of ["Show its logs", "Leave the terminal", "Go to Topology"]) await sheet.getByText(text).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(visit.errors).toEqual([]);
  });

  test("D22: several objects are selected by keys and clicks, labelled and deleted with the shown kubectl lines", async () => {
    const page = await at("tab=objects&kind=deployments.apps");
    const row = (name: string) => page.locator(`.grid-row[data-name=${name}]`);
    await row("one").waitFor();
    await row("one").getByRole("checkbox").click();
    await row("three").getByRole("checkbox").click();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("toolbar", { name: "Selected objects" }).getByRole("button", { name: "Label" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Labels").fill("team=shop");
    const line = dialog.getByLabel("The same with kubectl");
    expect(await line.innerText()).toBe(
      "kubectl label deployment/one deployment/three team=shop --overwrite -n default",
    );
    await dialog.getByRole("button", { name: "Label" }).click();
    await dialog.waitFor({ state: "detached" });
    const labelled = await sandbox.fetch(`${deployments}?labelSelector=team%3Dshop`);
    expect(((await labelled.json()) as { items: object[] }).items).toHaveLength(2);
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+a");
    await page.getByText(/^\d+ selected$/).waitFor();
    await page.getByRole("button", { name: "Clear the selection" }).click();
    await row("one").getByRole("checkbox").click();
    await row("three")
      .getByRole("checkbox")
      .click({ modifiers: ["Shift"] });
    await page.getByText("2 selected").waitFor();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await row("one").waitFor({ state: "detached" });
    await row("three").waitFor({ state: "detached" });
    await row("two").waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("D23: a form shows its YAML, a refusal is named, and the corrected object is compared and applied", async () => {
    const page = await at("");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Form" }).click();
    await dialog.getByLabel("Kind", { exact: true }).selectOption("CronJob");
    await dialog.getByLabel("Name", { exact: true }).fill("nightly");
    await dialog.getByLabel("Schedule").fill("at night");
    await expect.poll(() => dialog.locator("[data-form-yaml]").innerText()).toContain("schedule: at night");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByText(/spec\.schedule/).waitFor();
    await dialog.getByLabel("Schedule").fill("0 3 * * *");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByText("created", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Back to the text" }).click();
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("nightly");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await sandbox.fetch("/apis/batch/v1/namespaces/default/cronjobs/nightly")).status).toBe(200);
    expect(visit.errors).toEqual([]);
  });
});
