// A browser that is signed in to the console, with its error log, and objects to show.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { patienceMs } from "../chromium.ts";
import type { ServiceAddress } from "../service.ts";
import type { TestSandbox } from "../sandbox.ts";

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The errors so far: those on the browser's console and uncaught exceptions. */
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
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const errors = trackErrors(page);
  await page.goto(`${service.http}/${place}`);
  await page.getByLabel("API key").fill(service.apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out", includeHidden: true }).waitFor({ state: "attached" });
  return { context, page, errors };
}

/** Collects the errors on the browser's console from now on, and uncaught exceptions. */
export function trackErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  return errors;
}

export type Send = (path: string, method: string, body?: object) => Promise<void>;

/** Returns a function that sends requests to a sandbox. It throws if a request is refused. */
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
