// The service that is backed up or restored: a deployed one at an address, or the local one of a data folder, running or not.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServiceCopies } from "../../client/copies.ts";
import { Sandbar } from "../../client/index.ts";
import { openMaintenance } from "../local/maintenance.ts";
import { addressFile } from "../local/run.ts";
import { isFolderLocked } from "../local/folder-lock.ts";
import { dataFolder } from "../local/settings.ts";

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
  return maintained(environment, data);
}

/**
 * Opens a new data folder. `prepare` writes its files before anything is started. One process holds all objects; the next start of the service
 * moves them to the others.
 */
export async function newLocalService(
  environment: NodeJS.ProcessEnv,
  prepare: (data: string) => void,
): Promise<CopiedService> {
  const data = dataFolder(environment);
  if (["state", "secret"].some((name) => existsSync(join(data, name))))
    throw new Error(`${data} has data of a service already: set SANDBAR_DATA to a new folder`);
  const service = await maintained({ ...environment, SANDBAR_PROCESSES: "1" }, data, prepare);
  return { ...service, discard: () => rmSync(data, { recursive: true, force: true }) };
}

async function maintained(
  environment: NodeJS.ProcessEnv,
  data: string,
  prepare: (data: string) => void = () => undefined,
): Promise<CopiedService> {
  const built = join(root, "dist/worker/index.js");
  if (!existsSync(built)) throw new Error("build the service first: npm run build");
  const { url, operatorKey, end } = await openMaintenance({
    root,
    environment,
    prepare: async () => prepare(data),
  });
  return { copies: copiesAt(url, operatorKey), data, end, discard: () => undefined };
}

function copiesAt(url: string, key: string): ServiceCopies {
  return new Sandbar({ url, key }).operator.copies;
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
