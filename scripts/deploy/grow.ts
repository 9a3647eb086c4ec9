// One database more: a Worker that asks where each tenant is, the move, a Worker that knows the new number. Each step looks whether it is
// done already, so that the same command goes on after whatever cut it off.
import { finishMove, hasGrown, type Move, moveTenants, planOfMove, prepareMove, type Sql } from "./move-tenants.ts";
import type { DeploySettings } from "./settings.ts";
import { databaseNames } from "./settings.ts";

export interface Growing extends Omit<Move, "databases"> {
  /** Of the service as it is. */
  readonly settings: DeploySettings;
  readonly isDry: boolean;
  /** The ids of the databases that there are, by their names. */
  ids(): Promise<ReadonlyMap<string, string>>;
  database(id: string): Sql;
  /** Makes databases, migrates them and deploys the Worker. `before`: see `Deployment`. */
  deploy(settings: DeploySettings, before?: number): Promise<unknown>;
}

/** Until a Worker serves everywhere, in place of the one before it. */
const rolloutMs = 60_000;

export async function grow(growing: Growing): Promise<void> {
  const { settings, isDry, say, wait } = growing;
  const before = settings.databases;
  const next = { ...settings, databases: before + 1 };
  if (before >= 10) throw new Error("there are 10 databases, as many as there may be");
  const names = databaseNames(next);
  const there = await growing.ids();
  if (names.slice(0, -1).some((name) => !there.has(name))) throw new Error("deploy the service first");
  const open = async () => {
    const ids = await growing.ids();
    return names.map((name) => growing.database(ids.get(name) ?? ""));
  };
  const isThere = there.has(names.at(-1) ?? "");
  if (isThere && (await hasGrown({ databases: await open() }))) {
    throw new Error(`${names.at(-1)} has tenants already: write "databases": ${next.databases} into the settings`);
  }
  const { tenants, rows } = await planOfMove({ databases: await open() });
  say(
    `${tenants} tenants with ${rows} rows ${isDry ? "would be" : "are"} moved to ${names.at(-1)}, the database ${before + 1}`,
  );
  if (isDry) return say("This was a dry run: nothing was changed. Run it with --yes to do it.");
  await prepareMove({ databases: await open() });
  await growing.deploy(next, before);
  await wait(rolloutMs);
  const databases = await open();
  await moveTenants({ ...growing, databases });
  await growing.deploy(next);
  await wait(rolloutMs);
  await finishMove({ databases });
  say(`Done. Write "databases": ${next.databases} into the settings.`);
}
