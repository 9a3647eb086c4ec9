// A learner and a teacher come from a learning management system's page of another site, in a real browser that keeps no third party's cookies.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { Sandbar } from "../../client/index.ts";
import { hasChromium, launchBrowser, patienceMs } from "./chromium.ts";

const service = inject("service");
const require = createRequire(import.meta.url);
const spec = "https://purl.imsglobal.org/spec";
const patience = patienceMs;

/** The other host name of the same machine, which is another site. */
const otherHost = new URL(service.http).hostname === "localhost" ? "127.0.0.1" : "localhost";

interface Platform {
  readonly origin: string;
  readonly scores: Record<string, unknown>[];
  /** True if the course's page stores values for the windows that it embeds. */
  keeps: boolean;
  role: "Learner" | "Instructor";
  stop(): void;
}

async function newPlatform(): Promise<Platform> {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "k", alg: "RS256", use: "sig" };
  const idToken = async (query: URLSearchParams) => {
    const seconds = Math.floor(Date.now() / 1000);
    const claim = (name: string) => `${spec}/lti/claim/${name}`;
    return new SignJWT({
      ...{
        iss: platform.origin,
        aud: "client",
        sub: platform.role,
        nonce: query.get("nonce"),
        name: `Ann ${platform.role}`,
      },
      ...{ iat: seconds, exp: seconds + 60 },
      [claim("message_type")]: "LtiResourceLinkRequest",
      [claim("version")]: "1.3.0",
      [claim("deployment_id")]: "1",
      [claim("roles")]: [`http://purl.imsglobal.org/vocab/lis/v2/membership#${platform.role}`],
      [claim("resource_link")]: { id: "link" },
      [claim("custom")]: { lesson: "from-a-course" },
      [`${spec}/lti-ags/claim/endpoint`]: {
        scope: [`${spec}/lti-ags/scope/score`],
        lineitem: `${platform.origin}/items/1?type_id=2`,
      },
    })
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .sign(privateKey);
  };
  const pages: Readonly<Record<string, (url: URL, body: string) => Promise<string> | string>> = {
    "/course": (url) => coursePage(url.searchParams, platform),
    "/auth": async ({ searchParams: query }) => {
      const fields = { id_token: await idToken(query), state: query.get("state") ?? "" };
      const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
      return `<form method="post" action="${query.get("redirect_uri")}">${inputs.join("")}</form><script>document.forms[0].submit()</script>`;
    },
    "/jwks": () => JSON.stringify({ keys: [jwk] }),
    "/token": () => JSON.stringify({ access_token: "granted", token_type: "Bearer", expires_in: 60 }),
    "/items/1/scores": (_, body) => {
      platform.scores.push(JSON.parse(body) as Record<string, unknown>);
      return "{}";
    },
  };
  const server: Server = createServer((request, response) => {
    void textOf(request).then(async (body) => {
      const url = new URL(request.url ?? "/", "http://platform");
      const page = pages[url.pathname];
      const isJson = !["/course", "/auth"].includes(url.pathname);
      response.writeHead(page ? 200 : 404, { "content-type": isJson ? "application/json" : "text/html" });
      response.end(await page?.(url, body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const platform: Platform = {
    origin: `http://${otherHost}:${port}`,
    scores: [],
    keeps: false,
    role: "Learner",
    stop: () => server.close(),
  };
  return platform;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A course page with the tool in a frame. If `keeps` is set, it stores data for the tool. */
function coursePage(query: URLSearchParams, { keeps, origin }: Platform): string {
  const login = new URL(query.get("login") ?? "");
  const parameters = { iss: origin, client_id: "client", login_hint: "17", target_link_uri: login.origin };
  for (const [name, value] of Object.entries(parameters)) login.searchParams.set(name, value);
  if (keeps) login.searchParams.set("lti_storage_target", "_parent");
  const storage = `const kept = {}; addEventListener("message", ({ data, source, origin }) => {
    if (data.subject === "lti.put_data") kept[origin + data.key] = data.value;
    if (!/^lti\\.(put|get)_data$/.test(data.subject)) return;
    source.postMessage({ subject: data.subject + ".response", message_id: data.message_id, key: data.key, value: kept[origin + data.key] }, origin);
  });`;
  return `<h1>A course</h1><script>${keeps ? storage : ""}</script><iframe width="800" height="600" src="${login.href.replaceAll("&", "&amp;")}"></iframe>`;
}

describe.skipIf(!hasChromium)("a course page of a learning platform", () => {
  const client = new Sandbar({ url: service.http, key: service.apiKey });
  let browser: Browser;
  let context: BrowserContext;
  let platform: Platform;

  beforeAll(async () => {
    browser = await launchBrowser("--test-third-party-cookie-phaseout");
    platform = await newPlatform();
    const step = {
      title: "One",
      text: "# One",
      checks: [
        { name: "a", points: 1, hint: "", expression: "true" },
        { name: "b", points: 2, hint: "", expression: 'found("v1", "ConfigMap", "default", "made")' },
      ],
      solution: [{ apply: "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: default}}" }],
    };
    await client.publishLesson({ name: "from-a-course", title: "From a course", steps: [step] });
    const [authorizationUrl, tokenUrl, jwksUrl] = ["auth", "token", "jwks"].map(
      (endpoint) => `${platform.origin}/${endpoint}`,
    );
    await client.lti.createLtiPlatform({
      name: "A course",
      issuer: platform.origin,
      clientId: "client",
      authorizationUrl: authorizationUrl ?? "",
      tokenUrl: tokenUrl ?? "",
      jwksUrl: jwksUrl ?? "",
      deployments: ["1"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    platform?.stop();
  });
  afterEach(() => context?.close());

  async function visit(hasCookies = true): Promise<Page> {
    context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    // A browser that keeps nothing for a page within another site's.
    const forgetful = `if (window.top !== window) Object.defineProperty(Document.prototype, "cookie", { get: () => "", set: () => {} });`;
    if (!hasCookies) await context.addInitScript(forgetful);
    const page = await context.newPage();
    const { loginUrl } = await client.lti.getLtiTool();
    await page.goto(`${platform.origin}/course?login=${encodeURIComponent(loginUrl)}`);
    return page;
  }

  async function frameAt(page: Page, path: RegExp): Promise<Frame> {
    await expect
      .poll(
        () =>
          page
            .frames()
            .map((frame) => new URL(frame.url(), "about:blank").href)
            .join(" "),
        { timeout: patience },
      )
      .toMatch(path);
    const frame = page.frames().find((frame) => path.test(frame.url()));
    if (!frame) throw new Error("the frame went on");
    return frame;
  }

  const learnersPage = /\/(view|learn)\/\w+\?frame=/;

  test("D1 D3: opens the learner's page in a frame, and receives points", async () => {
    platform.keeps = false;
    const frame = await frameAt(await visit(), learnersPage);
    await frame.waitForSelector("#app *");
    const { results } = await client.listResults("from-a-course");
    expect(results).toMatchObject([{ learner: "Ann Learner", state: "running" }]);
    await client.checkRun("from-a-course", results[0]?.run ?? "");
    const score = { userId: "Learner", scoreGiven: 1, scoreMaximum: 3, activityProgress: "InProgress" };
    await expect.poll(() => platform.scores, { timeout: patience }).toMatchObject([score]);
    const [listed] = (await client.lti.listLtiPlatforms()).platforms.slice(-1);
    await expect
      .poll(async () => (await client.lti.listLtiScores(listed?.id ?? "")).deliveries, { timeout: patience })
      .toMatchObject([{ type: "lti.score", state: "delivered", status: 200 }]);
  });

  test("D1: stores the login state if the frame has no cookies", async () => {
    platform.keeps = true;
    await frameAt(await visit(false), learnersPage);
    expect((await client.listResults("from-a-course")).results).toHaveLength(1);
  });

  test("D1: opens the lesson in a window without cookies and storage", async () => {
    platform.keeps = false;
    const page = await visit(false);
    const frame = await frameAt(page, /\/lti\/\w+\/login/);
    const opened = context.waitForEvent("page");
    await frame.click("text=Open the lesson in a new window");
    const window = await opened;
    await window.waitForURL(learnersPage, { timeout: patience });
  });

  test("D3: shows a teacher the learner and the learner's sandbox", async () => {
    platform.role = "Instructor";
    const page = await visit();
    const frame = await frameAt(page, /\/lti\/\w+\/launch/);
    await frame.waitForSelector("text=Ann Learner");
    await frame.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
    const violations = await frame.evaluate<{ id: string; impact: string }[]>(
      "axe.run().then(({ violations }) => violations)",
    );
    expect(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id }) => id)).toEqual([]);
    await frame.click("text=Watch");
    await frameAt(page, /\/view\/\w+\?frame=/);
    platform.role = "Learner";
  });
});
