// A local run from beginning to end: check, start, make the playground, say so; and end with everything that was started.
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { localCertificate } from "./certificate.ts";
import { childProcesses, killAll, openGuard } from "./children.ts";
import { ensureLocalTenant, migrate } from "./database.ts";
import { serveOutside } from "./outside.ts";
import { certificateHeader, openFront } from "./front.ts";
import { lockFolder } from "./folder-lock.ts";
import { openPlayground } from "./playground.ts";
import { readPrivate, keepPrivate } from "./private-file.ts";
import { Refusal, messageOf } from "./refusal.ts";
import { openService } from "./service.ts";
import { newSignInLink } from "./sign-in-link.ts";
import { type Settings, dataFolder, host, namesOf, readSettings } from "./settings.ts";
import { openWatchdog } from "./watchdog.ts";

/** An orderly end may take this long; then it is a kill. */
const endMs = 3000;
const parentCheckMs = 1000;

export interface LocalRun {
  /** The folder that has `dist/worker`, `dist/web`, `migrations` and `wrangler.toml`, with a slash or without. */
  readonly root: string;
  /** Makes `dist` where it is not there yet. */
  readonly build?: () => Promise<void>;
}

/** Resolves when the service is ready. What keeps it from starting is said, and ends the process with 1. */
export async function runLocally(run: LocalRun): Promise<void> {
  try {
    await begin(run);
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : `Sandbar could not start: ${messageOf(error)}`);
    if (!(error instanceof Refusal) && process.env.SANDBAR_DEBUG) console.error(error);
    killAll(childProcesses());
    process.exit(1);
  }
}

async function begin({ root, build }: LocalRun): Promise<void> {
  // Before the ports: whoever has the folder most likely has them too, and is named.
  lockFolder(dataFolder(process.env));
  const settings = await readSettings(process.env);
  const { data, httpPort } = settings;
  const certificate = localCertificate(join(data, "tls"), Date.now(), namesOf(settings));
  const secret = keepPrivate(join(data, "secret"), () => randomBytes(32).toString("hex"));
  const earlierSecret = readPrivate(join(data, "secret.old")) ?? "";
  const key = keepPrivate(join(data, "api-key"), () => `sbk_${randomBytes(24).toString("hex")}`);
  await build?.();
  const guard = openGuard();
  const onRestart = () => guard.watch(childProcesses());
  const opened = Promise.withResolvers<void>();
  const link = newSignInLink(key, Date.now);
  const outside = await serveOutside(data, opened.promise, link);
  const header = certificateHeader();
  const environment = { SANDBAR_CLIENT_CERTIFICATES: header, ...process.env };
  const service = openService({
    ...settings,
    root,
    secret,
    earlierSecret,
    outside,
    environment,
    onRestart,
    ca: certificate.ca,
  });
  endWith(service);
  await service.ready;
  await openFront({ ...settings, certificate, header });
  guard.watch(childProcesses());
  const database = await service.getD1Database("DB");
  await migrate(database, join(root, "migrations"));
  await ensureLocalTenant(database, createHash("sha256").update(key).digest("hex"), Date.now());
  const base = `http://${host}:${httpPort}`;
  await openPlayground(base, key, data);
  console.log(greeting(settings, link.secret));
  // What clusters have to do by themselves begins now: should it hang the Worker, it has been said how to reach it.
  opened.resolve();
  openWatchdog({
    ask: (signal) => fetch(`${base}/healthz`, { signal }),
    kill: () => killAll(childProcesses("workerd")),
    log: (line) => console.error(line),
  });
}

/** `secret`: of the link that signs in. */
function greeting({ data, httpPort }: Settings, secret: string): string {
  return [
    "Sandbar ready",
    `Console: http://localhost:${httpPort}/#/link/${secret}`,
    `  (signs in once, within 10 minutes; the key to sign in with later is in ${join(data, "api-key")})`,
    `export KUBECONFIG=${join(data, "kubeconfig")}`,
    "kubectl get nodes",
  ].join("\n");
}

function endWith(service: Miniflare): void {
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    const pids = childProcesses();
    setTimeout(() => {
      killAll(pids);
      process.exit(0);
    }, endMs).unref();
    await service.dispose().catch(() => undefined);
    killAll(pids);
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Miniflare's own listener would exit in the middle of it.
    process.removeAllListeners(signal);
    process.on(signal, () => void end());
  }
  if (!process.env.npm_lifecycle_event) return;
  // npm does not always pass its own end on.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void end();
  }, parentCheckMs).unref();
}
