// Opens a data folder that no service uses, for a backup or a restore: without addresses, first sandbox and alarms, so that no sandbox does
// anything meanwhile.
import { trackChildren } from "./children.ts";
import { lockFolder } from "./folder-lock.ts";
import { openWorkers } from "./workers.ts";
import { type Settings, dataFolder, readSettings } from "./settings.ts";

export interface Maintenance {
  readonly url: string;
  readonly operatorKey: string;
  end(): Promise<void>;
}

export interface MaintenanceOptions {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Called when the folder is locked, before anything is started. */
  prepare?(settings: Settings): Promise<void>;
}

/** Throws a `Refusal` if the folder is in use. */
export async function openMaintenance({ root, environment, prepare }: MaintenanceOptions): Promise<Maintenance> {
  const children = trackChildren();
  lockFolder(dataFolder(environment));
  // Nothing listens on these ports.
  const settings = await readSettings({ ...environment, SANDBAR_HTTPS_PORT: "0", SANDBAR_HTTP_PORT: "0" });
  await prepare?.(settings);
  const { processes, operatorKey, url } = await openWorkers({
    ...{ root, settings, environment, children },
    opened: new Promise(() => undefined),
    link: { exchange: () => undefined },
    prepareDatabase: async () => undefined,
    prepareSandboxes: async () => undefined,
  });
  await processes.served;
  return {
    url: url(),
    operatorKey,
    end: async () => {
      await processes.end();
      children.killAll();
    },
  };
}
