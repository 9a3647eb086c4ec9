// Tests how people sign in at the console, in a real browser on the real service: the link that the start prints, passkeys of Chromium's
// authenticator, and a fake GitHub. Tests keys and members.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "./chromium.ts";
import { control as askControl } from "./sandbox.ts";
import { type RunningService, startService } from "./service.ts";

warnWithoutChromium("people at the console");

describe.skipIf(!hasChromium)("accounts in the console", () => {
  let service: RunningService;
  let browser: Browser;
  let context: BrowserContext;
  let github: Server;
  /** A passkey belongs to a name, not to an address. */
  let base = "";

  beforeAll(async () => {
    github = await startGithub();
    const at = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
    service = await startService({
      environment: {
        SANDBAR_GITHUB_CLIENT_ID: "id",
        SANDBAR_GITHUB_CLIENT_SECRET: "secret",
        SANDBAR_GITHUB_URL: at,
        SANDBAR_GITHUB_API: at,
      },
    });
    base = `http://localhost:${service.address.httpPort}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    github?.close();
  });
  afterEach(() => context?.close());

  async function visit(path: string): Promise<Page> {
    context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(base + path);
    return page;
  }

  async function invited(role: string): Promise<string> {
    const answer = await askControl(service.address, "/v1/invitations", {
      method: "POST",
      body: JSON.stringify({ role }),
    });
    return ((await answer.json()) as { code: string }).code;
  }

  /** Opens the link that the start printed, in a fresh browser context. */
  async function visitLink(link: string): Promise<{ readonly page: Page; readonly requestedUrls: string[] }> {
    await context?.close();
    context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const requestedUrls: string[] = [];
    page.on("request", (request) => void requestedUrls.push(request.url()));
    await page.goto(link);
    return { page, requestedUrls };
  }

  // The first test, because the link is valid for ten minutes after the start.
  test("H2: the printed link signs in once, and appears neither in the address nor in a request", async () => {
    const [link = "", secret = ""] = /http:\/\/localhost:\d+\/#\/link\/([0-9a-f]{48})$/m.exec(service.output()) ?? [];
    const { page, requestedUrls } = await visitLink(link);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
    expect(
      requestedUrls.filter((url) => new URL(url).pathname + new URL(url).search !== "/" && url.includes(secret)),
    ).toEqual([]);
    // The session outlives the page, as a key does.
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    const again = await visitLink(link);
    await again.page.getByText("the link has been used, or is too old").waitFor();
    await again.page.getByLabel("API key").waitFor();
    expect(service.output().split(secret).length).toBe(2);
  });

  test("O6: an invited person joins with a passkey, signs out, and signs in with it", async () => {
    const page = await visit(`/#/join/${await invited("owner")}`);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Join with a passkey" }).click();
    await page.getByRole("heading", { name: "Sandboxes" }).waitFor();
    await page.getByText("Ada", { exact: true }).waitFor();
    expect(await page.evaluate("document.cookie + sessionStorage.length")).toBe("0");
    await page.reload();
    await page.getByRole("heading", { name: "Sandboxes" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("Ada", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Ada" }).click();
    await page.locator("tr[data-kind=passkey]").waitFor();
    expect(await page.locator("tr[data-kind=session]").count()).toBe(1);
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("it is your only way to sign in").waitFor();
    await page.getByRole("link", { name: "Sandbar" }).click();

    // What a session makes, and what it shows.
    await page.getByRole("button", { name: "New sandbox" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("adas");
    await page.getByRole("button", { name: "Create sandbox" }).click();
    await page.getByRole("heading", { name: "adas" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();

    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("link", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("for ci");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await page.getByText(/^sbk_[a-z2-7]{48}$/).innerText();
    const list = () => askControl(service.address, "/v1/sandboxes", { headers: { authorization: `Bearer ${key}` } });
    expect((await list()).status).toBe(200);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Revoke for ci" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.locator("tr[data-name='for ci']").waitFor({ state: "detached" });
    expect((await list()).status).toBe(401);

    await page.getByRole("link", { name: "Members" }).click();
    await page.locator("tr[data-name=Ada]").waitFor();
    await page.getByLabel("Role of the invited member").selectOption("viewer");
    await page.getByRole("button", { name: "Invite a member" }).click();
    await page.getByText(/#\/join\/sbi_[a-z2-7]{51}/).waitFor();
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("button", { name: "Withdraw" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove Ada" }).click();
    await page.getByRole("button", { name: "Remove member" }).click();
    await page.getByText("the organisation would have no owner").waitFor();
  });

  test("O6: an invited person joins by GitHub, and a viewer has no buttons for changes", async () => {
    const page = await visit(`/#/join/${await invited("viewer")}`);
    await page.getByRole("link", { name: "Sign in with GitHub" }).click();
    await page.getByText("Grace", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Sandboxes" }).waitFor();
    await page.locator("tr[data-name=playground]").waitFor();
    expect(await page.getByRole("button", { name: /New sandbox|kubeconfig|Delete|Embed/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0);
    await page.getByRole("link", { name: "playground" }).click();
    await page.getByText("Live", { exact: true }).waitFor();

    // A person who is deleted is signed out, and nobody by that account any more.
    await page.getByRole("link", { name: "Grace" }).click();
    await page.getByRole("link", { name: "Delete account" }).click();
    expect(page.url()).toContain("#/account/delete");
    await page.getByRole("button", { name: "Delete account", exact: true }).click();
    await page.getByLabel("API key").waitFor();
    await page.getByRole("link", { name: "Sign in with GitHub" }).click();
    await page.getByRole("alert").filter({ hasText: "Ask for an invitation" }).waitFor();
  });

  test("O5: an invalid invitation is explained, also on the way back from GitHub", async () => {
    const page = await visit(`/#/join/sbi_${"a".repeat(51)}`);
    await page.getByLabel("Your name").fill("Eve");
    await page.getByRole("button", { name: "Join with a passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "there is no such invitation" }).waitFor();
    await page.goto(`${base}/v1/sign-in/github/callback?code=x&state=y`);
    await page.getByRole("alert").filter({ hasText: "Signing in did not work" }).waitFor();
  });
});

/** Starts a fake GitHub that signs everybody in as one person. */
async function startGithub(): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    if (url.pathname === "/login/oauth/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code: "right", state: url.searchParams.get("state") ?? "" }).toString();
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const isToken = url.pathname === "/login/oauth/access_token";
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(isToken ? { access_token: "gho_x" } : { id: 7, login: "grace", name: "Grace" }));
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return server;
}
