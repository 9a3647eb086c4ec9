// Runs the service locally: checks the settings, starts the service, creates the playground, prints a greeting, and ends everything that
// was started.
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { processOf } from "../../shared/contract/hosted/processes.ts";
import { type Children, trackChildren } from "./children.ts";
import { ensureLocalTenant } from "./database.ts";
import { openFront } from "./front.ts";
import { lockFolder } from "./folder-lock.ts";
import { followParent } from "./parent.ts";
import { openPlayground } from "./playground.ts";
import type { Processes } from "./processes.ts";
import { keepPrivate, writePrivate } from "./private-file.ts";
import { Refusal, messageOf } from "./refusal.ts";
import { endSignals } from "./service.ts";
import { newSignInLink } from "./sign-in-link.ts";
import { type Settings, dataFolder, givenKey, host, readSettings } from "./settings.ts";
import { openWorkers } from "./workers.ts";

/** Milliseconds of an orderly end, after which processes are killed. */
const endMs = 3000;

/** The file of the data folder with the http address of the service. */
export const addressFile = "address";

export interface LocalRun {
  /** The folder with `dist/worker`, `dist/web`, `migrations` and `wrangler.toml`. A trailing slash is optional. */
  readonly root: string;
  /** Builds `dist` if it does not exist. */
  readonly build?: () => Promise<void>;
}

/** Starts the service. Resolves when it is ready. An error is printed, and ends the process with 1. */
export async function runLocally(run: LocalRun): Promise<void> {
  const children = trackChildren();
  try {
    await begin(run, children);
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : `Sandbar could not start: ${messageOf(error)}`);
    if (!(error instanceof Refusal) && process.env.SANDBAR_DEBUG) console.error(error);
    children.killAll();
    process.exit(1);
  }
}

async function begin({ root, build }: LocalRun, children: Children): Promise<void> {
  // The lock comes before the ports: a process that holds the folder most likely holds the ports too, and its id can be printed.
  lockFolder(dataFolder(process.env));
  const settings = await readSettings(process.env);
  const { data } = settings;
  const presetKey = givenKey(process.env);
  const keyPath = join(data, "api-key");
  if (presetKey) writePrivate(keyPath, presetKey);
  const key = presetKey ?? keepPrivate(keyPath, () => `sbk_${randomBytes(24).toString("hex")}`);
  await build?.();
  const opened = Promise.withResolvers<void>();
  const link = newSignInLink(key, Date.now);
  const { processes, certificate, header } = await openWorkers({
    ...{ root, settings, children, link, environment: process.env, opened: opened.promise },
    prepareDatabase: async (service) => {
      await ensureLocalTenant(await service.database(), createHash("sha256").update(key).digest("hex"), Date.now());
    },
    prepareSandboxes: (url) => openPlayground(url, key, data),
  });
  const portFor = (sandbox: string | undefined) =>
    processes.portOf(sandbox === undefined ? 0 : processOf(sandbox, settings.processes));
  endWith(processes, children);
  await processes.served;
  await openFront({ ...settings, certificate, header, portFor });
  writePrivate(join(data, addressFile), `${httpAddressOf(settings)}\n`);
  console.log(greeting(settings, link.secret));
  opened.resolve();
}

function httpAddressOf({ httpListen, httpPort }: Settings): string {
  const name = ["0.0.0.0", "::"].includes(httpListen) ? host : httpListen;
  return `http://${name.includes(":") ? `[${name}]` : name}:${httpPort}`;
}

/** Returns the greeting. `secret`: the secret of the sign-in link. */
function greeting({ data, httpPort }: Settings, secret: string): string {
  return [
    "Sandbar ready",
    `Console: http://localhost:${httpPort}/#/link/${secret}`,
    `  (signs in once, within 10 minutes; the key to sign in with later is in ${join(data, "api-key")})`,
    `export KUBECONFIG=${join(data, "kubeconfig")}`,
    "kubectl get nodes",
  ].join("\n");
}

function endWith(processes: Processes, children: Children): void {
  let isEnding = false;
  const exit = (code: number) => {
    children.killAll();
    process.exit(code);
  };
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => exit(0), endMs);
    await processes.end();
    exit(0);
  };
  for (const signal of endSignals) process.on(signal, () => void end());
  void processes.failed.then((message) => {
    console.error(message);
    exit(1);
  });
  followParent(() => void end());
}
