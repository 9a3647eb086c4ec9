// `node scripts/screenshots.ts`: takes pictures of the console's pages in both themes at three widths, into docs/images. Starts a service
// of its own with example data. Needs Chromium.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, chromium } from "playwright-core";
import { Sandbar } from "../client/index.ts";
import { readLessonFolder } from "../shared/lesson/read-folder.ts";
import { findChromium } from "../test/service/binaries.ts";
import { type ServiceAddress, startService } from "../test/service/service.ts";
import { root } from "./build.ts";

const folder = join(root, "docs/images");
const widths = { phone: [390, 844], tablet: [900, 1000], desktop: [1440, 900] } as const;
const themes = ["light", "dark"] as const;
/** Milliseconds until a new page is stable: pods start, and a shell writes its first lines. */
const settleMs = 3_000;

interface Shown {
  readonly name: string;
  /** The path behind the service's address. */
  readonly path: string;
  /** Text that is typed once the page is loaded. */
  readonly typed?: string;
}

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: 3
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: web, image: "nginx:1.27", ports: [{ containerPort: 80 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: shop }
spec: { selector: { app: shop }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: worker }
spec:
  replicas: 1
  selector: { matchLabels: { app: worker } }
  template:
    metadata: { labels: { app: worker } }
    spec: { containers: [{ name: worker, image: "busybox:1.36", command: [sh, -c, "echo no queue at redis:6379 >&2; exit 1"] }] }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: report }
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: report, image: "busybox:1.36", command: [date] }] }
`;

const executablePath = findChromium();
if (!executablePath) throw new Error("no Chromium is on PATH (CHROMIUM may name one)");
mkdirSync(folder, { recursive: true });
const service = await startService({ build: !process.env.SANDBAR_SKIP_BUILD });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--headless", "--disable-gpu"] });
try {
  const pages = await prepared(service.address);
  for (const theme of themes) for (const width of keysOf(widths)) await take(browser, pages, theme, width);
} finally {
  await browser.close();
  await service.stop();
}

async function prepared({ http, apiKey }: ServiceAddress): Promise<Shown[]> {
  const client = new Sandbar({ url: http, key: apiKey });
  const { id } = await client.createSandbox(
    { name: "shop", nodes: 3, ttlSeconds: 3600, manifests },
    { wait: true, waitSeconds: 30 },
  );
  const files = new Map(
    readdirSync(join(root, "lessons/first-pod")).map(
      (name) => [name, readFileSync(join(root, "lessons/first-pod", name), "utf8")] as const,
    ),
  );
  const read = readLessonFolder(files);
  if (!("lesson" in read)) throw new Error("the lesson is not one");
  await client.publishLesson(read.lesson);
  const { url } = await client.startRun(read.lesson.name, { learner: "ada" });
  const { pathname, hash } = new URL(url);
  await pause(20_000);
  return [
    { name: "sandboxes", path: "/" },
    { name: "sandbox", path: `/#/sandboxes/${id}` },
    { name: "details", path: `/#/sandboxes/${id}?open=deployments.apps/default/shop` },
    { name: "charts", path: `/#/sandboxes/${id}?open=deployments.apps/default/shop&pane=charts` },
    { name: "preview", path: `/#/sandboxes/${id}?open=services/default/shop&pane=preview` },
    { name: "objects", path: `/#/sandboxes/${id}?tab=objects&q=app%3Dworker` },
    { name: "topology", path: `/#/sandboxes/${id}?tab=topology` },
    { name: "terminal", path: `/#/sandboxes/${id}?tab=terminal`, typed: "kubectl get pods -o wide" },
    { name: "lesson", path: pathname + hash },
    { name: "usage", path: "/#/usage" },
  ];
}

async function take(
  browser: Browser,
  pages: readonly Shown[],
  colorScheme: (typeof themes)[number],
  width: keyof typeof widths,
): Promise<void> {
  const [wide, high] = widths[width];
  const context = await browser.newContext({ colorScheme, viewport: { width: wide, height: high } });
  const page = await context.newPage();
  const { http, apiKey } = service.address;
  await page.goto(http);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out", includeHidden: true }).waitFor({ state: "attached" });
  for (const { name, path, typed } of pages) {
    await page.goto(http + path);
    await pause(settleMs);
    if (typed) {
      await page.keyboard.type(typed);
      await page.keyboard.press("Enter");
      await pause(settleMs);
    }
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.jpg`), type: "jpeg", quality: 70 });
  }
  await context.close();
}

function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}
