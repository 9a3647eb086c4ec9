// Runs the product's Worker and a minimal baseline Worker in one process, so that both are measured under the same noise.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare, type V4WorkerOptions, convertV4MiniflareOptions } from "miniflare";
import { root } from "../scripts/build.ts";
import { ensureLocalTenant, migrate } from "../scripts/local/database.ts";
import { jsonText } from "../scripts/packed-data/json-text.ts";
import { interpreterNames, writeInterpreters } from "../scripts/interpreters/interpreters.ts";
import { compatibility } from "../scripts/local/service.ts";

const host = "127.0.0.1";
/** More than the limits of a sandbox, so that growth is measured up to those limits. */
const bounds = JSON.stringify({ objects: 200_000, watches: 5_000, requestsPerSecond: 100_000 });
/** The heap of an isolate on the platform, in megabytes. workerd is run with the same limit and crashes above it. */
const heapMegabytes = 128;

export interface Bench {
  /** The origin of the product's Worker. */
  readonly sandbar: string;
  /** The origin of the bare Worker. */
  readonly bare: string;
  /** An API key of the control API. */
  readonly key: string;
  readonly inspectorPort: number;
  /** Starts another process with the same ports and data, and with nothing in memory. */
  restart(): Promise<void>;
  /** Returns the origins of both Workers over https. */
  overTls(): Promise<{ readonly sandbar: string; readonly bare: string }>;
  end(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "sandbar-bench-"));
  await buildWorkers(folder);
  const [controlPort, sandbarPort, barePort, inspectorPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const settings = compatibility(join(root, "wrangler.toml"));
  const workers: V4WorkerOptions[] = [
    {
      name: "sandbar",
      modules: [
        { type: "ESModule", path: join(folder, "sandbar.js") },
        ...interpreterNames.map((name) => ({ type: "CompiledWasm" as const, path: join(folder, `${name}.wasm`) })),
      ],
      modulesRoot: folder,
      ...settings,
      durableObjects: {
        CLUSTERS: { className: "ClusterObject", useSQLite: true },
        TENANTS: { className: "TenantObject", useSQLite: true },
      },
      d1Databases: { DB: "sandbar" },
      r2Buckets: { FILES: "sandbar" },
      bindings: {
        SANDBAR_SECRET: randomBytes(32).toString("hex"),
        SANDBAR_PLAN: "unmetered",
        SANDBAR_KUBELET_DELAYS: "zero",
        SANDBAR_LIMITS: bounds,
      },
      unsafeDirectSockets: [{ host, port: sandbarPort }],
    },
    {
      name: "bare",
      modules: [{ type: "ESModule", path: join(folder, "baseline.js") }],
      modulesRoot: folder,
      ...settings,
      durableObjects: { BARE: { className: "BareObject", useSQLite: true } },
      unsafeDirectSockets: [{ host, port: barePort }],
    },
  ];
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= `--max-heap-size=${heapMegabytes}`;
  const start = () =>
    new Miniflare(
      convertV4MiniflareOptions({
        host,
        port: controlPort,
        inspectorPort,
        cf: false,
        telemetry: { enabled: false },
        logRequests: false,
        log: new Log(LogLevel.WARN),
        unsafeHandleRuntimeRestart: () =>
          console.error("workerd has crashed and was started again: what follows is of another run"),
        resourcePersistencePath: join(folder, "state"),
        workers,
      }),
    );
  let miniflare = start();
  await miniflare.ready;
  const database = await miniflare.getD1Database("DB", "sandbar");
  const key = `sbk_${randomBytes(24).toString("hex")}`;
  await migrate(database, join(root, "migrations"));
  await ensureLocalTenant(database, createHash("sha256").update(key).digest("hex"), Date.now());
  const fronts: ChildProcess[] = [];
  const front = async (httpPort: number) => {
    const httpsPort = await freePort();
    fronts.push(await openFront(httpsPort, httpPort, join(folder, "tls")));
    return `https://localhost:${httpsPort}`;
  };
  return {
    sandbar: `http://${host}:${sandbarPort}`,
    bare: `http://${host}:${barePort}`,
    key,
    inspectorPort,
    restart: async () => {
      await miniflare.dispose();
      miniflare = start();
      await miniflare.ready;
    },
    overTls: async () => ({ sandbar: await front(sandbarPort), bare: await front(barePort) }),
    end: async () => {
      for (const frontProcess of fronts) frontProcess.stdin?.end();
      await miniflare.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the TLS proxy in a process of its own, so that its processor time is counted. Resolves when it listens. */
async function openFront(httpsPort: number, httpPort: number, folder: string): Promise<ChildProcess> {
  const words = [join(root, "bench/front.ts"), String(httpsPort), String(httpPort), folder];
  const front = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  await once(front.stdout, "data");
  return front;
}

/** Builds the Workers like `npm run build`, from the bench's own entries. */
async function buildWorkers(folder: string): Promise<void> {
  writeInterpreters(root, folder);
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/worker/sandbar.ts", "bench/worker/baseline.ts"],
    outdir: folder,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*", "*.wasm"],
    plugins: [jsonText],
    minifySyntax: true,
    legalComments: "none",
    logLevel: "warning",
  });
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", reject);
  server.listen(0, host, () => {
    const address = server.address();
    server.close(() => resolve(address && typeof address === "object" ? address.port : 0));
  });
  return promise;
}
