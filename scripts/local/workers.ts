// Opens the workerd processes on a data folder, for a service and for its maintenance.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Certificate, localCertificate } from "./certificate.ts";
import type { Children } from "./children.ts";
import { migrate } from "./database.ts";
import { certificateHeader } from "./front.ts";
import { moveObjects, processesWithObjects } from "./moved-objects.ts";
import { registryFolderOf } from "./object-files.ts";
import { serveOutside } from "./outside.ts";
import { keepPrivate, readPrivate, writePrivate } from "./private-file.ts";
import { type Processes, openProcesses } from "./processes.ts";
import { openService, type Service } from "./service.ts";
import { host, namesOf, type Settings } from "./settings.ts";
import type { SignInLink } from "./sign-in-link.ts";

export interface WorkersOptions {
  /** The folder with `dist`, `migrations` and `wrangler.toml`. */
  readonly root: string;
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  readonly children: Children;
  /** Resolves when alarms may run. */
  readonly opened: Promise<void>;
  readonly link: Pick<SignInLink, "exchange">;
  /** Prepares the migrated database. */
  prepareDatabase(service: Service): Promise<void>;
  /** Prepares what needs the sandboxes. `url` is the address of the first process. */
  prepareSandboxes(url: string): Promise<void>;
}

export interface Workers {
  readonly processes: Processes;
  readonly certificate: Certificate;
  /** The header that carries a client's certificate. */
  readonly header: string;
  readonly operatorKey: string;
  /** Returns the address of the first process. */
  url(): string;
}

/** The folder must be locked. */
export async function openWorkers(options: WorkersOptions): Promise<Workers> {
  const { root, settings, children, opened, link } = options;
  const { data } = settings;
  const certificate = localCertificate(join(data, "tls"), Date.now(), namesOf(settings));
  const secret = keepPrivate(join(data, "secret"), () => randomBytes(32).toString("hex"));
  const earlierSecret = readPrivate(join(data, "secret.old")) ?? "";
  const operatorKey = operatorKeyOf(data, options.environment);
  moveObjects(data, settings.processes);
  // Entries of a service that was killed would lead to ports of other programs.
  rmSync(registryFolderOf(data), { recursive: true, force: true });
  const startProcess = (process: number) => processes.start(process);
  const outside = await serveOutside({ data, opened, link, startProcess });
  const header = certificateHeader();
  const environment = {
    SANDBAR_CLIENT_CERTIFICATES: header,
    ...options.environment,
    SANDBAR_OPERATOR_KEY: operatorKey,
  };
  const common = { ...settings, root, secret, earlierSecret, outside, environment, children, ca: certificate.ca };
  const url = () => `http://${host}:${processes.portOf(0) ?? 0}`;
  const processes = openProcesses({
    occupied: processesWithObjects(data).filter((occupied) => occupied > 0 && occupied < settings.processes),
    open: (process) => openService({ ...common, process }),
    prepareDatabase: async (service) => {
      await migrate(await service.database(), join(root, "migrations"));
      await options.prepareDatabase(service);
    },
    prepareSandboxes: () => options.prepareSandboxes(url()),
    log: (line) => console.error(line),
  });
  return { processes, certificate, header, operatorKey, url };
}

/** Returns the operator's key, which backups and metrics need. */
function operatorKeyOf(data: string, { SANDBAR_OPERATOR_KEY: presetKey }: NodeJS.ProcessEnv): string {
  const path = join(data, "operator-key");
  if (presetKey) writePrivate(path, `${presetKey}\n`);
  return presetKey || keepPrivate(path, () => `sbo_${randomBytes(24).toString("hex")}`);
}
