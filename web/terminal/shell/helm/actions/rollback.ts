// `helm rollback`.
import { asError } from "../../../../kubectl/errors.ts";
import { buildResources, deleteResources, markOwned, type Resource, updateResources } from "../release/resources.ts";
import { type Release, timestamp } from "../release/release.ts";
import { waitUntilReady } from "../release/wait.ts";
import { type Context, waiterOf } from "./context.ts";
import { runHooks } from "./hooks.ts";
import { nameProblem } from "../release/names.ts";

export interface RollbackOptions {
  readonly timeoutMs: number;
  readonly waits: boolean;
  readonly waitsForJobs: boolean;
  readonly skipsHooks: boolean;
  readonly forces: boolean;
  readonly cleansUp: boolean;
  readonly isDry: boolean;
  readonly maxHistory: number;
}

/** Rolls back to a revision; 0 is the one before the current one. */
export async function rollback(
  context: Context,
  name: string,
  revision: number,
  options: RollbackOptions,
): Promise<void> {
  const { storage, surroundings } = context;
  if (nameProblem(name)) throw new Error(`prepareRollback: Release name is invalid: ${name}`);
  if (revision < 0) throw new Error("invalid release revision");
  const history = await storage.history(name);
  const current = await storage.last(name);
  const goal = revision === 0 ? current.version - 1 : revision;
  const previous = history.find(({ version }) => version === goal);
  if (!previous) throw new Error(`release has no ${goal} version`);
  if (options.isDry) return;
  const release: Release = {
    ...previous,
    namespace: current.namespace,
    version: current.version + 1,
    info: {
      first_deployed: current.info.first_deployed,
      last_deployed: timestamp(surroundings.clock.nowMs()),
      deleted: "",
      description: `Rollback to ${goal}`,
      status: "pending-rollback",
      ...(previous.info.notes === undefined ? {} : { notes: previous.info.notes }),
    },
  };
  await storage.create(release, options.maxHistory);
  await perform(context, current, release, options);
  for (const old of await storage.history(name)) {
    if (old.info.status !== "deployed") continue;
    old.info.status = "superseded";
    await storage.update(old);
  }
  release.info.status = "deployed";
  await storage.update(release);
}

async function perform(context: Context, current: Release, release: Release, options: RollbackOptions): Promise<void> {
  const { cluster, storage } = context;
  const build = ({ manifest, namespace }: Release, which: string) =>
    buildResources(cluster, manifest, namespace).catch((error: unknown) => {
      throw new Error(`unable to build kubernetes objects from ${which} release manifest: ${asError(error).message}`);
    });
  const original = await build(current, "current");
  const target = await build(release, "new");
  if (!options.skipsHooks) await runHooks(context, release, "pre-rollback", options.timeoutMs);
  markOwned(target, release.name, release.namespace);
  const created: Resource[] = [];
  const record = async (text: string) => {
    release.info.status = "failed";
    release.info.description = text;
    await storage.update(current).catch(() => undefined);
    await storage.update(release).catch(() => undefined);
  };
  try {
    await updateResources(cluster, original, target, options.forces, created);
  } catch (error) {
    current.info.status = "superseded";
    await record(`Rollback ${JSON.stringify(release.name)} failed: ${asError(error).message}`);
    if (options.cleansUp) await deleteResources(cluster, created);
    throw error;
  }
  if (options.waits)
    await waitUntilReady(waiterOf(context, options.timeoutMs), target, options.waitsForJobs).catch(
      async (error: unknown) => {
        await record(`Release ${JSON.stringify(release.name)} failed: ${asError(error).message}`);
        throw new Error(`release ${release.name} failed: ${asError(error).message}`);
      },
    );
  if (!options.skipsHooks) await runHooks(context, release, "post-rollback", options.timeoutMs);
}
