// Adds a database: deploys a Worker that looks up each tenant's database, moves tenants, and deploys a Worker with the new number. Each
// step checks whether it is done already, so that the same command goes on after an interruption.
import { finishMove, hasGrown, type Move, moveTenants, planOfMove, prepareMove, type Sql } from "./move-tenants.ts";
import { type DeploySettings, databaseNames } from "./settings.ts";

export interface Growing extends Omit<Move, "databases"> {
  /** The settings of the deployed service. */
  readonly settings: DeploySettings;
  readonly isDry: boolean;
  /** Returns the ids of existing databases by name. */
  ids(): Promise<ReadonlyMap<string, string>>;
  database(id: string): Sql;
  /**
   * Creates and migrates databases, and deploys the Worker. `before`: the number of databases before this growth. While it is given, the
   * Worker looks up each tenant's database, because tenants are being moved.
   */
  deploy(settings: DeploySettings, before?: number): Promise<unknown>;
}

const maxDatabases = 10;
/** The time until a new Worker has replaced the previous one everywhere. */
const rolloutMs = 60_000;

export async function grow(growing: Growing): Promise<void> {
  const { settings, isDry, say, wait } = growing;
  const currentCount = settings.databases;
  const next = { ...settings, databases: currentCount + 1 };
  if (currentCount >= maxDatabases) throw new Error(`there are ${maxDatabases} databases, which is the limit`);
  const names = databaseNames(next);
  const existingIds = await growing.ids();
  if (names.slice(0, -1).some((name) => !existingIds.has(name))) throw new Error("deploy the service first");
  const open = async () => {
    const ids = await growing.ids();
    return names.map((name) => growing.database(ids.get(name) ?? ""));
  };
  const isThere = existingIds.has(names.at(-1) ?? "");
  if (isThere && (await hasGrown({ databases: await open() }))) {
    throw new Error(`${names.at(-1)} has tenants already: write "databases": ${next.databases} into the settings`);
  }
  const { tenants, rows } = await planOfMove({ databases: await open() });
  say(
    `${tenants} tenants with ${rows} rows ${isDry ? "would be" : "are"} moved to ${names.at(-1)}, the database ${currentCount + 1}`,
  );
  if (isDry) return say("This was a dry run: nothing was changed. Run it with --yes to do it.");
  await prepareMove({ databases: await open() });
  await growing.deploy(next, currentCount);
  await wait(rolloutMs);
  const databases = await open();
  await moveTenants({ ...growing, databases });
  await growing.deploy(next);
  await wait(rolloutMs);
  await finishMove({ databases });
  say(`Done. Write "databases": ${next.databases} into the settings.`);
}
