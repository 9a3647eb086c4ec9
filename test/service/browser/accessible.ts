// Checks the accessibility of a page with axe-core.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Returns what axe finds on the page as it is now. In a second color scheme of the same page, only colors can differ: see `ofColours`. */
export async function violationsOn(page: Page | Frame, ofColours = false): Promise<Violation[]> {
  // Evaluated as text, because the page's content security policy lets no other script in. A page that was checked before has it.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe);
  const options = ofColours ? "{ runOnly: ['color-contrast'] }" : "{ resultTypes: ['violations'] }";
  return page.evaluate<Violation[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
}

/** Returns the violations that are serious or critical, each as its rule and the first element that violates it. */
export async function seriousViolations(page: Page, ofColours = false): Promise<string[]> {
  const serious = (await violationsOn(page, ofColours)).filter(
    ({ impact }) => impact === "serious" || impact === "critical",
  );
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120) ?? ""}`);
}
