// The console's pages of objects in a real browser: lists, details, actions, edits, logs, and related objects.
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { control, newSandbox, type TestSandbox } from "../sandbox.ts";
import { seriousViolations } from "./accessible.ts";
import { hasChromium, launchBrowser, warnWithoutChromium } from "../chromium.ts";
import { deployment, type Send, sendTo, type Visit, visitConsole, widgetDefinition } from "./objects-browser.ts";

warnWithoutChromium("the pages of objects");

const deployments = "/apis/apps/v1/namespaces/default/deployments";

describe.skipIf(!hasChromium)("pages of objects", () => {
  const service = inject("service");
  let browser: Browser;
  let sandbox: TestSandbox;
  let send: Send;
  let visit: Visit;

  beforeAll(async () => {
    browser = await launchBrowser();
    sandbox = await newSandbox({ name: "objects", nodes: 2 });
    send = sendTo(sandbox);
    await send(deployments, "POST", deployment("web", 2));
    const crashes = { image: "busybox", command: ["sh", "-c", "echo about to fail; exit 3"] };
    await send(deployments, "POST", deployment("crash", 1, crashes));
    await send(deployments, "POST", deployment("big", 1, { resources: { requests: { cpu: "100" } } }));
    await send("/api/v1/namespaces/default/services", "POST", {
      metadata: { name: "lost" },
      spec: { selector: { app: "nobody" }, ports: [{ port: 80 }] },
    });
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

  test("D9: a custom kind is listed with its own columns and searched by text and label, without errors", async () => {
    await send("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "POST", widgetDefinition);
    const widgets = "/apis/shop.example.com/v1/namespaces/default/widgets";
    const widget = (name: string, colour: string, size: number) => ({
      apiVersion: "shop.example.com/v1",
      kind: "Widget",
      metadata: { name, labels: { tint: colour } },
      spec: { colour, size },
    });
    await expect.poll(async () => (await sandbox.fetch(widgets)).status).toBe(200);
    await send(widgets, "POST", widget("one", "red", 3));
    await send(widgets, "POST", widget("two", "blue", 20));
    const page = await at("tab=objects&kind=widgets.shop.example.com");
    const row = (name: string) => page.locator(`.grid-row[data-name=${name}]`);
    await row("one").waitFor();
    const heads = await page.getByRole("columnheader").allInnerTexts();
    expect(heads.map((text) => text.replace(/\W+$/, "")).filter(Boolean)).toEqual([
      "Name",
      "Namespace",
      "Colour",
      "Size",
    ]);
    expect(await row("two").locator("[data-label=Size]").innerText()).toBe("20");
    await page.keyboard.press("/");
    await page.keyboard.type("tint=red");
    await row("two").waitFor({ state: "detached" });
    expect(page.url()).toContain("q=tint%3Dred");
    await page.getByLabel("Search", { exact: true }).fill("two");
    await row("two").waitFor();
    await row("one").waitFor({ state: "detached" });
    await page.getByLabel("Search", { exact: true }).fill("");
    // By numbers, not by letters.
    await page.getByRole("button", { name: "Size" }).click();
    await expect.poll(() => page.locator(".grid-row[data-name]").evaluateAll(namesOf)).toEqual(["one", "two"]);
    await send(widgets, "POST", widget("three", "red", 1));
    await expect.poll(() => page.locator(".grid-row[data-name]").evaluateAll(namesOf)).toEqual(["three", "one", "two"]);
    expect(visit.errors).toEqual([]);
  });

  test("D10: an object's problem is explained in a sentence, with exit codes and the scheduler's message", async () => {
    const page = await at("tab=objects&q=is:bad");
    const row = page.locator(".grid-row[data-name^=crash-]");
    await row.click();
    const matter = page.locator("[data-matter]");
    await expect.poll(() => matter.innerText()).toMatch(/^Container main was restarted .* with exit code 3: /);
    await expect.poll(() => page.locator("[data-last]").innerText()).toContain("Last ended with exit code 3 (Error)");
    const path = `#/sandboxes/${sandbox.id}?open=deployments.apps/default/big`;
    await page.goto(`${service.http}/${path}`);
    await expect
      .poll(() => matter.innerText())
      .toMatch(/^1 of 1 pod is not ready\. big-\S+: No node takes it\. Of 2 nodes, 2 have not enough cpu left\./);
    await page.goto(`${service.http}/#/sandboxes/${sandbox.id}?open=services/default/lost`);
    await expect.poll(() => matter.innerText()).toContain("no pod of its namespace has the labels app=nobody");
    expect(visit.errors).toEqual([]);
  });

  test("D11: a rollout is started, watched, undone and scaled by buttons that show kubectl commands", async () => {
    const page = await at("tab=objects&kind=deployments.apps&open=deployments.apps/default/web");
    const act = async (
      button: string,
      fill: (dialog: ReturnType<Page["getByRole"]>) => Promise<void>,
      line: string,
    ) => {
      await page.locator(".actions.do").getByRole("button", { name: button, exact: true }).click();
      const dialog = page.getByRole("dialog");
      await fill(dialog);
      expect(await dialog.getByLabel("The same with kubectl").innerText()).toBe(line);
      await dialog.getByRole("button", { name: button, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await page.locator(".said").innerText()).toContain(`$ ${line}`);
    };
    const nothing = () => Promise.resolve();
    await act(
      "Scale",
      (it) => it.getByLabel("Replicas").fill("3"),
      "kubectl scale deployment/web --replicas=3 -n default",
    );
    const ready = page.locator(".grid-row[data-name=web] [data-label=Ready]");
    await expect.poll(() => ready.innerText()).toBe("3/3");
    const image = (it: ReturnType<Page["getByRole"]>) => it.getByLabel("Image").fill("nginx:1.29");
    await act("Set image", image, "kubectl set image deployment/web main=nginx:1.29 -n default");
    await page.getByText("kubectl set image").first().waitFor();
    const sets = page.locator(".related .name", { hasText: /^web-/ });
    await expect.poll(() => sets.count()).toBe(2);
    await act("Undo", nothing, "kubectl rollout undo deployment/web --to-revision=1 -n default");
    await act("Restart", nothing, "kubectl rollout restart deployment/web -n default");
    await expect.poll(() => sets.count()).toBe(3);
    await page.getByRole("link", { name: "Changes" }).click();
    const changes = page.getByRole("list", { name: "Changes, newest first" });
    await changes.getByText("by kubernetes-admin").first().waitFor();
    await changes.getByText("spec.template.spec.containers[name=main].image").first().waitFor();
    await act("Delete", nothing, "kubectl delete deployment/web --wait=false -n default");
    await page.locator(".grid-row[data-name=web]").waitFor({ state: "detached" });
    expect(visit.errors).toEqual([]);
    await send(deployments, "POST", deployment("web", 2));
  });

  test("D12: an edit is refused at its line, corrected, shown as a diff, and applied", async () => {
    const page = await at("open=deployments.apps/default/big&pane=yaml");
    await page.getByRole("button", { name: "Edit" }).click();
    const editor = page.locator(".cm-content");
    await editor.waitFor();
    const write = async (text: string) => {
      await editor.click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
      await page.getByRole("button", { name: "Review changes" }).click();
    };
    const now = async () =>
      JSON.stringify({ kind: "Deployment", apiVersion: "apps/v1", ...(await big()) }, undefined, 2);
    const big = async () => (await (await sandbox.fetch(`${deployments}/big`)).json()) as object;
    const text = await now();
    await write(text.replace(/"replicas": 1,/, '"replicas": -1,'));
    const problems = page.getByRole("alert");
    await problems.getByText("spec.replicas: Invalid value").waitFor();
    const line = text.split("\n").findIndex((piece) => piece.includes('"replicas": 1,')) + 1;
    await problems.getByRole("button", { name: `Line ${line}`, exact: true }).waitFor();
    await write(text.replace('"replicas": 1,', '"nonsense": true,\n"replicas": 1,'));
    await problems.getByText('unknown field "spec.nonsense"').waitFor();
    await problems.getByRole("button", { name: `Line ${line}`, exact: true }).waitFor();
    await write("a: [");
    await problems.getByRole("button", { name: "Line 1" }).waitFor();
    await write(text.replace('"cpu": "100"', '"cpu": "10m"'));
    await page.locator("[data-diff]").getByText("10m").waitFor();
    expect(await page.getByLabel("The same with kubectl").innerText()).toBe("kubectl replace -f big.yaml -n default");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator("pre.yaml").getByText('cpu: "10m"').waitFor();
    await send(`${deployments}/big`, "DELETE");
    await page.getByText("This Deployment is gone").waitFor();
    // Opened when it is gone, too.
    await page.reload();
    await page.getByText("There is no Deployment big.").waitFor();
    // Edits that were refused, and an object that is not there, are no errors of the page.
    expect(visit.errors).toEqual([]);
  });

  test("D17: the editor completes fields of the cluster's schema, and marks unknown fields before a request", async () => {
    const page = await at("open=services./default/lost&pane=yaml");
    await page.getByRole("button", { name: "Edit" }).click();
    const editor = page.locator(".cm-content");
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("apiVersion: v1\nkind: Service\nspec:\n  nonsense: 1\n  sess");
    await page.keyboard.press("Control+Space");
    // By the mouse: a key that comes just when the list is shown is not meant for it.
    await page.locator(".cm-tooltip-autocomplete").getByText("sessionAffinity", { exact: true }).click();
    await page.keyboard.insertText("None");
    await page.locator(".cm-lintRange-error").getByText("nonsense").waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("D13: a log is followed and searched, and the previous run's log is read", async () => {
    const counting = {
      image: "busybox",
      command: ["sh", "-c", "i=0; while true; do echo line $i; i=$((i+1)); sleep 1; done"],
    };
    await send(deployments, "POST", deployment("talk", 1, counting));
    const page = await at("tab=objects&kind=deployments.apps&open=deployments.apps/default/talk&pane=logs");
    const log = page.locator("[data-log]");
    await log.getByText("line 1", { exact: false }).waitFor();
    const before = (await log.innerText()).split("\n").length;
    await expect.poll(async () => (await log.innerText()).split("\n").length).toBeGreaterThan(before);
    await page.getByLabel("Search the log").fill("line 0");
    await expect.poll(() => log.innerText()).toBe("line 0\n");
    const pods = (await (await sandbox.fetch("/api/v1/namespaces/default/pods?labelSelector=app%3Dcrash")).json()) as {
      items: { metadata: { name: string } }[];
    };
    const name = pods.items[0]?.metadata.name ?? "";
    await page.goto(`${service.http}/#/sandboxes/${sandbox.id}?open=pods/default/${name}&pane=logs&to=previous`);
    await log.getByText("about to fail").waitFor();
    expect(await page.getByLabel("The same with kubectl").innerText()).toBe(
      `kubectl logs -p pod/${name} -n default -c main`,
    );
    expect(visit.errors).toEqual([]);
  });

  test("D14: snapshots are created, compared and forked, and the page says who may do what", async () => {
    const page = await at("tab=snapshots");
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("before");
    expect(await dialog.getByLabel("The same with kubectl").innerText()).toBe("sandbar snapshot objects --name=before");
    await dialog.getByRole("button", { name: "Take it" }).click();
    const row = page.locator("tr[data-name=before]");
    await row.waitFor();
    await send("/api/v1/namespaces/default/configmaps", "POST", { metadata: { name: "since" }, data: { a: "1" } });
    await row.getByRole("button", { name: "Compare with now" }).click();
    await page.locator(".changed-objects li", { hasText: "since" }).getByText("came").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("cell", { name: "cluster-admin" }).first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("z");
    await row.getByRole("button", { name: "Fork" }).click();
    await dialog.getByLabel("Name").fill("other");
    await dialog.getByRole("button", { name: "Fork" }).click();
    await page.getByRole("heading", { name: "other" }).waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("the history filtered by users starts with their changes, even after many changes of controllers", async () => {
    await send("/api/v1/namespaces/default/configmaps", "POST", { metadata: { name: "by-hand" } });
    // More changes of controllers than a page holds.
    await send(deployments, "POST", deployment("many", 16));
    const available = async () =>
      ((await (await sandbox.fetch(`${deployments}/many`)).json()) as { status: { availableReplicas?: number } }).status
        .availableReplicas;
    await expect.poll(available, { timeout: 30_000 }).toBe(16);
    const page = await at("tab=history");
    await page.getByRole("list", { name: "Changes, newest first" }).getByText("by-hand").first().waitFor();
    await send(`${deployments}/many`, "DELETE");
    expect(visit.errors).toEqual([]);
  });

  test("another tab shares the sign-in until one of them signs out", async () => {
    const page = await at("");
    const otherPage = await visit.context.newPage();
    await otherPage.goto(`${service.http}/#/sandboxes/${sandbox.id}`);
    await otherPage.getByRole("heading", { name: "objects" }).waitFor();
    await otherPage.reload();
    await otherPage.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("the newest events come first, and the page of a deleted sandbox says so", async () => {
    const brief = await newSandbox({ name: "brief" });
    visit = await visitConsole(browser, service, `#/sandboxes/${brief.id}?tab=objects&kind=events`);
    const { page } = visit;
    await page.locator(".grid-row[data-name]").first().waitFor();
    await sendTo(brief)("/api/v1/namespaces/default/events", "POST", {
      metadata: { name: "zz-last" },
      involvedObject: { namespace: "default" },
      reason: "Tested",
      message: "m",
      firstTimestamp: new Date().toISOString(),
      lastTimestamp: new Date().toISOString(),
      type: "Normal",
    });
    await expect.poll(async () => (await page.locator(".grid-row[data-name]").evaluateAll(namesOf))[0]).toBe("zz-last");
    await control(service, `/v1/sandboxes/${brief.id}`, { method: "DELETE" });
    await page.locator(".facts").getByText("deleted").waitFor();
    expect(await page.locator(".facts").innerText()).not.toContain("expire");
  });

  test("Ctrl+K finds every object, page and action with its kubectl command, and opens or runs it", async () => {
    const page = await at("");
    await page.getByText("Live", { exact: true }).waitFor();
    const find = async (query: string) => {
      await page.keyboard.press("Control+k");
      const field = page.getByRole("combobox", { name: "Search objects, pages and actions" });
      await field.fill(query);
      return page.getByRole("dialog").getByRole("option", { selected: true });
    };
    const action = await find("scale deployment web");
    await expect.poll(() => action.innerText()).toContain("kubectl scale deployment/web --replicas=2 -n default");
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Replicas").waitFor();
    await page.keyboard.press("Escape");
    // A kind that nobody follows is looked for when the palette opens.
    const object = await find("kube-root-ca default");
    await object.getByText("kube-root-ca.crt").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "kube-root-ca.crt" }).waitFor();
    await expect.poll(() => page.url()).toContain("open=configmaps/default/kube-root-ca.crt");
    await (await find("webhooks")).getByText("Webhooks").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Webhooks" }).waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("the dock has terminals with shared files, logs and events, and remembers its height", async () => {
    const page = await at("open=deployments.apps/default/crash&pane=logs");
    const dock = page.getByRole("region", { name: "Dock" });
    const screen = async () =>
      (await page.locator(".xterm-rows:visible").innerText()).replaceAll("\u00a0", " ").trimEnd();
    const opened = async (number: number) => {
      await dock.getByRole("tab", { name: `Terminal ${number}`, selected: true }).waitFor();
      await expect.poll(screen).toMatch(/\$$/);
    };
    await page.getByRole("button", { name: "Show in the dock" }).waitFor();
    await page.keyboard.press("Control+j");
    await opened(1);
    const share = async () => ((await dock.boundingBox())?.height ?? 0) / 900;
    expect(await share()).toBeGreaterThanOrEqual(0.43);
    await page.keyboard.type("echo shared > f\n");
    await dock.getByRole("button", { name: "New terminal" }).click();
    await opened(2);
    await page.keyboard.type("cat f\n");
    await expect.poll(screen).toMatch(/cat f\nshared\n/);
    const before = await share();
    await page.getByRole("separator", { name: "Height of the dock" }).focus();
    for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowUp");
    await expect.poll(share).toBeGreaterThan(before + 0.05);
    await page.getByRole("button", { name: "Show in the dock" }).click();
    await dock.getByText("about to fail").first().waitFor();
    await dock.getByRole("tab", { name: "Events" }).click();
    await dock.getByRole("list").first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.reload();
    await dock.getByRole("tab", { name: "Events" }).click();
    await expect.poll(share).toBeGreaterThan(before + 0.05);
    await page.keyboard.press("Control+j");
    await expect.poll(share).toBeLessThan(0.1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    expect(await page.evaluate<string[]>("Object.keys(localStorage)")).toEqual([]);
    expect(visit.errors).toEqual([]);
  });

  test("pasted manifests are refused at their lines, dry-run, compared and applied", async () => {
    const page = await at("");
    await page.getByText("Live", { exact: true }).waitFor();
    const paste = (text: string) =>
      page.evaluate(`{
        const data = new DataTransfer();
        data.setData("text/plain", ${JSON.stringify(text)});
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
      }`);
    const config = (name: string, more = "") =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  colour: blue\n`;
    await paste(`${config("pasted")}---\n${config("second", "nonsense: 1\n")}`);
    const dialog = page.getByRole("dialog", { name: "Create objects" });
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByRole("alert").getByText("nonsense: field not declared in schema").waitFor();
    await dialog.getByRole("button", { name: "Line 12", exact: true }).waitFor();
    await dialog.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(
      `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: new\n---\n${config("inside", "  namespace: new\n")}---\n${config("pasted")}`,
    );
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByText("not checked").waitFor();
    await dialog.locator("[data-diff]").getByText("blue").first().waitFor();
    expect((await sandbox.fetch("/api/v1/namespaces/default/configmaps/pasted")).status).toBe(404);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousViolations(page)).toEqual([]);
    }
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.waitFor({ state: "detached" });
    for (const path of ["default/configmaps/pasted", "new/configmaps/inside"])
      expect((await sandbox.fetch(`/api/v1/namespaces/${path}`)).status).toBe(200);
    // The same again changes nothing.
    await paste(config("pasted"));
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByText("Nothing changes").waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("on a phone the pages are in a drawer, a shell takes the full page, and nothing scrolls sideways", async () => {
    visit = await visitConsole(browser, service, `#/sandboxes/${sandbox.id}`, {
      viewport: { width: 360, height: 780 },
    });
    const { page } = visit;
    await page.getByText("Live", { exact: true }).waitFor();
    const isWithin = () => page.evaluate<number>("document.documentElement.scrollWidth");
    expect(await isWithin()).toBeLessThanOrEqual(360);
    expect(await page.getByRole("link", { name: "API keys" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "API keys" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "API keys" }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "New terminal" }).click();
    await page.locator(".xterm-rows").waitFor();
    await expect.poll(() => page.url()).toContain("tab=terminal");
    expect(await isWithin()).toBeLessThanOrEqual(360);
    expect(visit.errors).toEqual([]);
  });

  test("D15: no page has a serious accessibility violation, in light and dark", async () => {
    const page = await at("");
    const pages = [
      "",
      "tab=objects",
      "tab=objects&kind=jobs.batch",
      "tab=topology",
      "tab=access",
      "tab=history",
      "tab=snapshots",
    ];
    const details = ["", "&pane=logs", "&pane=yaml", "&pane=describe", "&pane=changes"];
    const all = [
      ...pages,
      ...details.map((pane) => `tab=objects&open=deployments.apps/default/crash${pane}`),
      "open=nodes/-/node-1",
    ];
    const violationLines: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const query of all) {
        await page.goto(`${service.http}/#/sandboxes/${sandbox.id}?${query}`);
        await page.getByText("Loading…").first().waitFor({ state: "detached" });
        const violations = await seriousViolations(page, colorScheme === "dark");
        violationLines.push(...violations.map((violation) => `${colorScheme} ${query}: ${violation}`));
      }
    }
    expect(violationLines).toEqual([]);
    expect(visit.errors).toEqual([]);
  });

  test("D16: the page of an expired sandbox sends no requests, and has no buttons without effect", async () => {
    const short = await newSandbox({ name: "short", nodes: 1, ttlSeconds: 60 });
    visit = await visitConsole(browser, service, `#/sandboxes/${short.id}`);
    const { page } = visit;
    await page.getByText("Live", { exact: true }).waitFor();
    const requestedUrls: string[] = [];
    page.on("request", (request) => requestedUrls.push(request.url()));
    // The page's clock goes on to the end; the sandbox itself is still there, and is asked nothing.
    await page.clock.install();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.clock.runFor(61_000);
    await page.getByRole("alert").getByText("This sandbox has expired or was deleted").waitFor();
    requestedUrls.length = 0;
    await page.clock.runFor(120_000);
    expect(requestedUrls).toEqual([]);
    expect(
      await page
        .locator("main")
        .getByRole("button", { name: /Delete|Embed|Copy kubeconfig/ })
        .count(),
    ).toBe(0);
    // One that is gone already is asked about once, and that is no failed request.
    await page.goto(`${service.http}/#/sandboxes/${"a".repeat(26)}`);
    await page.getByRole("alert").getByText("This sandbox has expired or was deleted").waitFor();
    await page.clock.runFor(120_000);
    expect(requestedUrls.filter((url) => url.includes("aaaa"))).toHaveLength(1);
    expect(visit.errors).toEqual([]);
  });

  test("a token is replaced after a confirmation, and the page shows the new kubeconfig and keeps following the sandbox", async () => {
    const story = await newSandbox({ name: "story" });
    const get = async (token: string, path = "/api/v1/namespaces/default/configmaps", init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return (await fetch(`${service.http}/c/${story.id}${path}`, { ...init, headers })).status;
    };
    const shownToken = async () =>
      ((await (await control(service, `/v1/sandboxes/${story.id}`)).json()) as { token: string }).token;
    const old = await shownToken();
    const permissions = ["clipboard-read", "clipboard-write"];
    visit = await visitConsole(browser, service, `#/sandboxes/${story.id}`, { permissions });
    const { page } = visit;
    const openDialog = async () => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("button", { name: "Replace token", exact: true }).click();
    };
    await openDialog();
    const dialog = page.getByRole("dialog");
    expect(await dialog.textContent()).toContain("client certificates");
    expect(await dialog.textContent()).toContain(`sandbar rotate ${story.id}`);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await get(old)).toBe(200);
    await openDialog();
    await dialog.getByRole("button", { name: "Replace token", exact: true }).click();
    await dialog.getByText("The token was replaced.").waitFor();
    await dialog.getByRole("button", { name: "Copy kubeconfig" }).click();
    const token = await shownToken();
    expect([token === old, await get(old), await get(token)]).toEqual([false, 401, 200]);
    await expect.poll(() => page.evaluate<string>("navigator.clipboard.readText()")).toContain(token);
    await dialog.getByRole("button", { name: "Done" }).click();
    // Its watches ended with the token before: the page has the new one by itself, and shows what is written from then on.
    const pod = { metadata: { name: "afterwards" }, spec: { containers: [{ name: "a", image: "nginx" }] } };
    const created = await get(token, "/api/v1/namespaces/default/pods", { method: "POST", body: JSON.stringify(pod) });
    expect(created).toBe(201);
    await page.getByText("afterwards").first().waitFor();
  });
});

/** Runs in the page. */
function namesOf(rows: unknown[]): (string | null)[] {
  return rows.map((row) => (row as { getAttribute(name: string): string | null }).getAttribute("data-name"));
}
