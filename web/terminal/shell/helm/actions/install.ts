// `helm install`.
import { readYamlDocuments } from "../../../../../shared/schema/yaml/read.ts";
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import { asError, StatusError } from "../../../../kubectl/errors.ts";
import { type Chart, crdsOf } from "../chart/chart.ts";
import { processDependencies } from "../chart/dependencies.ts";
import {
  adoptable,
  buildResources,
  createResource,
  createResources,
  markOwned,
  type Resource,
  updateResources,
} from "../release/resources.ts";
import { plainObject, type Release, storedChart, timestamp } from "../release/release.ts";
import { ReleaseNotFound } from "../release/storage.ts";
import { nameProblem } from "../release/names.ts";
import { waitUntilReady } from "../release/wait.ts";
import { clusterCapabilities, type Context, waiterOf } from "./context.ts";
import { runHooks } from "./hooks.ts";
import { render } from "./prepare.ts";
import { uninstall } from "./uninstall.ts";

/** The options that `install` and `upgrade` share. */
export interface ActionOptions {
  /** `client` and `server` change nothing; only `server` reads objects for `lookup`. */
  readonly dryRun: "none" | "client" | "server";
  readonly waits: boolean;
  readonly waitsForJobs: boolean;
  readonly timeoutMs: number;
  readonly isAtomic: boolean;
  readonly skipsHooks: boolean;
  readonly skipsCrds: boolean;
  readonly forces: boolean;
  readonly takesOwnership: boolean;
  readonly skipsSchema: boolean;
  readonly withSubchartNotes: boolean;
  readonly hidesSecrets: boolean;
  readonly createsNamespace: boolean;
  readonly replaces: boolean;
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Throws if the name cannot be used. */
async function checkName(context: Context, name: string, options: ActionOptions): Promise<void> {
  const problem = nameProblem(name);
  if (problem) throw new Error(`release name ${JSON.stringify(name)}: ${problem}`);
  if (options.dryRun !== "none") return;
  const history = await context.storage.history(name).catch((error: unknown) => {
    if (error instanceof ReleaseNotFound) return [];
    throw error;
  });
  const status = history.at(-1)?.info.status;
  if (status === undefined || (options.replaces && (status === "uninstalled" || status === "failed"))) return;
  throw new Error("cannot re-use a name that is still in use");
}

async function installCrds({ cluster, warn }: Context, chart: Chart): Promise<void> {
  for (const { name, text } of crdsOf(chart)) {
    for (const resource of await buildResources(cluster, text, "").catch((error: unknown) => {
      throw new Error(`failed to install CRD ${name}: ${asError(error).message}`);
    })) {
      try {
        await createResource(cluster, resource);
      } catch (error) {
        if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists")
          throw new Error(`failed to install CRD ${name}: ${asError(error).message}`);
        warn(`CRD ${resource.name} is already present. Skipping.`);
      }
    }
  }
  cluster.forget();
}

export async function install(
  context: Context,
  name: string,
  chart: Chart,
  values: JsonObject,
  options: ActionOptions,
): Promise<Release> {
  const { cluster, storage, namespace, surroundings } = context;
  const isDry = options.dryRun !== "none";
  await checkName(context, name, options);
  processDependencies(chart, values, context.warn);
  if (!isDry && !options.skipsCrds) await installCrds(context, chart);
  const rendered = await render(context, {
    ...options,
    chart,
    values,
    name,
    namespace,
    revision: 1,
    isUpgrade: false,
    capabilities: await clusterCapabilities(context),
    reachesCluster: options.dryRun !== "client",
  });
  const now = timestamp(surroundings.clock.nowMs());
  const revision = options.replaces ? await nextRevision(context, name) : 1;
  const release: Release = {
    name,
    namespace,
    version: revision,
    info: {
      first_deployed: now,
      last_deployed: now,
      deleted: "",
      description: "Initial install underway",
      status: "pending-install",
      notes: rendered.notes,
    },
    chart: storedChart(chart),
    config: plainObject(values),
    manifest: rendered.manifest,
    hooks: rendered.hooks,
    labels: options.labels,
  };
  const resources = await buildResources(cluster, release.manifest, namespace).catch((error: unknown) => {
    throw new Error(`unable to build kubernetes objects from release manifest: ${asError(error).message}`);
  });
  markOwned(resources, name, namespace);
  const existing = await adoptable(cluster, resources, name, namespace, options.takesOwnership).catch(
    (error: unknown) => {
      throw new Error(`Unable to continue with install: ${asError(error).message}`);
    },
  );
  if (isDry) {
    release.info.description = "Dry run complete";
    return release;
  }
  if (options.createsNamespace) await createNamespace(context);
  await storage.create(release, 0);
  try {
    await perform(context, release, resources, existing, options);
  } catch (error) {
    throw await afterFailure(context, release, asError(error), options);
  }
  return release;
}

async function nextRevision({ storage }: Context, name: string): Promise<number> {
  const history = await storage.history(name).catch(() => []);
  const last = history.at(-1);
  if (!last) return 1;
  last.info.status = "superseded";
  await storage.update(last);
  return last.version + 1;
}

async function createNamespace({ cluster, namespace }: Context): Promise<void> {
  const manifest = `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${JSON.stringify(namespace)}\n  labels:\n    name: ${JSON.stringify(namespace)}\n`;
  for (const { value } of readYamlDocuments(manifest))
    await cluster
      .json("/api/v1/namespaces", { method: "POST", body: value, query: { fieldManager: "helm" } })
      .catch((error: unknown) => {
        if (!(error instanceof StatusError) || error.status.reason !== "AlreadyExists") throw error;
      });
}

async function perform(
  context: Context,
  release: Release,
  resources: readonly Resource[],
  existing: readonly Resource[],
  options: ActionOptions,
): Promise<void> {
  const { cluster, storage } = context;
  const hooks = async (event: string) => {
    if (options.skipsHooks) return;
    await runHooks(context, release, event, options.timeoutMs).catch((error: unknown) => {
      throw new Error(`failed ${event}: ${asError(error).message}`);
    });
  };
  await hooks("pre-install");
  if (existing.length === 0) await createResources(cluster, resources);
  else await updateResources(cluster, existing, resources, options.forces, []);
  if (options.waits) await waitUntilReady(waiterOf(context, options.timeoutMs), resources, options.waitsForJobs);
  await hooks("post-install");
  release.info.status = "deployed";
  release.info.description = options.description || "Install complete";
  await storage.update(release);
}

async function afterFailure(context: Context, release: Release, error: Error, options: ActionOptions): Promise<Error> {
  release.info.status = "failed";
  release.info.description = `Release ${JSON.stringify(release.name)} failed: ${error.message}`;
  if (!options.isAtomic) {
    await context.storage.update(release).catch(() => undefined);
    return error;
  }
  try {
    await uninstall(context, release.name, {
      keepsHistory: false,
      skipsHooks: options.skipsHooks,
      timeoutMs: options.timeoutMs,
    });
  } catch (failure) {
    return new Error(
      `an error occurred while uninstalling the release. original install error: ${error.message}: ${asError(failure).message}`,
    );
  }
  return new Error(
    `release ${release.name} failed, and has been uninstalled due to atomic being set: ${error.message}`,
  );
}
