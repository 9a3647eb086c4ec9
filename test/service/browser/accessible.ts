// Whether people can use a page whatever they see and hear with, as axe-core tells it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** What is serious or worse on the page as it is now: each as its rule and where. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // As text, so that the page's own policy, which lets no script of others in, need not be lifted.
  await page.evaluate(axe);
  const found = await page.evaluate<Violation[]>("axe.run().then(({ violations }) => violations)");
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
