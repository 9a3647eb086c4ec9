// Runs the built Worker on workerd, on a port of its own. Clients use the addresses of `front.ts`.
import type { ChildProcess } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { interpreterNames } from "../interpreters/interpreters.ts";
import type { Children } from "./children.ts";
import type { LocalDatabase } from "./database.ts";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "./miniflare.ts";
import { registryFolderOf, stateFolderOf, workerNameOf } from "./object-files.ts";
import type { OutsideServer } from "./outside.ts";
import { type Settings, host } from "./settings.ts";
import type { ProcessEnd, Runtime } from "./supervisor.ts";

export interface ServiceOptions extends Settings {
  /** The number of this process, from 0: see `processes.ts`. */
  readonly process: number;
  /** The project's folder. */
  readonly root: string;
  readonly secret: string;
  /** The previous value of the secret; empty if it was never replaced. */
  readonly earlierSecret: string;
  /** The authority of the https address's certificate. */
  readonly ca: string;
  /** The server that makes the sandboxes' outbound calls. */
  readonly outside: OutsideServer;
  readonly environment: NodeJS.ProcessEnv;
  readonly children: Children;
}

export interface Service extends Runtime {
  /** The port of workerd; undefined before it listens. */
  readonly port: number | undefined;
  database(): Promise<LocalDatabase>;
}

/**
 * Bounds V8's heap. V8 derives its own bound from the memory in use at the last full collection, but ignores long texts in that: garbage of
 * such texts grew to 1.4 GB. With a bound of the heap V8 collects them.
 *
 * If it optimizes for size, V8 also collects whenever the heap has grown by a third. Everything else then waits for 50 to 500 ms, so it is
 * told to wait until the heap has doubled.
 *
 * Measured with 30 hostile cases at once: the process held 1,937 MB without the bound, and has at most 120 MB in use. A neighbour waited
 * 748 ms (p99) without these flags, and 176 ms with them.
 *
 * With 352 MB instead of 288 the process held 811 MB with 100 cases at once, and 719 MB with these flags. The platform's own bound of a
 * heap is 128 MB.
 */
const v8Flags = [
  "--optimize-for-size",
  "--heap-growing-percent=100",
  "--initial-old-space-size=64",
  "--max-old-space-size=288",
].join(" ");

/** The export of the Worker that serves: see `worker/index.ts`. */
const entrypoint = "direct";

/** Signals at which Miniflare exits the process. `run.ts` ends the service in order instead. */
export const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs workerd once. */
export function openService(options: ServiceOptions): Service {
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= v8Flags;
  const ended = Promise.withResolvers<ProcessEnd>();
  const state: { workerd?: ChildProcess; port?: number; closed?: Promise<void> } = {};
  const miniflare = withOwnSignals(() => openMiniflare(options));
  const close = () => (state.closed ??= miniflare.dispose());
  const unsubscribe = options.children.onSpawn((child) => {
    if (parse(child.spawnfile).name !== "workerd") return;
    unsubscribe();
    state.workerd = child;
    child.once("exit", (code, signal) => {
      // Miniflare does not know in this turn that workerd has ended. Closing it now keeps it from starting a successor.
      if (state.port !== undefined) void close().catch(() => undefined);
      ended.resolve({ reason: signal ?? `exit code ${code}`, isKilled: signal !== null });
    });
  });
  return {
    ready: miniflare.unsafeGetDirectURL(workerNameOf(options.process), entrypoint).then(({ port }) => {
      state.port = Number(port);
    }),
    get port() {
      return state.port;
    },
    ended: ended.promise,
    database: () => miniflare.getD1Database("DB"),
    kill: () => void state.workerd?.kill("SIGKILL"),
    close: async () => {
      unsubscribe();
      await close();
    },
  };
}

/** Removes the signal listeners that Miniflare adds when it is opened. */
function withOwnSignals(open: () => Miniflare): Miniflare {
  const listeners = endSignals.map((signal) => new Set(process.listeners(signal)));
  const miniflare = open();
  for (const [at, signal] of endSignals.entries())
    for (const listener of process.listeners(signal))
      if (!listeners[at]?.has(listener)) process.removeListener(signal, listener);
  return miniflare;
}

/** Returns the modules of the built Worker, its entry first. */
function modulesIn(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "index.js");
  return [
    ...["index.js", ...names].map((name) => ({ type: "ESModule" as const, path: join(folder, name) })),
    ...interpreterNames.map((name) => ({ type: "CompiledWasm" as const, path: join(folder, `${name}.wasm`) })),
  ];
}

function openMiniflare(options: ServiceOptions): Miniflare {
  const { root, data, server, domain, secret, earlierSecret, ca, outside, environment } = options;
  const { compatibilityDate, compatibilityFlags } = compatibility(join(root, "wrangler.toml"));
  const converted = convertV4MiniflareOptions({
    host,
    // Miniflare's own entry, which nothing uses.
    port: 0,
    // Miniflare would ask the network for the location of this machine.
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: ({ level, message }) => {
      if (isBrokenOff(message)) return;
      const out = level === "error" || level === "warn" ? process.stderr : process.stdout;
      out.write(`${message}\n`);
    },
    resourcePersistencePath: stateFolderOf(data, 0),
    workers: [
      {
        name: workerNameOf(options.process),
        modules: modulesIn(join(root, "dist/worker")),
        modulesRoot: join(root, "dist/worker"),
        compatibilityDate,
        compatibilityFlags,
        durableObjects: objectsOf(options),
        d1Databases: { DB: "sandbar" },
        r2Buckets: { FILES: "sandbar" },
        assets: {
          directory: join(root, "dist/web"),
          binding: "ASSETS",
          run_worker_first: true,
          routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
          assetConfig: { html_handling: "none", not_found_handling: "none" },
        },
        bindings: {
          SANDBAR_PROCESSES: String(options.processes),
          SANDBAR_PROCESS: String(options.process),
          SANDBAR_SECRET: secret,
          SANDBAR_SECRET_OLD: earlierSecret,
          SANDBAR_SERVER: server,
          SANDBAR_DOMAIN: domain ?? "",
          SANDBAR_CA: ca,
          SANDBAR_KUBELET_DELAYS: environment.SANDBAR_KUBELET_DELAYS ?? "",
          SANDBAR_LIMITS: environment.SANDBAR_LIMITS ?? "",
          SANDBAR_PLAN: environment.SANDBAR_PLAN || "unmetered",
          SANDBAR_OPERATOR_KEY: environment.SANDBAR_OPERATOR_KEY ?? "",
          SANDBAR_TRIAL: environment.SANDBAR_TRIAL ?? "",
          SANDBAR_GITHUB_CLIENT_ID: environment.SANDBAR_GITHUB_CLIENT_ID ?? "",
          SANDBAR_GITHUB_CLIENT_SECRET: environment.SANDBAR_GITHUB_CLIENT_SECRET ?? "",
          SANDBAR_GITHUB_URL: environment.SANDBAR_GITHUB_URL ?? "",
          SANDBAR_GITHUB_API: environment.SANDBAR_GITHUB_API ?? "",
          SANDBAR_OTLP_ENDPOINT: environment.SANDBAR_OTLP_ENDPOINT ?? "",
          SANDBAR_OTLP_HEADERS: environment.SANDBAR_OTLP_HEADERS ?? "",
          SANDBAR_SIGN_UP: environment.SANDBAR_SIGN_UP ?? "",
          SANDBAR_MAIL: environment.SANDBAR_MAIL ?? "",
          SANDBAR_MAIL_KEY: environment.SANDBAR_MAIL_KEY ?? "",
          SANDBAR_CLIENT_CERTIFICATES: environment.SANDBAR_CLIENT_CERTIFICATES ?? "",
        },
        serviceBindings: {
          OUTSIDE: { external: { address: outside.address, http: { injectRequestHeaders: [outside.key] } } },
        },
        unsafeDirectSockets: [{ host, port: 0, entrypoint }],
      },
    ],
  });
  return new Miniflare({ ...converted, ...sharedStorage(options) });
}

/** Lets several processes use one D1 and R2, which the process that was started first opens. A single process needs nothing of it. */
function sharedStorage({ data, process, processes }: ServiceOptions) {
  if (processes === 1) return {};
  return {
    unsafeEnableSharedStorage: true,
    unsafeDevRegistryPath: registryFolderOf(data),
    isolatedResourcePersistencePath: stateFolderOf(data, process),
  };
}

/** Returns the namespaces: the process's own clusters, the clusters of the others, and the tenants, which the first process holds. */
function objectsOf({ process, processes }: ServiceOptions): NonNullable<V4WorkerOptions["durableObjects"]> {
  const objectsAt = (className: string, of: number) => ({
    className,
    useSQLite: true,
    ...(of === process ? {} : { scriptName: workerNameOf(of) }),
  });
  const namespaces: Record<string, ReturnType<typeof objectsAt>> = {
    TENANTS: objectsAt("TenantObject", 0),
    METRICS: objectsAt("MetricsObject", 0),
  };
  for (let of = 0; of < processes; of++)
    namespaces[of === 0 ? "CLUSTERS" : `CLUSTERS_${of}`] = objectsAt("ClusterObject", of);
  return namespaces;
}

/** Reports whether workerd's message is about a connection that a client broke off: it has a place in workerd's source, and addresses. */
export function isBrokenOff(message: string): boolean {
  return /^\S+ = \S+: disconnected: /.test(message);
}

/** Reads the compatibility settings of wrangler.toml, so that local and deployed Workers have the same. */
export function compatibility(path: string): { compatibilityDate: string; compatibilityFlags: string[] } {
  const text = readFileSync(path, "utf8");
  const date = /^compatibility_date = "(.+)"$/m.exec(text)?.[1] ?? "";
  const flags = /^compatibility_flags = \[(.*)\]$/m.exec(text)?.[1] ?? "";
  return { compatibilityDate: date, compatibilityFlags: flags.match(/[a-z_]+/g) ?? [] };
}
