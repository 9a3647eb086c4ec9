// A browser that is signed in to the console: what it notes as errors, what axe finds, and objects for it to show.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { projectRoot, type ServiceAddress } from "../service.ts";
import type { TestSandbox } from "../sandbox.ts";

export const chromiumPath = process.env.CHROMIUM || "/usr/bin/chromium";
export const hasChromium = existsSync(chromiumPath);

export function launchBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run"];
  return chromium.launch({ executablePath: chromiumPath, args });
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser's console noted as errors so far, and what was thrown. */
  readonly errors: string[];
}

/** Signed in by the service's key, at a place of the console such as `#/sandboxes/…`. */
export async function visitConsole(
  browser: Browser,
  service: ServiceAddress,
  place: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const errors = trackErrors(page);
  await page.goto(service.http);
  await page.getByLabel("API key").fill(service.apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out", includeHidden: true }).waitFor({ state: "attached" });
  await page.goto(`${service.http}/${place}`);
  return { context, page, errors };
}

/** What the browser's console notes as errors from now on, and what is thrown. */
export function trackErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  return errors;
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds serious or critical on the page as it is; `ofColours` alone, where all else was looked at in another theme. */
export async function seriousViolations(page: Page, ofColours = false): Promise<string[]> {
  await page.evaluate(readFileSync(join(projectRoot, "node_modules/axe-core/axe.min.js"), "utf8"));
  const options = ofColours ? "{ runOnly: ['color-contrast'] }" : "{ resultTypes: ['violations'] }";
  const found = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${options})`);
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120) ?? ""}`);
}

export type Send = (path: string, method: string, body?: object) => Promise<void>;

/** Throws where it is refused. */
export function sendTo(sandbox: TestSandbox): Send {
  return async (path, method, body) => {
    const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const answer = await sandbox.fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  };
}

export function deployment(name: string, replicas: number, container: object = {}): object {
  const labels = { app: name };
  const containers = [{ name: "main", image: "nginx", ...container }];
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

/** A kind with columns of its own. */
export const widgetDefinition = {
  metadata: { name: "widgets.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { colour: { type: "string", enum: ["red", "blue"] }, size: { type: "integer" } },
              },
            },
          },
        },
        additionalPrinterColumns: [
          { name: "Colour", type: "string", jsonPath: ".spec.colour" },
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
        ],
      },
    ],
  },
};
