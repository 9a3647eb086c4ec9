// The built Worker on workerd: https through miniflare's own port, plain http on a direct socket beside it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } from "miniflare";
import type { Certificate } from "./certificate.ts";
import { askOutside } from "./outside.ts";
import { type Settings, host } from "./settings.ts";

export interface ServiceOptions extends Settings {
  /** The project's folder. */
  readonly root: string;
  readonly secret: string;
  readonly certificate: Certificate;
  readonly environment: NodeJS.ProcessEnv;
  /** Called when workerd was started again after it had crashed. */
  onRestart(): void;
}

export function openService(options: ServiceOptions): Miniflare {
  const { root, data, httpPort, httpsPort, secret, certificate, environment } = options;
  const { compatibilityDate, compatibilityFlags } = compatibility(join(root, "wrangler.toml"));
  return new Miniflare(
    convertV4MiniflareOptions({
      host,
      port: httpsPort,
      https: true,
      httpsKey: certificate.key,
      httpsCert: certificate.certificate,
      // Asking the network where this machine is would be of no use.
      cf: false,
      telemetry: { enabled: false },
      logRequests: false,
      unsafeHandleRuntimeRestart: () => options.onRestart(),
      log: new Log(LogLevel.WARN),
      resourcePersistencePath: join(data, "state"),
      workers: [
        {
          name: "sandbar",
          modules: [{ type: "ESModule", path: join(root, "dist/worker/index.js") }],
          modulesRoot: join(root, "dist/worker"),
          compatibilityDate,
          compatibilityFlags,
          durableObjects: { CLUSTERS: { className: "ClusterObject", useSQLite: true } },
          d1Databases: { DB: "sandbar" },
          assets: {
            directory: join(root, "dist/web"),
            binding: "ASSETS",
            run_worker_first: true,
            routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
            assetConfig: { html_handling: "none", not_found_handling: "none" },
          },
          bindings: {
            SANDBAR_SECRET: secret,
            SANDBAR_SERVER: `https://${host}:${httpsPort}`,
            SANDBAR_CA: certificate.ca,
            SANDBAR_KUBELET_DELAYS: environment.SANDBAR_KUBELET_DELAYS ?? "",
            SANDBAR_CLIENT_CERTIFICATES: environment.SANDBAR_CLIENT_CERTIFICATES ?? "",
          },
          // Node's side of what the sandboxes ask outside.
          serviceBindings: { OUTSIDE: async (request) => new Response(await askOutside(request)) },
          unsafeDirectSockets: [{ host, port: httpPort }],
        },
      ],
    }),
  );
}

/** One source for both runs: what is deployed says it. */
export function compatibility(path: string): { compatibilityDate: string; compatibilityFlags: string[] } {
  const text = readFileSync(path, "utf8");
  const date = /^compatibility_date = "(.+)"$/m.exec(text)?.[1] ?? "";
  const flags = /^compatibility_flags = \[(.*)\]$/m.exec(text)?.[1] ?? "";
  return { compatibilityDate: date, compatibilityFlags: flags.match(/[a-z_]+/g) ?? [] };
}
