// `node bench/console/main.ts`: measures the console's list of 1,000 sandboxes in Chromium: opening, search, filters, sorting, selection and
// deletion. Starts a service of its own, built before by `npm run build`. `--rounds=9` and `--sandboxes=1000` are the defaults. `--in-memory`
// answers the list and the deletions from memory, so that no sandbox is created. `--strict` exits with 1 if a limit is missed.
import { loadavg } from "node:os";
import { type Page, chromium } from "playwright-core";
import { Sandbar } from "../../client/index.ts";
import { findChromium } from "../../test/service/binaries.ts";
import { startService } from "../../test/service/service.ts";
import { percentile } from "../statistics.ts";
import { type Figure, atMost, printTable } from "../table.ts";
import { answerFromMemory } from "./in-memory.ts";
import { pageClock } from "./page-clock.ts";

/** Milliseconds until the rows are painted, and until an input is. */
const limits = { openMs: 100, reloadMs: 1000, inputMs: 50, longestTaskMs: 200 };
const creatorsAtOnce = 8;
const patienceMs = 120_000;
const owners = ["ada", "bo", "cy"];
const rows = "table.sandboxes tbody tr";

const rounds = option("rounds", 9);
const count = option("sandboxes", 1000);
const executablePath = findChromium();
if (!executablePath) throw new Error("no Chromium is on PATH (CHROMIUM may name one)");
const service = await startService({ environment: { SANDBAR_LIMITS: JSON.stringify({ requestsPerSecond: 10_000 }) } });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const figures: Figure[] = [];
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  if (process.argv.includes("--in-memory")) await answerFromMemory(page, count, owners);
  else await createSandboxes();
  await signIn(page);
  await measureOpening(page);
  await measureInputs(page);
  await measureDeletion(page);
} finally {
  await browser.close();
  await service.stop();
}
printTable(figures);
console.log(`load ${loadavg()[0]?.toFixed(1)}`);
if (process.argv.includes("--strict") && figures.some(({ bar }) => bar?.met === false)) process.exitCode = 1;

async function createSandboxes(): Promise<void> {
  const { http: url, apiKey } = service.address;
  const keys = await Promise.all(
    owners.map((name) => new Sandbar({ url, key: apiKey }).createKey({ name, scopes: ["sandboxes:create"] })),
  );
  const clients = keys.map(({ key }) => new Sandbar({ url, key }));
  let next = 0;
  const create = async () => {
    for (let at = next++; at < count; at = next++)
      await clients[at % clients.length]?.createSandbox({
        name: `shop-${String(at).padStart(4, "0")}`,
        labels: { team: `team-${at % 20}` },
        ttlSeconds: 6 * 3600,
      });
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: creatorsAtOnce }, create));
  console.log(`created ${count} sandboxes in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}

async function signIn(page: Page): Promise<void> {
  await page.addInitScript(pageClock);
  await page.goto(service.address.http);
  await page.getByLabel("API key").fill(service.address.apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await wholeList(page);
}

/** Waits until all sandboxes are loaded. */
async function wholeList(page: Page): Promise<void> {
  // A new service has one sandbox already.
  await page.locator(".page-tools [role=status]", { hasText: String(count + 1) }).waitFor({ timeout: patienceMs });
}

/** Runs a step several times in the page and reports the median of its milliseconds until the paint. */
async function measure(page: Page, what: string, limitMs: number, step: (round: number) => Promise<number>) {
  await step(-1);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await step(round));
  console.log(`${what}: ${times.map((ms) => ms.toFixed(0)).join(", ")} ms`);
  const [middle, slowest] = [percentile(times, 0.5), percentile(times, 1)];
  figures.push({ what: `${what}, median`, value: middle, unit: "ms", bar: atMost(middle, limitMs, "ms") });
  figures.push({ what: `${what}, slowest of ${rounds}`, value: slowest, unit: "ms" });
  await page.waitForTimeout(100);
}

/** Evaluates in the page: `action`, then waits until `isDone` holds and is painted. Returns the milliseconds. */
function painted(page: Page, action: string, isDone: string): Promise<number> {
  return page.evaluate<number>(`paintedAfter(() => { ${action} }, () => ${isDone})`);
}

async function measureOpening(page: Page): Promise<void> {
  const open = (hash: string) => `location.hash = ${JSON.stringify(hash)}`;
  const leave = async () => {
    await page.evaluate(open("#/templates"));
    await page.getByRole("heading", { level: 1, name: "Templates" }).waitFor();
    await page.waitForTimeout(300);
  };
  const hasRows = `document.querySelectorAll(${JSON.stringify(rows)}).length >= 20`;
  await measure(page, "navigation in the console to painted rows", limits.openMs, async () => {
    await leave();
    const took = await painted(page, open("#/"), hasRows);
    await wholeList(page);
    return took;
  });
  await measure(page, "reload from cached assets to painted rows", limits.reloadMs, async () => {
    await page.reload();
    await wholeList(page);
    return page.evaluate<number>("rowsPaintedAt()");
  });
  await measure(page, "reload: from the answer of the list to painted rows", limits.openMs, async () => {
    await page.reload();
    await wholeList(page);
    return page.evaluate<number>(`rowsPaintedAt().then((ms) => ms - performance.getEntriesByType("resource")
      .find(({ name }) => /\\/v1\\/sandboxes\\?/.test(name)).responseEnd)`);
  });
}

async function measureInputs(page: Page): Promise<void> {
  const status = `document.querySelector(".page-tools [role=status]").textContent`;
  const firstRow = `document.querySelector(${JSON.stringify(rows)})?.dataset.name`;
  const type = (text: string) => `type("[data-search]", ${JSON.stringify(text)})`;
  const texts = ["s", "sh", "shop-00", "shop-001", "team=team-1", "ada", ""];
  // The whole list is rendered, as after scrolling to its end.
  await page.evaluate(`scrollToEnd(${JSON.stringify(rows)}, ${count + 1})`);
  for (const text of texts)
    await measure(page, `search for ${text === "" ? "nothing again" : `"${text}"`}`, limits.inputMs, async () => {
      await painted(page, type(text === "" ? "shop-0999" : ""), "true");
      await page.waitForTimeout(50);
      return painted(page, type(text), `document.querySelector("[data-search]").value === ${JSON.stringify(text)}`);
    });
  await measure(page, "filter by owner", limits.inputMs, async (round) => {
    const owner = owners[Math.abs(round) % owners.length] ?? "";
    const took = await painted(page, `choose("Owner", ${JSON.stringify(owner)})`, `/ of /.test(${status})`);
    await painted(page, `choose("Owner", "")`, `!/ of /.test(${status})`);
    return took;
  });
  await measure(page, "sort by name", limits.inputMs, async () => {
    const newest = await page.evaluate(firstRow);
    const took = await painted(page, `press("button.sort")`, `${firstRow} !== ${JSON.stringify(newest)}`);
    await painted(page, `press("button.sort"); `, "true");
    await painted(page, `press("button.sort")`, "true");
    return took;
  });
  await measure(page, "select all", limits.inputMs, async () => {
    const took = await painted(page, `press("thead input[type=checkbox]")`, `document.querySelector(".bulk") !== null`);
    await painted(page, `press("thead input[type=checkbox]")`, `document.querySelector(".bulk") === null`);
    return took;
  });
  await measure(page, "select a row", limits.inputMs, async () => {
    const took = await painted(page, `press("tbody input[type=checkbox]")`, `document.querySelector(".bulk") !== null`);
    await painted(page, `press("tbody input[type=checkbox]")`, `document.querySelector(".bulk") === null`);
    return took;
  });
}

/** Deletes all sandboxes once, and reports the time, the concurrent requests, and the longest task of the page. */
async function measureDeletion(page: Page): Promise<void> {
  let [pending, most, sent] = [0, 0, 0];
  page.on("request", (request) => {
    if (request.method() !== "DELETE") return;
    sent += 1;
    most = Math.max(most, ++pending);
  });
  const end = (request: { method(): string }) => {
    if (request.method() === "DELETE") pending -= 1;
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  await page.evaluate(`press("thead input[type=checkbox]")`);
  await page.getByRole("button", { name: "Delete the selected" }).click();
  await page.evaluate("watchTasks()");
  const startedMs = performance.now();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Delete ${count + 1}` })
    .click();
  await page.getByRole("dialog").waitFor({ state: "detached", timeout: 600_000 });
  const seconds = (performance.now() - startedMs) / 1000;
  const longest = await page.evaluate<number>("longestTask()");
  figures.push({ what: `deletion of ${count}`, value: seconds, unit: "s" });
  figures.push({ what: "requests of the deletion", value: sent, unit: "requests" });
  figures.push({
    what: "concurrent requests of the deletion",
    value: most,
    unit: "requests",
    bar: atMost(most, 8, ""),
  });
  const bar = atMost(longest, limits.longestTaskMs, "ms");
  figures.push({ what: "longest task of the page meanwhile", value: longest, unit: "ms", bar });
}

function option(name: string, usual: number): number {
  const text = process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  return /^\d+$/.test(text) ? Number(text) : usual;
}
