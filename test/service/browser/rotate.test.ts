// The button of the console that replaces a sandbox's token, in a real browser on the real service: asked twice, and the page goes on.
import { expect, test } from "vitest";
import { hasChromium, launchBrowser } from "../chromium.ts";
import { control, newSandbox } from "../sandbox.ts";
import { startService } from "../service.ts";

test.skipIf(!hasChromium)("the page asks first, shows the new kubeconfig and follows its sandbox on", async () => {
  await using cleanup = new AsyncDisposableStack();
  const service = cleanup.adopt(await startService({ environment: { SANDBAR_KUBELET_DELAYS: "zero" } }), (one) =>
    one.stop().then(() => undefined),
  );
  const browser = cleanup.adopt(await launchBrowser(), (one) => one.close());
  const sandbox = await newSandbox({ name: "story" }, service.address);
  const get = async (token: string, path = "/api/v1/namespaces/default/configmaps", init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await fetch(`${service.address.http}/c/${sandbox.id}${path}`, { ...init, headers })).status;
  };
  const shownToken = async () =>
    ((await (await control(service.address, `/v1/sandboxes/${sandbox.id}`)).json()) as { token: string }).token;
  const old = await shownToken();
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto(`${service.address.http}/`);
  await page.getByLabel("API key").fill(service.address.apiKey);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "story", exact: true }).click();
  await page.getByRole("button", { name: "Replace token", exact: true }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.textContent()).toContain("client certificates");
  expect(await dialog.textContent()).toContain(`sandbar rotate ${sandbox.id}`);
  await dialog.getByRole("button", { name: "Keep it" }).click();
  expect(await get(old)).toBe(200);
  await page.getByRole("button", { name: "Replace token", exact: true }).click();
  await dialog.getByRole("button", { name: "Replace token", exact: true }).click();
  await dialog.getByText("The token was replaced.").waitFor();
  await dialog.getByRole("button", { name: "Copy kubeconfig" }).click();
  const token = await shownToken();
  expect([token === old, await get(old), await get(token)]).toEqual([false, 401, 200]);
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain(token);
  await dialog.getByRole("button", { name: "Done" }).click();
  // Its watches ended with the token before: the page has the new one by itself, and shows what is written from then on.
  const pod = { metadata: { name: "afterwards" }, spec: { containers: [{ name: "a", image: "nginx" }] } };
  const created = await get(token, "/api/v1/namespaces/default/pods", { method: "POST", body: JSON.stringify(pod) });
  expect(created).toBe(201);
  await page.getByText("afterwards").first().waitFor();
});
