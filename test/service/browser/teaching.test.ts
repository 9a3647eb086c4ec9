// The console's pages for teachers and authors in a real browser: publishable keys, learning platforms and classes. The browser's log has
// no error after any refusal.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Sandbar } from "../../../client/index.ts";
import { seriousViolations } from "./accessible.ts";
import { hasChromium, launchBrowser, warnWithoutChromium } from "../chromium.ts";
import { serviceOf } from "../tenants.ts";
import { trackErrors, type Visit, visitConsole } from "./objects-browser.ts";

warnWithoutChromium("the pages for teachers");

describe.skipIf(!hasChromium)("the console's pages for teachers", () => {
  const service = serviceOf("teaching");
  let browser: Browser;
  let visit: Visit;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async () => {
    await visit?.context.close();
  });

  test("Z8: a publishable key is created, shown with its snippet for a page, and revoked", async () => {
    visit = await visitConsole(browser, service, "#/publishable-keys");
    const { page } = visit;
    await page.getByText("No publishable keys yet.").waitFor();
    await page.getByRole("link", { name: "New publishable key" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("docs");
    await form.getByLabel("Origins").fill("docs.example.org");
    await form.getByLabel("Templates").fill("guestbook\nthree-nodes@1");
    await form.getByLabel("Clusters at once").fill("5");
    await form.getByRole("button", { name: "Create key" }).click();
    await form.getByRole("alert").filter({ hasText: "must be an origin" }).waitFor();
    expect(await form.getByLabel("Origins").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Origins").fill("https://docs.example.org");
    expect(await form.locator(".command code").innerText()).toContain('"atOnce":5');
    expect(await seriousViolations(page)).toEqual([]);
    await form.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "docs", exact: true }).waitFor();
    const key = new URL(page.url()).hash.split("/").at(-1) ?? "";
    expect(key).toMatch(/^pk_/);
    const snippet = await page.getByLabel("For your page").innerText();
    expect(snippet).toContain(`${service.http}/embed.js?key=${key}`);
    expect(snippet).toContain('<sandbar-cluster template="three-nodes@1">');
    expect(await page.getByLabel("Without a script").innerText()).toContain(`/embed/${key}?template=guestbook`);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("No publishable keys yet.").waitFor();
    await page.goto(`${service.http}/#/publishable-keys/${key}`);
    await page.getByText("There is no such publishable key.").waitFor();
    expect(visit.errors).toEqual([]);
  });

  test("Z9: a learning platform is registered by hand, changed and removed, and another by a link that is shown once", async () => {
    visit = await visitConsole(browser, service, "#/lti");
    const { page } = visit;
    await page.getByText("No platforms yet.").waitFor();
    const tool = page.getByRole("region", { name: "Values for the platform" });
    await tool.getByText(`${service.http}/lti/teaching/login`).waitFor();
    await tool.getByRole("button", { name: "Copy Public keyset URL" }).waitFor();
    await page.getByRole("link", { name: "Register by hand" }).click();
    const form = page.getByRole("dialog");
    const moodle = "https://moodle.example.edu";
    const values = {
      Name: "Our Moodle",
      Issuer: moodle,
      "Client id": "Ab3",
      "Authorization address": "nowhere",
      "Token address": `${moodle}/token.php`,
      "Key set address": `${moodle}/certs.php`,
      Deployments: "2\n3",
    };
    for (const [label, value] of Object.entries(values)) await form.getByLabel(label, { exact: true }).fill(value);
    await form.getByRole("button", { name: "Register" }).click();
    await form.getByRole("alert").filter({ hasText: "must be an address" }).waitFor();
    await form.getByLabel("Authorization address").fill(`${moodle}/auth.php`);
    expect(await seriousViolations(page)).toEqual([]);
    await form.getByRole("button", { name: "Register" }).click();
    await page.getByRole("heading", { name: "Our Moodle" }).waitFor();
    await page.getByText("No scores yet.").waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await form.getByLabel("Deployments").fill("4");
    await form.getByRole("button", { name: "Change" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText("4", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: "Remove platform" }).click();
    await page.getByText("No platforms yet.").waitFor();

    await page.getByRole("link", { name: "Create link" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    await form.getByText(`${service.http}/lti/`).waitFor();
    await form.getByRole("button", { name: "Done" }).click();
    await form.waitFor({ state: "detached" });
    expect(visit.errors).toEqual([]);
  });

  test("M12: a class joins by one link: a learner enters a name, returns to the same run, and is on the board", async () => {
    const client = new Sandbar({ url: service.http, key: service.apiKey });
    const checks = [{ name: "There is one", expression: 'found("v1", "ConfigMap", "default", "one")' }];
    const steps = [{ title: "Make one", text: "# Make one", checks }];
    await client.publishLesson({ name: "by-link", title: "By a link", steps });
    visit = await visitConsole(browser, service, "#/lessons/by-link");
    const { page: teacher } = visit;
    await teacher.getByRole("button", { name: "Join links" }).click();
    await teacher.getByRole("dialog").getByText("No links yet.").waitFor();
    await teacher.getByRole("button", { name: "New link" }).click();
    const form = teacher.getByRole("dialog");
    await form.getByRole("button", { name: "Create link" }).click();
    await form.getByRole("alert").waitFor();
    await form.getByLabel("Class").fill("7b");
    await form.getByLabel("Seats").fill("2");
    expect(await seriousViolations(teacher)).toEqual([]);
    await form.getByRole("button", { name: "Create link" }).click();
    const link = await teacher.getByLabel("Link: 7b").inputValue();
    expect(await seriousViolations(teacher)).toEqual([]);
    await teacher.getByRole("button", { name: "Done" }).click();

    const learners = await browser.newContext({ viewport: { width: 375, height: 800 } });
    try {
      const learner = await learners.newPage();
      const errors = trackErrors(learner);
      await learner.goto(link);
      await learner.getByText("2 seats are left").waitFor();
      expect(await seriousViolations(learner)).toEqual([]);
      await learner.getByLabel("Your name").fill("Ann");
      await learner.getByRole("button", { name: "Begin" }).click();
      await learner.getByRole("heading", { name: "Make one" }).waitFor();
      const address = learner.url();
      await learner.goto(link);
      await learner.getByRole("button", { name: "Go on as Ann" }).click();
      await learner.getByRole("heading", { name: "Make one" }).waitFor();
      expect(learner.url()).toBe(address);
      // Somebody else at the same machine.
      await learner.goto(link);
      await learner.getByRole("button", { name: "I am somebody else" }).click();
      await learner.getByLabel("Your name").fill("ANN");
      await learner.getByRole("button", { name: "Begin" }).click();
      await learner.getByRole("alert").filter({ hasText: "Another learner in this class has this name" }).waitFor();
      const row = teacher.locator("tr[data-learner=Ann]");
      await row.getByText("by link").waitFor();

      await teacher.getByRole("button", { name: "Join links" }).click();
      await teacher.getByText("1 of 2 seats").waitFor();
      await teacher.getByRole("button", { name: "Revoke the link of 7b" }).click();
      await teacher.getByRole("button", { name: "Revoke link" }).click();
      await teacher.getByText("No links yet.").waitFor();
      await learner.goto("about:blank");
      await learner.goto(link);
      await learner.getByRole("alert").filter({ hasText: "This link was revoked" }).waitFor();
      expect([...errors, ...visit.errors]).toEqual([]);
    } finally {
      await learners.close();
    }
  });
});
