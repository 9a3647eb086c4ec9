// The browser that the tests drive, if it is on the machine.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./binaries.ts";
import { usesFirefox, launchFirefox } from "./firefox.ts";

const chromiumPath = findChromium() ?? "";
export const hasChromium = existsSync(chromiumPath);

/** How long a page may take for one step on a busy machine: a step that fails this way hangs. */
export const patienceMs = 60_000;

const quiet = ["background-networking", "component-update", "gpu", "quic", "software-rasterizer", "sync"];

/** Returns launch options without features that no test needs. `more` are further command-line arguments. */
export function launchOptions(...more: readonly string[]) {
  const args = ["--no-sandbox", "--no-first-run", ...quiet.map((feature) => `--disable-${feature}`), ...more];
  return { executablePath: chromiumPath, args };
}

/** Starts a browser whose pages do not animate: painting each frame in software takes longer than the tests. */
export async function launchBrowser(...more: readonly string[]): Promise<Browser> {
  return withoutMotion(await chromium.launch(launchOptions(...more)));
}

/** The browsers that drive the journeys. A test that needs one that is missing is skipped. */
export const browsers = [
  { name: "Chromium", isMissing: !hasChromium, launch: launchBrowser },
  { name: "Firefox", isMissing: !usesFirefox, launch: async () => withoutMotion(await launchFirefox()) },
] as const;

function withoutMotion(browser: Browser): Browser {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = (options) => newContext({ reducedMotion: "reduce", ...options });
  return browser;
}

/** Prints a warning that `what` is not tested in Firefox. */
export function warnWithoutFirefox(what: string): void {
  if (!usesFirefox)
    console.warn(
      `NOT TESTED in Firefox: ${what}, because SANDBAR_TEST_FIREFOX is not 1 or there is no firefox on PATH.`,
    );
}

/** Prints a warning that `what` is not tested without a browser. */
export function warnWithoutChromium(what: string): void {
  if (!hasChromium) console.warn(`NOT TESTED: ${what}, because there is no Chromium on PATH (CHROMIUM may name one).`);
}
