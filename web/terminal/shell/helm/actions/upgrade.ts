// `helm upgrade`.
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import { asError } from "../../../../kubectl/errors.ts";
import type { Chart } from "../chart/chart.ts";
import { coalesceTables, coalesceValues } from "../chart/coalesce.ts";
import { processDependencies } from "../chart/dependencies.ts";
import {
  adoptable,
  buildResources,
  deleteResources,
  keyOf,
  markOwned,
  type Resource,
  updateResources,
} from "../release/resources.ts";
import { chartOfStored, isPending, plainObject, type Release, storedChart, timestamp } from "../release/release.ts";
import { ReleaseNotFound } from "../release/storage.ts";
import { waitUntilReady } from "../release/wait.ts";
import { deepCopy } from "../template/values.ts";
import { clusterCapabilities, type Context, waiterOf } from "./context.ts";
import { runHooks } from "./hooks.ts";
import { nameProblem } from "../release/names.ts";
import type { ActionOptions } from "./install.ts";
import { render } from "./prepare.ts";
import { rollback } from "./rollback.ts";

export interface UpgradeOptions extends ActionOptions {
  readonly reuse: "default" | "reset" | "reuse" | "reset-then-reuse";
  readonly maxHistory: number;
  readonly cleansUp: boolean;
}

/** Returns the release whose objects the cluster has, and the newest revision. */
async function currentOf(context: Context, name: string): Promise<{ current: Release; last: Release }> {
  const missing = new Error(`${JSON.stringify(name)} has no deployed releases`);
  const history = await context.storage.history(name).catch((error: unknown) => {
    throw error instanceof ReleaseNotFound ? missing : error;
  });
  const last = history.at(-1);
  if (!last) throw missing;
  if (isPending(last.info.status)) throw new Error("another operation (install/upgrade/rollback) is in progress");
  if (last.info.status === "deployed") return { current: last, last };
  const deployed = history.filter(({ info }) => info.status === "deployed").at(-1);
  if (deployed) return { current: deployed, last };
  if (last.info.status === "failed" || last.info.status === "superseded") return { current: last, last };
  throw missing;
}

function mergedValues(
  chart: Chart,
  current: Release,
  values: JsonObject,
  { reuse }: UpgradeOptions,
  warn: (text: string) => void,
): JsonObject {
  if (reuse === "reset") return values;
  if (reuse === "reuse") {
    const before = coalesceValues(chartOfStored(current.chart), current.config, warn);
    chart.values = before;
    return coalesceTables(values, deepCopy(current.config), "", false, warn);
  }
  if (reuse === "reset-then-reuse") return coalesceTables(values, deepCopy(current.config), "", false, warn);
  return Object.keys(values).length === 0 ? current.config : values;
}

export async function upgrade(
  context: Context,
  name: string,
  chart: Chart,
  userValues: JsonObject,
  options: UpgradeOptions,
): Promise<Release> {
  if (nameProblem(name)) throw new Error(`release name is invalid: ${name}`);
  const { current, last } = await currentOf(context, name);
  const values = mergedValues(chart, current, userValues, options, context.warn);
  processDependencies(chart, values, context.warn);
  const revision = last.version + 1;
  const rendered = await render(context, {
    ...options,
    chart,
    values,
    name,
    namespace: current.namespace,
    revision,
    isUpgrade: true,
    capabilities: await clusterCapabilities(context),
    reachesCluster: options.dryRun !== "client",
  });
  const labels = Object.entries({ ...last.labels, ...options.labels }).filter(([, value]) => value !== "null");
  const release: Release = {
    name,
    namespace: current.namespace,
    version: revision,
    info: {
      first_deployed: current.info.first_deployed,
      last_deployed: timestamp(context.surroundings.clock.nowMs()),
      deleted: "",
      description: "Preparing upgrade",
      status: "pending-upgrade",
      ...(rendered.notes === "" ? {} : { notes: rendered.notes }),
    },
    chart: storedChart(chart),
    config: plainObject(values),
    manifest: rendered.manifest,
    hooks: rendered.hooks,
    labels: Object.fromEntries(labels),
  };
  await perform(context, current, release, options);
  return release;
}

async function build(context: Context, release: Release, which: string): Promise<Resource[]> {
  return buildResources(context.cluster, release.manifest, release.namespace).catch((error: unknown) => {
    throw new Error(`unable to build kubernetes objects from ${which} release manifest: ${asError(error).message}`);
  });
}

async function perform(context: Context, current: Release, release: Release, options: UpgradeOptions): Promise<void> {
  const original = await build(context, current, "current");
  const target = await build(context, release, "new");
  markOwned(target, release.name, release.namespace);
  const before = new Set(original.map(keyOf));
  const additions = target.filter((resource) => !before.has(keyOf(resource)));
  const adopted = await adoptable(
    context.cluster,
    additions,
    release.name,
    release.namespace,
    options.takesOwnership,
  ).catch((error: unknown) => {
    throw new Error(`Unable to continue with update: ${asError(error).message}`);
  });
  if (options.dryRun !== "none") {
    release.info.description = options.description || "Dry run complete";
    return;
  }
  await context.storage.create(release, options.maxHistory);
  const created: Resource[] = [];
  try {
    await replace(context, release, { original: [...original, ...adopted], target, created }, options);
  } catch (error) {
    throw await afterFailure(context, release, created, asError(error), options);
  }
  current.info.status = "superseded";
  await context.storage.update(current).catch(() => undefined);
  release.info.status = "deployed";
  release.info.description = options.description || "Upgrade complete";
  await context.storage.update(release);
}

async function replace(
  context: Context,
  release: Release,
  { original, target, created }: { original: readonly Resource[]; target: readonly Resource[]; created: Resource[] },
  options: UpgradeOptions,
): Promise<void> {
  const hooks = async (event: string) => {
    if (options.skipsHooks) return;
    await runHooks(context, release, event, options.timeoutMs).catch((error: unknown) => {
      throw new Error(`${event} hooks failed: ${asError(error).message}`);
    });
  };
  await hooks("pre-upgrade");
  await updateResources(context.cluster, original, target, options.forces, created);
  if (options.waits) await waitUntilReady(waiterOf(context, options.timeoutMs), target, options.waitsForJobs);
  await hooks("post-upgrade");
}

async function afterFailure(
  context: Context,
  release: Release,
  created: readonly Resource[],
  error: Error,
  options: UpgradeOptions,
): Promise<Error> {
  release.info.status = "failed";
  release.info.description = `Upgrade ${JSON.stringify(release.name)} failed: ${error.message}`;
  await context.storage.update(release).catch(() => undefined);
  if (options.cleansUp) {
    const problems = await deleteResources(context.cluster, created);
    if (problems.length > 0)
      return new Error(
        `an error occurred while cleaning up resources. original upgrade error: ${error.message}: unable to cleanup resources: ${problems.map(({ message }) => message).join(", ")}`,
      );
  }
  if (!options.isAtomic) return error;
  const history = await context.storage.history(release.name);
  const good = history.filter(({ info }) => info.status === "superseded" || info.status === "deployed").at(-1);
  if (!good)
    return new Error(
      `unable to find a previously successful release when attempting to rollback. original upgrade error: ${error.message}`,
    );
  try {
    await rollback(context, release.name, good.version, {
      ...options,
      waits: true,
      isDry: false,
      maxHistory: options.maxHistory,
    });
  } catch (failure) {
    return new Error(
      `an error occurred while rolling back the release. original upgrade error: ${error.message}: ${asError(failure).message}`,
    );
  }
  return new Error(
    `release ${release.name} failed, and has been rolled back due to atomic being set: ${error.message}`,
  );
}
