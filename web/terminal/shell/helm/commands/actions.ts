// `helm install`, `upgrade`, `rollback`, `uninstall` and `test`.
import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../../kubectl/flag.ts";
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import { runHooks } from "../actions/hooks.ts";
import { install } from "../actions/install.ts";
import { rollback } from "../actions/rollback.ts";
import { uninstall } from "../actions/uninstall.ts";
import { upgrade, type UpgradeOptions } from "../actions/upgrade.ts";
import { before, trimmedEnd } from "../../../../../shared/base/trim.ts";
import type { Chart } from "../chart/chart.ts";
import { renderName } from "../chart/render.ts";
import type { Release } from "../release/release.ts";
import { ReleaseNotFound } from "../release/storage.ts";
import type { HelmCall, HelmCommand } from "./call.ts";
import { outputFlag, printed, releaseJson, statusText } from "./output.ts";
import { completeChart } from "./dependencies.ts";
import { actionFlags, actionOptions, chartNamed, nameFlags, rollbackFlags, valuesOf } from "./values.ts";

/** Returns the name of the release and that of the chart. `fallback` is the name if the command line has none. */
export async function nameAndChart(
  { args, flags, surroundings, context }: HelmCall,
  fallback?: string,
): Promise<{ name: string; chart: string }> {
  const [first = "", second, ...more] = args;
  const nameTemplate = flags.text("name-template");
  if (more.length > 0) throw new Error(`expected at most two arguments, unexpected arguments: ${more.join(", ")}`);
  if (second !== undefined) {
    if (flags.bool("generate-name")) throw new Error("cannot set --generate-name and also specify a name");
    if (nameTemplate !== "") throw new Error("cannot set --name-template and also specify a name");
    return { name: first, chart: second };
  }
  if (nameTemplate !== "")
    return {
      name: await renderName(nameTemplate, { clock: surroundings.clock, newRandom: context().newRandom }),
      chart: first,
    };
  if (fallback !== undefined) return { name: fallback, chart: first };
  if (!flags.bool("generate-name")) throw new Error("must either provide a name or specify --generate-name");
  const path = trimmedEnd(first, "/");
  const base = path.slice(path.lastIndexOf("/") + 1);
  const bare = base === "" || base === "." ? "chart" : before(base, ".");
  return { name: `${bare}-${Math.floor(surroundings.clock.nowMs() / 1000)}`, chart: first };
}

export async function installableChart(call: HelmCall, name: string): Promise<{ chart: Chart; values: JsonObject }> {
  const chart = await chartNamed(call, name);
  const values = await valuesOf(call);
  const { type, deprecated } = chart.metadata;
  if (typeof type === "string" && type !== "" && type !== "application")
    throw new Error(`${type} charts are not installable`);
  if (deprecated === true) call.warn("WARNING: This chart is deprecated");
  return { chart: await completeChart(call, name, chart), values };
}

function print(call: HelmCall, release: Release): void {
  call.out(
    printed(call.flags, releaseJson(release, true), () =>
      statusText(release, { hidesNotes: call.flags.bool("hide-notes") }),
    ),
  );
}

/** Adds a prefix to the message of an error. */
async function failing<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${prefix}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function runInstall(call: HelmCall): Promise<void> {
  const release = await failing("INSTALLATION FAILED", async () => {
    const { name, chart: chartName } = await nameAndChart(call);
    const { chart, values } = await installableChart(call, chartName);
    return install(call.context(), name, chart, values, actionOptions(call));
  });
  print(call, release);
}

async function runUpgrade(call: HelmCall): Promise<void> {
  const [name = "", chartName = ""] = call.args;
  const { flags } = call;
  const context = call.context();
  if (flags.bool("install")) {
    const history = await context.storage.history(name).catch((error: unknown) => {
      if (error instanceof ReleaseNotFound) return [];
      throw error;
    });
    const status = history.at(-1)?.info.status;
    if (status === undefined || status === "uninstalled") {
      if (flags.text("output") === "table")
        call.out(`Release ${JSON.stringify(name)} does not exist. Installing it now.\n`);
      const { chart, values } = await installableChart(call, chartName);
      print(
        call,
        await install(context, name, chart, values, { ...actionOptions(call), replaces: status === "uninstalled" }),
      );
      return;
    }
  }
  const source = await chartNamed(call, chartName);
  const values = await valuesOf(call);
  const chart = await completeChart(call, chartName, source);
  if (chart.metadata.deprecated === true) call.warn("WARNING: This chart is deprecated");
  const reuse: UpgradeOptions["reuse"] = flags.bool("reset-values")
    ? "reset"
    : flags.bool("reuse-values")
      ? "reuse"
      : flags.bool("reset-then-reuse-values")
        ? "reset-then-reuse"
        : "default";
  const release = await failing("UPGRADE FAILED", () =>
    upgrade(context, name, chart, values, {
      ...actionOptions(call),
      reuse,
      maxHistory: flags.int("history-max"),
      cleansUp: flags.bool("cleanup-on-fail"),
    }),
  );
  if (flags.text("output") === "table") call.out(`Release ${JSON.stringify(name)} has been upgraded. Happy Helming!\n`);
  print(call, release);
}

async function runRollback(call: HelmCall): Promise<void> {
  const [name = "", revision = "0"] = call.args;
  const { flags } = call;
  if (!/^-?\d+$/.test(revision))
    throw new Error(
      `could not convert revision to a number: strconv.Atoi: parsing ${JSON.stringify(revision)}: invalid syntax`,
    );
  await rollback(call.context(), name, Number(revision), {
    timeoutMs: flags.durationMs("timeout"),
    waits: flags.bool("wait"),
    waitsForJobs: flags.bool("wait-for-jobs"),
    skipsHooks: flags.bool("no-hooks"),
    forces: flags.bool("force"),
    cleansUp: flags.bool("cleanup-on-fail"),
    isDry: flags.bool("dry-run"),
    maxHistory: flags.int("history-max"),
  });
  call.out("Rollback was a success! Happy Helming!\n");
}

async function runUninstall(call: HelmCall): Promise<void> {
  const { flags } = call;
  for (const name of call.args) {
    const info = await uninstall(call.context(), name, {
      keepsHistory: flags.bool("keep-history"),
      skipsHooks: flags.bool("no-hooks"),
      timeoutMs: flags.durationMs("timeout"),
      waits: flags.bool("wait"),
      isDry: flags.bool("dry-run"),
      ignoresMissing: flags.bool("ignore-not-found"),
      propagation: flags.text("cascade"),
      description: flags.text("description"),
    });
    if (info) call.out(`${info}\n`);
    call.out(`release ${JSON.stringify(name)} uninstalled\n`);
  }
}

async function runTest(call: HelmCall): Promise<void> {
  const [name = ""] = call.args;
  const context = call.context();
  const release = await context.storage.last(name);
  try {
    await runHooks(context, release, "test", call.flags.durationMs("timeout"));
  } finally {
    await context.storage.update(release);
    call.out(statusText(release, { hidesNotes: call.flags.bool("hide-notes") }));
  }
}

const timeout = durationFlag("timeout", "time to wait for any individual Kubernetes operation", { default: "5m0s" });

export const actionCommands: readonly HelmCommand[] = [
  {
    names: ["install"],
    usage: "[NAME] [CHART] [flags]",
    short: "install a chart",
    flags: [...actionFlags, ...nameFlags, outputFlag],
    count: [1, Number.POSITIVE_INFINITY],
    run: runInstall,
  },
  {
    names: ["upgrade"],
    usage: "[RELEASE] [CHART] [flags]",
    short: "upgrade a release",
    flags: [
      ...actionFlags,
      outputFlag,
      boolFlag("install", "if a release by this name doesn't already exist, run an install", { short: "i" }),
      boolFlag("reset-values", "reset the values to the ones built into the chart"),
      boolFlag("reuse-values", "reuse the last release's values and merge in any overrides"),
      boolFlag("reset-then-reuse-values", "reset the values to the chart's, then apply the last release's"),
      boolFlag("cleanup-on-fail", "allow deletion of new resources created in this upgrade when upgrade fails"),
      intFlag("history-max", "limit the maximum number of revisions saved per release", { default: 10 }),
    ],
    count: [2, 2],
    run: runUpgrade,
  },
  {
    names: ["rollback"],
    usage: "<RELEASE> [REVISION] [flags]",
    short: "roll back a release to a previous revision",
    flags: rollbackFlags,
    count: [1, 2],
    run: runRollback,
  },
  {
    names: ["uninstall", "del", "delete", "un"],
    usage: "RELEASE_NAME [...] [flags]",
    short: "uninstall a release",
    flags: [
      boolFlag("dry-run", "simulate a uninstall"),
      boolFlag("no-hooks", "prevent hooks from running during uninstallation"),
      boolFlag("ignore-not-found", "treat a missing release as a success"),
      boolFlag("keep-history", "remove all associated resources, but retain the release history"),
      boolFlag("wait", "wait until all the resources are deleted before returning"),
      stringFlag("cascade", "background, orphan or foreground", { default: "background" }),
      stringFlag("description", "add a custom description"),
      timeout,
    ],
    count: [1, Number.POSITIVE_INFINITY],
    run: runUninstall,
  },
  {
    names: ["test"],
    usage: "[RELEASE] [flags]",
    short: "run tests for a release",
    flags: [boolFlag("hide-notes", "do not show notes in the output"), timeout],
    count: [1, 1],
    run: runTest,
  },
];
