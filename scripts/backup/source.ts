// The service that is backed up or restored: a deployed one at an address, or the local one of a data folder, running or not.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServiceCopies } from "../../client/copies.ts";
import { Sandbar } from "../../client/index.ts";
import { messageOfError } from "../command-words.ts";
import { type Maintenance, type MaintenanceOptions, openMaintenance } from "../local/maintenance.ts";
import { addressFile } from "../local/run.ts";
import { isFolderLocked } from "../local/folder-lock.ts";
import { dataFolder } from "../local/settings.ts";

type OpenService = (options: MaintenanceOptions) => Promise<Maintenance>;

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface CopiedService {
  readonly copies: ServiceCopies;
  /** The data folder; undefined for a deployed service. */
  readonly data: string | undefined;
  end(): Promise<void>;
  /** Removes the data folder of a restore that failed. */
  discard(): void;
}

/** Opens the service at an address, with the operator's key in SANDBAR_OPERATOR_KEY. */
export function deployedService(server: string, { SANDBAR_OPERATOR_KEY: key }: NodeJS.ProcessEnv): CopiedService {
  if (!key) throw new Error("set SANDBAR_OPERATOR_KEY to the operator's key of the service");
  return { copies: copiesAt(server, key), data: undefined, end: async () => undefined, discard: () => undefined };
}

/** Opens the service of a data folder: the running one, or one that is started for the backup alone. */
export async function localService(environment: NodeJS.ProcessEnv): Promise<CopiedService> {
  const path = resolve(environment.SANDBAR_DATA || ".sandbar");
  if (!existsSync(join(path, "state"))) throw new Error(`${path} is no data folder of a service: set SANDBAR_DATA`);
  const data = dataFolder(environment);
  if (isFolderLocked(data)) {
    const [address, key] = [addressFile, "operator-key"].map((name) => textOf(join(data, name)));
    if (!address || !key) throw new Error(`the service of ${data} is not ready, or of another version: try again`);
    return { copies: copiesAt(address, key), data, end: async () => undefined, discard: () => undefined };
  }
  const { url, operatorKey, end } = await openBuilt({ root, environment });
  return { copies: copiesAt(url, operatorKey), data, end, discard: () => undefined };
}

/**
 * Opens a new data folder. `prepare` writes its files before anything is started. One process holds all objects; the next start of the service
 * moves them to the others. If the service does not start, the folder is removed, so that the same command can be run again.
 */
export async function newLocalService(
  environment: NodeJS.ProcessEnv,
  prepare: (data: string) => void,
  open: OpenService = openBuilt,
): Promise<CopiedService> {
  const data = dataFolder(environment);
  // A restore that fails removes the folder, so nothing else may be in it.
  if (readdirSync(data).length > 0)
    throw new Error(`${data} is not empty, or has data of a service already: set SANDBAR_DATA to a new folder`);
  const discard = () => rmSync(data, { recursive: true, force: true });
  let isLocked = false;
  try {
    const { url, operatorKey, end } = await open({
      root,
      environment: { ...environment, SANDBAR_PROCESSES: "1" },
      prepare: async () => {
        isLocked = true;
        prepare(data);
      },
    });
    return { copies: copiesAt(url, operatorKey), data, end, discard };
  } catch (error) {
    // Before the lock, the folder may be that of a service that is starting.
    if (!isLocked) throw error;
    discard();
    throw new Error(`${messageOfError(error)}\nNothing was restored, and ${data} was removed.`, { cause: error });
  }
}

function openBuilt(options: MaintenanceOptions): Promise<Maintenance> {
  if (!existsSync(join(root, "dist/worker/index.js"))) throw new Error("build the service first: npm run build");
  return openMaintenance(options);
}

function copiesAt(url: string, key: string): ServiceCopies {
  return new Sandbar({ url, key }).operator.copies;
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
