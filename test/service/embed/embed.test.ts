// Embedded clusters in a real browser on the real service: elements, plain frames and events.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
import { violationsOn } from "../browser/accessible.ts";
import { hasChromium, launchBrowser, launchOptions, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { control } from "../sandbox.ts";
import { listening, type Site, startSite, themes, unsafeName } from "./sites.ts";

warnWithoutChromium("clusters in others' pages");

describe.skipIf(!hasChromium)("an embedded cluster", () => {
  const service = inject("service");
  let browser: Browser;
  let site: Site;
  const open: BrowserContext[] = [];

  beforeAll(async () => {
    site = await startSite();
    browser = await launchBrowser(mapped);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((browserContext) => browserContext.close()));
  });

  async function newKey(of: Partial<CreatePublishableKey> = {}): Promise<PublishableKey> {
    const body = { name: "course", origins: [site.origin], templates: ["guestbook", "empty"], ...of };
    const answer = await control(service, "/v1/publishable-keys", { method: "POST", body: JSON.stringify(body) });
    expect(answer.status, await answer.clone().text()).toBe(201);
    return publishableKey.parse(await answer.json());
  }

  const script = (key = "") =>
    `${listening}<script type="module" src="${service.http}/embed.js${key && `?key=${key}`}"></script>`;

  async function visitor(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patienceMs);
    open.push(context);
    return context;
  }

  async function visit(context: BrowserContext, path: string, origin = site.origin): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin + path);
    return page;
  }

  const nextEvent = async <T>(page: Page, type: string): Promise<T> => {
    await page.waitForFunction(`window.told?.[${JSON.stringify(type)}]`);
    return page.evaluate<T>(`window.told[${JSON.stringify(type)}]`);
  };
  const sandboxOf = async (page: Page) => (await nextEvent<[{ sandbox: { id: string } }]>(page, "ready"))[0].sandbox.id;

  test("Z19: is one sandbox for each visitor of a static page, and the same one when the visitor returns", async () => {
    const { key } = await newKey();
    site.put(
      "/two",
      themes.plain({ head: script(key), body: '<sandbar-cluster template="guestbook"></sandbar-cluster>' }),
    );
    const [ann, bea] = [await visitor(), await visitor()];
    const [hers, otherPage] = [await visit(ann, "/two"), await visit(bea, "/two")];
    await hers.frameLocator("sandbar-cluster iframe").getByText("Live", { exact: true }).first().waitFor();
    const [first, second] = [await sandboxOf(hers), await sandboxOf(otherPage)];
    expect(first).not.toBe(second);
    await hers.reload();
    expect(await sandboxOf(hers)).toBe(first);
    expect(await nextEvent(hers, "ready")).toMatchObject([{ isNew: false, from: "sandbar-cluster" }]);
  });

  test("Z19: is one sandbox for all elements of a page from the first visit on", async () => {
    const { key } = await newKey();
    const small = 'style="--sandbar-height: 200px"';
    const body = `<sandbar-terminal ${small} template="empty"></sandbar-terminal><sandbar-cluster ${small} template="empty"></sandbar-cluster>`;
    site.put("/shared", themes.plain({ head: script(key), body }));
    const page = await visit(await visitor(), "/shared");
    await page.waitForFunction("window.told.ready?.length === 2");
    const ready = await nextEvent<{ isNew: boolean; sandbox: { id: string } }[]>(page, "ready");
    expect(new Set(ready.map(({ sandbox }) => sandbox.id)).size).toBe(1);
    expect(ready.map(({ isNew }) => isNew)).toEqual([true, false]);
  });

  describe.each([
    ["with third-party cookies allowed", { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }],
    ["with third-party cookies blocked", { profile: { cookie_controls_mode: 1, block_third_party_cookies: true } }],
  ])("Z19: %s", (name, preferences) => {
    let folder: string;
    let profile: BrowserContext;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "sandbar-profile-"));
      mkdirSync(join(folder, "Default"));
      writeFileSync(join(folder, "Default/Preferences"), JSON.stringify(preferences));
      profile = await chromium.launchPersistentContext(folder, { ...launchOptions(mapped), reducedMotion: "reduce" });
      profile.setDefaultTimeout(patienceMs);
    });
    afterAll(async () => {
      await profile?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each([
      [
        "an element",
        () => site.origin,
        (key: string) => `${script(key)}<sandbar-cluster template="empty" panes="live"></sandbar-cluster>`,
      ],
      [
        "an element in a page without https",
        () => site.unsafeOrigin,
        (key: string) => `${script(key)}<sandbar-cluster template="empty" panes="live"></sandbar-cluster>`,
      ],
      [
        "a plain frame",
        () => site.origin,
        (key: string) =>
          `<iframe width="800" height="600" referrerpolicy="origin" src="${service.http}/embed/${key}?template=empty&panes=live"></iframe>`,
      ],
    ])("Z19: is the same sandbox in %s when its visitor returns", async (_, origin, body) => {
      const { key } = await newKey({ origins: [site.origin, site.unsafeOrigin] });
      site.put("/back", body(key));
      const ids: string[] = [];
      const page = await profile.newPage();
      page.on("request", (request) => {
        const id = /\/c\/(\w+)\//.exec(request.url())?.[1];
        if (id !== undefined && ids.at(-1) !== id) ids.push(id);
      });
      await page.goto(`${origin()}/back`);
      const frame = page.frameLocator("iframe");
      await frame.getByText("Live", { exact: true }).waitFor();
      await page.reload();
      await frame.getByText("Live", { exact: true }).waitFor();
      expect(ids).toHaveLength(1);
      const isBlocked = name.includes("blocked");
      const isCookieKept = await frame.locator("html").evaluate(setsCookie);
      expect(isCookieKept).toBe(!isBlocked);
      await page.close();
    });
  });

  test.each(["docusaurus", "mkdocs", "plain"] as const)(
    "Z19: has the page's colours and language in a page like %s's",
    async (theme) => {
      const { key } = await newKey();
      const body = '<sandbar-cluster template="empty" panes="live"></sandbar-cluster>';
      site.put(`/${theme}`, themes[theme]({ head: script(key), body }));
      const page = await visit(await visitor({ locale: "en-GB" }), `/${theme}`);
      const frame = page.frameLocator("sandbar-cluster iframe");
      await frame.getByText("Live", { exact: true }).waitFor();
      const root = frame.locator("html");
      const scheme = () =>
        root.evaluate((rootElement) => getComputedStyle(rootElement as unknown as Styled).colorScheme);
      expect(await scheme()).toBe(theme === "plain" ? "light dark" : "dark");
      expect(await root.getAttribute("lang")).toBe(theme === "mkdocs" ? "de" : "en");
      // The page's rules for frames do not reach into the element.
      expect(await page.locator("sandbar-cluster iframe").evaluate(borderOf)).toBe("1px");
      if (theme !== "docusaurus") return;
      const accent = () =>
        root.evaluate((rootElement) => (rootElement as unknown as Styled).style.getPropertyValue("--accent"));
      expect(await accent()).toBe("#ff8800");
      await page.locator("#switch").click();
      await expect.poll(scheme).toBe("light");
    },
  );

  test("Z19: is shown by a plain frame in a page without scripts like Moodle's, and sends events to the page", async () => {
    const { key } = await newKey();
    const address = `${service.http}/embed/${key}?template=empty&panes=live`;
    const answer = await control(service, `/v1/oembed?url=${encodeURIComponent(address)}`);
    site.put("/moodle", themes.moodle({ head: "", body: oembed.parse(await answer.json()).html }));
    const context = await visitor();
    await context.addInitScript(
      `addEventListener("message", ({ origin, data }) => (window.said ??= []).push([origin, data]))`,
    );
    const page = await visit(context, "/moodle");
    await page.frameLocator("iframe").getByText("Live", { exact: true }).waitFor();
    const pageMessages = await page.evaluate<[string, { type: string; sandbar: number }][]>("window.said");
    expect(pageMessages.map(([from]) => from)).toEqual(pageMessages.map(() => service.http));
    expect(pageMessages.map(([, { type }]) => type)).toContain("ready");
    // A call by the protocol itself.
    await page.evaluate(
      `document.querySelector("iframe").contentWindow.postMessage({ sandbar: 1, type: "call", id: 7, method: "run", text: "get nodes -o name" }, "*")`,
    );
    const isAnswered = `window.said.find(([, data]) => data.type === "answer")?.[1]`;
    await page.waitForFunction(isAnswered);
    expect(await page.evaluate(isAnswered)).toMatchObject({ id: 7, value: { exitCode: 0, output: "node/node-1\n" } });
  });

  test("Z19: is changed by the page's methods, sends its events, and refuses writes if it is read-only", async () => {
    const { key } = await newKey();
    const body =
      '<sandbar-cluster template="empty" panes="live"></sandbar-cluster><sandbar-cluster id="b" template="empty" panes="live" read-only></sandbar-cluster>';
    site.put("/methods", themes.plain({ head: script(key), body }));
    const page = await visit(await visitor(), "/methods");
    await nextEvent(page, "ready");
    const call = (expression: string) => page.evaluate(`document.querySelector("sandbar-cluster").${expression}`);
    const yaml = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
    expect(await call(`apply(${JSON.stringify(yaml)})`)).toEqual({ exitCode: 0, output: "namespace/shop created\n" });
    expect(await call(`run("kubectl get ns shop -o name")`)).toEqual({ exitCode: 0, output: "namespace/shop\n" });
    expect(await call(`run("get pods nowhere")`)).toMatchObject({ exitCode: 1 });
    expect(await nextEvent(page, "command")).toMatchObject([
      { line: "kubectl get ns shop -o name", exitCode: 0 },
      { exitCode: 1 },
    ]);
    const changed = (change: string) =>
      page.waitForFunction(
        `window.told.changed?.some(({ objects }) => objects.some((one) => one.kind === "Namespace" && one.name === "shop" && one.change === "${change}"))`,
      );
    await changed("added");
    await call("reset()");
    await changed("deleted");
    // The second element, which was not seen so far, is of the same visitor and sandbox.
    const readOnly = await page.evaluate<{ exitCode: number; output: string }>(
      `document.querySelector("#b").run("create ns x")`,
    );
    expect(readOnly).toMatchObject({ exitCode: 1, output: expect.stringContaining("forbidden") });
    const ready = await nextEvent<{ sandbox: { id: string } }[]>(page, "ready");
    expect(new Set(ready.map(({ sandbox }) => sandbox.id)).size).toBe(1);
  });

  test("Z18: is loaded when its element becomes visible, and its tokens reach neither an address nor the page", async () => {
    const { key } = await newKey();
    const body = '<div style="height: 3000px"></div><sandbar-cluster template="empty" panes="live"></sandbar-cluster>';
    site.put("/far", themes.plain({ head: script(key), body }));
    const context = await visitor();
    const requestLines: string[] = [];
    context.on("request", (request) => requestLines.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
    const page = await visit(context, "/far");
    await page.waitForFunction('customElements.get("sandbar-cluster")');
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(
      requestLines
        .filter((requestLine) => requestLine.startsWith(service.http))
        .map((requestLine) => new URL(requestLine.split(" ")[0] ?? "").pathname),
    ).toEqual(["/embed.js"]);
    await page.evaluate("scrollTo(0, 3000)");
    await page.frameLocator("sandbar-cluster iframe").getByText("Live", { exact: true }).waitFor();
    const secrets = /eyJ|sb[uv]_/;
    expect(requestLines.filter((requestLine) => secrets.test(requestLine))).toEqual([]);
    expect(JSON.stringify(await page.evaluate("window.told"))).not.toMatch(secrets);
    expect(await page.evaluate("JSON.stringify(localStorage)")).toBe("{}");
  });

  test("Z18: accepts messages only between an element and its own frame", async () => {
    const { key } = await newKey();
    const callMessage = (text: string) => JSON.stringify({ sandbar: 1, type: "call", id: 1, method: "run", text });
    // Another frame of the page asks for something, and tells what is not so.
    const evil = `<script>setInterval(() => {
      parent.frames[0].postMessage(${callMessage("create namespace evil")}, "*");
      parent.postMessage({ sandbar: 1, type: "step-passed", lesson: "evil" }, "*");
    }, 50)</script>`;
    site.put("/evil", evil);
    const body = `<sandbar-cluster template="empty" panes="live"></sandbar-cluster><iframe src="${site.otherOrigin}/evil"></iframe>`;
    site.put("/heard", themes.plain({ head: script(key), body }));
    const page = await visit(await visitor(), "/heard");
    await nextEvent(page, "ready");
    await page.frameLocator("sandbar-cluster iframe").getByText("Live", { exact: true }).waitFor();
    const run = (line: string) => page.evaluate(`document.querySelector("sandbar-cluster").run("${line}")`);
    // What was said before this call was heard before it.
    expect(await run("create namespace good")).toMatchObject({ exitCode: 0 });
    expect(await run("get namespace evil")).toMatchObject({ exitCode: 1 });
    expect(await page.evaluate("window.told['step-passed']")).toBeUndefined();
  });

  test("Z16: is replaced by an explanation in a page of another origin, and in a page without origin", async () => {
    const { key } = await newKey();
    const body = '<sandbar-cluster template="empty"></sandbar-cluster>';
    site.put("/other", themes.plain({ head: script(key), body }));
    const context = await visitor({ locale: "en-GB" });
    const page = await visit(context, "/other", site.otherOrigin);
    const frame = page.frameLocator("sandbar-cluster iframe");
    await frame.getByText(`its publishable key is not for pages of ${site.otherOrigin}`).waitFor();
    expect(await nextEvent(page, "refused")).toMatchObject([{ code: "not_shown" }]);
    site.put(
      "/silent",
      `<meta name="referrer" content="no-referrer"><iframe src="${service.http}/embed/${key}?template=empty&language=de"></iframe>`,
    );
    const silent = await visit(context, "/silent");
    await silent.frameLocator("iframe").getByText("die Seite sagt nicht, wo sie steht", { exact: false }).waitFor();
    // An element says it in any case.
    site.put("/quiet", themes.plain({ head: `<meta name="referrer" content="no-referrer">${script(key)}`, body }));
    await nextEvent(await visit(context, "/quiet"), "ready");
    const alone = await visit(context, `/embed/${key}?template=empty`, service.http);
    await alone.getByText("made to be shown within a page").waitFor();
  });

  test("Z16: is not shown in an allowed page inside another origin's page", async () => {
    const { key } = await newKey();
    site.put(
      "/inner",
      themes.plain({ head: script(key), body: '<sandbar-cluster template="empty"></sandbar-cluster>' }),
    );
    site.put("/outer", `<iframe src="${site.origin}/inner"></iframe>`);
    const page = await (await visitor()).newPage();
    const refusals: string[] = [];
    page.on("console", (message) => {
      if (message.text().includes("frame-ancestors")) refusals.push(message.text());
    });
    await page.goto(`${site.otherOrigin}/outer`);
    await expect.poll(() => refusals.length).toBeGreaterThan(0);
  });

  test("Z13: past the key's limits is replaced by an explanation, and the page receives an event", async () => {
    const { key } = await newKey({ limits: { atOnce: 1 } });
    site.put(
      "/full",
      themes.plain({ head: script(key), body: '<sandbar-cluster template="empty" language="de"></sandbar-cluster>' }),
    );
    await nextEvent(await visit(await visitor(), "/full"), "ready");
    const page = await visit(await visitor(), "/full");
    await page.frameLocator("iframe").getByText("kein Cluster für dich übrig").waitFor();
    expect(await nextEvent(page, "refused")).toMatchObject([
      { code: "limit_reached", message: expect.stringContaining("atOnce") },
    ]);
  });

  test("Z19: at its expiry sends an event to the page, and the visitor starts another one", async () => {
    const { key } = await newKey({ ttlSeconds: 10 });
    site.put(
      "/end",
      themes.plain({ head: script(key), body: '<sandbar-cluster template="empty" panes="live"></sandbar-cluster>' }),
    );
    const page = await visit(await visitor({ locale: "en-GB" }), "/end");
    const first = await sandboxOf(page);
    await nextEvent(page, "expired");
    await page.frameLocator("iframe").getByRole("button", { name: "Start a new one" }).click();
    await page.waitForFunction("window.told.ready.length === 2");
    expect(await page.evaluate("window.told.ready[1]")).toMatchObject({ isNew: true });
    expect(await page.evaluate("window.told.ready[1].sandbox.id")).not.toBe(first);
  });

  test("Z19: stacks its panes on a phone, and is not wider than the screen", async () => {
    const { key } = await newKey();
    site.put(
      "/phone",
      themes.docusaurus({
        head: script(key),
        body: '<sandbar-cluster template="guestbook" panes="live terminal"></sandbar-cluster>',
      }),
    );
    const page = await visit(await visitor(devices["iPhone 13"]), "/phone");
    const frame = page.frameLocator("sandbar-cluster iframe");
    await frame.getByText("Live", { exact: true }).first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await frame.locator("html").evaluate(isTooWide)).toBe(false);
    expect(await frame.locator("[data-pane=live]").isVisible()).toBe(true);
    await frame.getByRole("tab", { name: "Terminal" }).click();
    expect(await frame.locator("[data-pane=live]").isVisible()).toBe(false);
  });

  test.each(["light", "dark"] as const)("Z19: has no accessibility violations, in the %s", async (theme) => {
    const { key } = await newKey();
    const body = `<sandbar-cluster template="guestbook" theme="${theme}"></sandbar-cluster>`;
    site.put("/axe", themes.plain({ head: script(key), body }));
    const page = await visit(await visitor(), "/axe");
    await page.frameLocator("iframe").getByText("Live", { exact: true }).first().waitFor();
    const frame = page.frames().find((frame) => frame.url().startsWith(service.http));
    const violations = frame && (await violationsOn(frame, theme === "dark"));
    const violationLines = violations?.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    expect(violationLines).toEqual([]);
  });

  test("Z15: runs a lesson for a visitor, and sends each passed step to the page", async () => {
    const published = await control(service, "/v1/lessons", { method: "POST", body: JSON.stringify(lesson) });
    expect(published.status, await published.text()).toBe(201);
    const { name } = lesson;
    const { key } = await newKey({ lessons: [name], templates: [] });
    const body = `<sandbar-lesson id="${name}" panes="lesson live"></sandbar-lesson><sandbar-check lesson="${name}"></sandbar-check>`;
    site.put("/lesson", themes.plain({ head: script(key), body }));
    const page = await visit(await visitor({ locale: "en-GB" }), "/lesson");
    const frame = page.frameLocator("sandbar-lesson iframe");
    await frame.getByRole("heading", { level: 2 }).first().waitFor();
    await frame.getByRole("button", { name: "Check" }).click();
    await frame.locator(".results .bad").first().waitFor();
    // What is written in a page stays a text, and a link leads nowhere but to the web.
    expect(await frame.locator(".markdown img, .markdown a").count()).toBe(0);
    const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hello, namespace: default}\n";
    await page.evaluate(`document.querySelector("sandbar-lesson").apply(${JSON.stringify(manifest)})`);
    expect(await page.evaluate('document.querySelector("sandbar-lesson").check()')).toMatchObject({
      step: 2,
      points: 1,
    });
    expect(await nextEvent(page, "step-passed")).toMatchObject([
      { lesson: name, step: 1, isFinished: false, from: "sandbar-lesson" },
    ]);
    await page.locator("sandbar-check").scrollIntoViewIfNeeded();
    await page.frameLocator("sandbar-check iframe").getByText("Step 2/").waitFor();
    await expect.poll(async () => (await page.locator("sandbar-check").boundingBox())?.height).toBeLessThan(200);
  });
});

const lesson = {
  name: "embedded",
  title: "Embedded",
  steps: [
    {
      title: "One",
      text: "## Make it\n\nA *ConfigMap* `hello`. <img src=x onerror=alert(1)> [no](javascript:alert(1))\n",
      checks: [
        {
          name: "It is there",
          points: 1,
          hint: "kubectl create configmap hello",
          expression: 'found("v1", "ConfigMap", "default", "hello")',
        },
      ],
    },
    { title: "Two", text: "Done.", checks: [{ name: "b", points: 1, hint: "", expression: "false" }] },
  ],
};

const mapped = `--host-resolver-rules=MAP ${unsafeName} 127.0.0.1`;

/** The style properties of an element that tests read in pages. */
interface Styled {
  readonly style: { getPropertyValue(name: string): string };
}

declare function getComputedStyle(element: Styled): { readonly colorScheme: string; readonly borderTopWidth: string };

function isTooWide(element: unknown): boolean {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number };
  return scrollWidth > clientWidth;
}

function borderOf(element: unknown): string {
  return getComputedStyle(element as Styled).borderTopWidth;
}

/** Reports whether the frame may set cookies that are not partitioned to this page. */
function setsCookie(element: unknown): boolean {
  const { ownerDocument: page } = element as { ownerDocument: { cookie: string } };
  page.cookie = "third-party=yes; SameSite=None; Secure; Path=/embed";
  return page.cookie.includes("third-party=yes");
}
