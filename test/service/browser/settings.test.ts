// The console's pages of versions, imports, exports, single sign-on and e-mailed invitations, with a provider and a mail service of the test.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchBrowser, warnWithoutChromium } from "../chromium.ts";
import { control, newSandbox } from "../sandbox.ts";
import { type RunningService, startService } from "../service.ts";
import { type Visit, visitConsole } from "./objects-browser.ts";

warnWithoutChromium("the console's settings");

const exported = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: prices, namespace: default}, data: {apple: "3"}}
- {apiVersion: example.com/v1, kind: Gadget, metadata: {name: lost, namespace: default}}
`;

/** A server that is a provider's metadata and a mail service. */
async function startOutside() {
  const mails: { readonly to: string; readonly url: string }[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/mail") {
      void text(request).then((body) => {
        mails.push(JSON.parse(body) as (typeof mails)[number]);
        response.writeHead(202).end();
      });
      return;
    }
    const isMetadata = request.url === "/.well-known/openid-configuration";
    response.writeHead(isMetadata ? 200 : 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        issuer: url,
        authorization_endpoint: `${url}/a`,
        token_endpoint: `${url}/t`,
        jwks_uri: `${url}/k`,
      }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const url = `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  return { url, mails, stop: () => server.close() };
}

describe.skipIf(!hasChromium)("the console's settings", () => {
  let service: RunningService;
  let browser: Browser;
  let visit: Visit;
  let outside: Awaited<ReturnType<typeof startOutside>>;

  beforeAll(async () => {
    outside = await startOutside();
    const mail = { url: `${outside.url}/mail`, body: { to: "{to}", url: "{url}" } };
    const environment = { SANDBAR_MAIL: JSON.stringify(mail), SANDBAR_KUBELET_DELAYS: "zero" };
    service = await startService({ environment });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    outside?.stop();
  });
  afterEach(async () => {
    expect(visit?.errors).toEqual([]);
    await visit?.context.close();
  });

  async function open(place: string): Promise<Page> {
    visit = await visitConsole(browser, service.address, place);
    return visit.page;
  }

  test("a sandbox is created with an older version, and upgraded while its nodes are shown", async () => {
    const page = await open("#/new");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("older");
    await dialog.getByLabel("Nodes").fill("1");
    await dialog.getByLabel("Kubernetes version").selectOption("1.35");
    expect(await dialog.locator(".command code").innerText()).toContain("--kubernetes-version 1.35");
    await dialog.getByRole("button", { name: "Create sandbox" }).click();
    const facts = page.locator(".titled .facts");
    await facts.getByText("Kubernetes 1.35").waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("button", { name: "Upgrade to 1.36" }).count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Upgrade to 1.36" }).click();
    expect(await dialog.locator(".command code").innerText()).toContain("--kubernetes-version 1.36");
    await dialog.getByRole("button", { name: "Upgrade to 1.36" }).click();
    await dialog.getByText("The API server and all nodes have 1.36.").waitFor();
    await dialog.getByText("v1.36.0").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await facts.getByText("Kubernetes 1.36").waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    expect(await page.getByRole("button", { name: /^Upgrade/ }).count()).toBe(0);
  });

  test("a file of another cluster is imported, and what was left out is listed; a state is exported and imported", async () => {
    const page = await open("#/import");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByText("Choose a file first.").waitFor();
    const gzipped = gzipSync(exported);
    await dialog
      .getByLabel("File")
      .setInputFiles({ name: "shop.yaml.gz", mimeType: "application/gzip", buffer: gzipped });
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("shop");
    await dialog.getByLabel("Nodes").fill("-1");
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByRole("alert").filter({ hasText: "must be at least 0" }).waitFor();
    await dialog.getByLabel("Nodes").fill("0");
    expect(await dialog.locator(".command code").innerText()).toMatch(
      /^gunzip -c shop\.yaml\.gz \| sandbar create --name shop --ttl 86400s --nodes 0 --kubernetes-version 1\.36 --import - --server /,
    );
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByText("1 object was left out or changed.").waitFor();
    await dialog.getByText("Gadget default/lost").waitFor();
    await dialog.getByRole("button", { name: "Open the sandbox" }).click();
    await page.getByRole("heading", { name: "shop" }).waitFor();

    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Export" }).click();
    const yaml = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download YAML" }).click();
    expect(readFileSync(await (await yaml).path(), "utf8")).toContain("apple");
    await dialog.getByRole("button", { name: "Saved as a file" }).waitFor();
    await dialog.getByRole("button", { name: "Download YAML" }).waitFor();
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download state" }).click();
    const state = readFileSync(await (await saved).path());
    await page.goto(`${service.address.http}/#/import`);
    await dialog.getByLabel("File").setInputFiles({ name: "copy.sandbar-state", mimeType: "", buffer: state });
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("heading", { name: "copy" }).waitFor();
  });

  test("an import shows how much is sent and can be cancelled, and a file that is too large is not sent", async () => {
    await newSandbox({ name: "remains", nodes: 0 }, service.address);
    const page = await open("#/import");
    const dialog = page.getByRole("dialog");
    const choose = (bytes: number) =>
      page.evaluate(
        `(() => {
          const files = new DataTransfer();
          files.items.add(new File([new Uint8Array(${bytes}).fill(35)], "large.yaml"));
          document.querySelector(".file-drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
        })()`,
      );
    await dialog.getByLabel("File").waitFor();
    await choose(65 * 1024 * 1024);
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByRole("alert").filter({ hasText: "The file has 65 MiB, and an import at most 64 MiB." }).waitFor();
    const devTools = await visit.context.newCDPSession(page);
    await devTools.send("Network.enable");
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1024 * 1024 };
    await devTools.send("Network.emulateNetworkConditions", slow);
    await choose(20 * 1024 * 1024);
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByRole("meter", { name: "Sent" }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.locator("tr[data-name=remains]").waitFor();
    const answer = (await (await control(service.address, "/v1/sandboxes")).json()) as {
      sandboxes: { name: string }[];
    };
    expect(answer.sandboxes.map(({ name }) => name)).not.toContain("large");
  });

  test("a provider is set after its metadata is read, changed and removed, and a SCIM token works at the shown address", async () => {
    const page = await open("#/sign-on");
    const dialog = page.getByRole("dialog");
    await page.getByText("/v1/sign-in/sso/callback").waitFor();
    await page.getByRole("link", { name: "Set up a provider" }).click();
    await dialog.getByLabel("Issuer").fill(`${outside.url}/nowhere`);
    await dialog.getByLabel("Client ID").fill("sandbar");
    await dialog.getByLabel("Client secret").fill("hidden");
    await dialog.getByLabel("Domains").fill("example.org\nexample.com");
    await dialog.getByLabel("Roles of groups").fill("platform team = captain");
    expect(await dialog.locator(".command code").innerText()).not.toContain("hidden");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").filter({ hasText: "owner" }).waitFor();
    await dialog.getByLabel("Roles of groups").fill("platform team = owner");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator(".field", { hasText: "Issuer" }).getByRole("alert").waitFor();
    await dialog.getByLabel("Issuer").fill(outside.url);
    await dialog.getByRole("button", { name: "Save" }).click();
    const provider = page.getByRole("region", { name: "Identity provider" });
    await provider.getByText("platform team = owner").waitFor();
    await provider.getByText("example.org, example.com").waitFor();
    await page.getByText("/v1/sign-in/sso?tenant=local").waitFor();

    await page.getByRole("link", { name: "Change" }).click();
    await dialog.getByText("Empty keeps the stored one.").waitFor();
    await dialog.getByLabel("Client ID").fill("another");
    await dialog.getByText("Empty for a public client").waitFor();
    await dialog.getByLabel("Client ID").fill("sandbar");
    await dialog.getByLabel("Role of members").selectOption("viewer");
    await dialog.getByLabel("New people become members").uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await provider.getByText("only whom SCIM has provisioned").waitFor();
    await provider.getByText("stored").waitFor();

    const scim = page.getByRole("region", { name: /SCIM/ });
    const address = await scim.locator("code").first().innerText();
    await scim.getByRole("link", { name: "Create SCIM token" }).click();
    await dialog.getByRole("button", { name: "Create SCIM token" }).click();
    const token = await dialog.getByText(/^sbk_/).innerText();
    const users = await fetch(`${address}/Users`, { headers: { authorization: `Bearer ${token}` } });
    expect([users.status, await users.json()]).toMatchObject([200, { totalResults: 0 }]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await scim.getByText(/^scim/).waitFor();

    await page.getByRole("link", { name: "End single sign-on" }).click();
    await dialog.getByRole("button", { name: "End single sign-on" }).click();
    await page.getByRole("link", { name: "Set up a provider" }).waitFor();
    expect((await control(service.address, "/v1/tenant/sso")).status).toBe(404);
  });

  test("an invitation is sent by e-mail with its link, and everything that is stored is downloaded", async () => {
    const page = await open("#/members");
    await page.getByLabel("E-mail address").fill("nobody");
    await page.getByRole("button", { name: "Invite a member" }).click();
    await page.getByRole("alert").filter({ hasText: "must be an e-mail address" }).waitFor();
    await page.getByLabel("E-mail address").fill("eve@example.org");
    await page.getByLabel("Role of the invited member").selectOption("viewer");
    await page.getByRole("button", { name: "Invite a member" }).click();
    await page.getByText("It is also sent to eve@example.org.").waitFor();
    const link = await page.locator(".notice code").innerText();
    await page.locator("tr[data-name='eve@example.org']").getByText("e-mail sent").waitFor();
    expect(outside.mails).toEqual([{ to: "eve@example.org", url: link }]);

    await page.goto(`${service.address.http}/#/organisation`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download archive" }).click();
    const archive = await saved;
    expect(archive.suggestedFilename()).toBe("local.tar");
    expect(
      readFileSync(await archive.path())
        .subarray(257, 262)
        .toString(),
    ).toBe("ustar");
  });
});
