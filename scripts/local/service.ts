// The built Worker on workerd, by plain http on a direct socket; `front.ts` gives it https.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { interpreterNames } from "../interpreters/interpreters.ts";
import type { OutsideServer } from "./outside.ts";
import { type Settings, host } from "./settings.ts";

export interface ServiceOptions extends Settings {
  /** The project's folder. */
  readonly root: string;
  readonly secret: string;
  /** Who signed the certificate of the https address. */
  readonly ca: string;
  /** Node's side of what the sandboxes ask outside. */
  readonly outside: OutsideServer;
  readonly environment: NodeJS.ProcessEnv;
  /** Called when workerd was started again after it had crashed. */
  onRestart(): void;
}

/** V8 lets what is young fill three times 16 MB for each isolate before it looks what is still used: the process of the hostile cases held some 80 MB more, and answered no faster. On a busy machine the threads that mark concurrently fall behind: a heap of 900 MB had 32 MB in use. */
const v8Flags = "--max-semi-space-size=4 --single-threaded-gc";

export function openService(options: ServiceOptions): Miniflare {
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= v8Flags;
  const { root, data, httpPort, server, domain, secret, ca, outside, environment } = options;
  const { compatibilityDate, compatibilityFlags } = compatibility(join(root, "wrangler.toml"));
  return new Miniflare(
    convertV4MiniflareOptions({
      host,
      // Its own way in, which nobody is told of.
      port: 0,
      // Asking the network where this machine is would be of no use.
      cf: false,
      telemetry: { enabled: false },
      logRequests: false,
      unsafeHandleRuntimeRestart: () => options.onRestart(),
      log: new Log(LogLevel.WARN),
      handleStructuredLogs: ({ level, message }) => {
        if (isBrokenOff(message)) return;
        const out = level === "error" || level === "warn" ? process.stderr : process.stdout;
        out.write(`${message}\n`);
      },
      resourcePersistencePath: join(data, "state"),
      workers: [
        {
          name: "sandbar",
          modules: [
            { type: "ESModule", path: join(root, "dist/worker/index.js") },
            ...interpreterNames.map((name) => ({
              type: "CompiledWasm" as const,
              path: join(root, `dist/worker/${name}.wasm`),
            })),
          ],
          modulesRoot: join(root, "dist/worker"),
          compatibilityDate,
          compatibilityFlags,
          durableObjects: {
            CLUSTERS: { className: "ClusterObject", useSQLite: true },
            TENANTS: { className: "TenantObject", useSQLite: true },
          },
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
            SANDBAR_SECRET: secret,
            SANDBAR_SERVER: server,
            SANDBAR_DOMAIN: domain ?? "",
            SANDBAR_CA: ca,
            SANDBAR_KUBELET_DELAYS: environment.SANDBAR_KUBELET_DELAYS ?? "",
            SANDBAR_LIMITS: environment.SANDBAR_LIMITS ?? "",
            SANDBAR_PLAN: environment.SANDBAR_PLAN ?? "",
            SANDBAR_OPERATOR_KEY: environment.SANDBAR_OPERATOR_KEY ?? "",
            SANDBAR_TRIAL: environment.SANDBAR_TRIAL ?? "",
            SANDBAR_GITHUB_CLIENT_ID: environment.SANDBAR_GITHUB_CLIENT_ID ?? "",
            SANDBAR_GITHUB_CLIENT_SECRET: environment.SANDBAR_GITHUB_CLIENT_SECRET ?? "",
            SANDBAR_GITHUB_URL: environment.SANDBAR_GITHUB_URL ?? "",
            SANDBAR_GITHUB_API: environment.SANDBAR_GITHUB_API ?? "",
            SANDBAR_SIGN_UP: environment.SANDBAR_SIGN_UP ?? "",
            SANDBAR_CLIENT_CERTIFICATES: environment.SANDBAR_CLIENT_CERTIFICATES ?? "",
          },
          serviceBindings: {
            OUTSIDE: { external: { address: outside.address, http: { injectRequestHeaders: [outside.key] } } },
          },
          unsafeDirectSockets: [{ host, port: httpPort }],
        },
      ],
    }),
  );
}

/** What workerd itself says of a connection that a client broke off: the place in its own source, and addresses. */
export function isBrokenOff(message: string): boolean {
  return /^\S+ = \S+: disconnected: /.test(message);
}

/** One source for both runs: what is deployed says it. */
export function compatibility(path: string): { compatibilityDate: string; compatibilityFlags: string[] } {
  const text = readFileSync(path, "utf8");
  const date = /^compatibility_date = "(.+)"$/m.exec(text)?.[1] ?? "";
  const flags = /^compatibility_flags = \[(.*)\]$/m.exec(text)?.[1] ?? "";
  return { compatibilityDate: date, compatibilityFlags: flags.match(/[a-z_]+/g) ?? [] };
}
