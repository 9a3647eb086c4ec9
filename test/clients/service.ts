// The built test Worker on workerd with a port of its own, and one sandbox in it: for clients that are real processes.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { compatibility } from "../../scripts/local/service.ts";
import { hashOf } from "../../worker/edge/mac.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const key = "sbk_adaadaadaadaadaadaada";

interface Sockets {
  readonly sockets: number;
  /** Rises each time the object is built. */
  readonly building: number;
}

export async function startService() {
  const folder = await mkdtemp(join(tmpdir(), "sandbar-clients-"));
  const script = join(folder, "worker.js");
  await build({
    absWorkingDir: root,
    entryPoints: ["test/workerd/inspected-worker.ts"],
    outfile: script,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "warning",
  });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      log: new Log(LogLevel.WARN),
      workers: [
        {
          name: "sandbar",
          modules: [{ type: "ESModule", path: script }],
          modulesRoot: folder,
          ...compatibility(join(root, "wrangler.toml")),
          durableObjects: {
            CLUSTERS: { className: "ClusterObject", useSQLite: true },
            TENANTS: { className: "TenantObject", useSQLite: true },
          },
          d1Databases: { DB: "sandbar" },
          r2Buckets: { FILES: "sandbar" },
          serviceBindings: { ASSETS: () => Promise.resolve(Response.json({})) as never },
          bindings: { SANDBAR_SECRET: "a secret of a test, 32 characters or more", SANDBAR_PLAN: "unmetered" },
        },
      ],
    }),
  );
  const { origin } = await miniflare.ready;
  await migrate(miniflare);
  const answer = await fetch(`${origin}/v1/sandboxes`, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  const { id, token } = (await answer.json()) as { id: string; token: string };
  return {
    url: `${origin}/c/${id}`,
    token,
    /** Reads the sockets of the cluster's object, which wakes it. */
    sockets: async () => (await (await fetch(`${origin}/sockets/${id}`)).json()) as Sockets,
    stop: async () => {
      await miniflare.dispose();
      await rm(folder, { recursive: true });
    },
  };
}

async function migrate(miniflare: Miniflare): Promise<void> {
  const database = await miniflare.getD1Database("DB");
  for (const file of sqlFiles(join(root, "migrations"))) {
    for (const statement of readFileSync(file, "utf8").split("--> statement-breakpoint")) {
      await database.prepare(statement.trim()).run();
    }
  }
  await database.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES ('ada', 'ada', 0)").run();
  await database
    .prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'ada', 0)")
    .bind(await hashOf(key))
    .run();
}

function sqlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => join(folder, name));
}
