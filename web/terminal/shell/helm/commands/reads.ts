// `helm list`, `history`, `status` and `get`.
import { budgetOf, compilePattern, isPattern } from "../../../../../shared/base/pattern.ts";
import { boolFlag, intFlag, stringFlag } from "../../../../kubectl/flag.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import { isObject } from "../../../../../shared/schema/json-values.ts";
import { listAt } from "../../../../kubectl/object.ts";
import { coalesceValues } from "../chart/coalesce.ts";
import { appVersionOf, chartLabel, chartOfStored, isPending, type Release } from "../release/release.ts";
import { compareText, plain } from "../template/values.ts";
import type { HelmCall, HelmCommand } from "./call.ts";
import { ansiTime, fullTime, outputFlag, printed, releaseJson, statusText, tableOf } from "./output.ts";

const filterUnits = 1_000_000;

/** Keeps the newest revision of each release. */
function newestOnly(releases: readonly Release[]): Release[] {
  const newest = new Map<string, Release>();
  for (const release of releases) {
    const key = `${release.namespace}/${release.name}`;
    const before = newest.get(key);
    if (!before || before.version < release.version) newest.set(key, release);
  }
  return [...newest.values()];
}

function selected(call: HelmCall, releases: readonly Release[]): Release[] {
  const { flags } = call;
  const states = ["deployed", "failed", "superseded", "uninstalled", "uninstalling"].filter((state) =>
    flags.bool(state),
  );
  const hasStates = states.length > 0 || flags.bool("pending");
  const matches = ({ info }: Release) => {
    if (flags.bool("all")) return true;
    if (!hasStates) return info.status === "deployed" || info.status === "failed";
    return states.includes(info.status) || (flags.bool("pending") && isPending(info.status));
  };
  const filter = flags.text("filter");
  const pattern = compilePattern(filter, { withoutGroups: true });
  if (!isPattern(pattern)) throw new Error(pattern.error);
  const candidates = flags.bool("superseded") ? [...releases] : newestOnly(releases);
  const list = candidates.filter(
    (release) => matches(release) && (filter === "" || pattern.test(release.name, budgetOf(filterUnits))),
  );
  const byDate = (a: Release, b: Release) => Date.parse(a.info.last_deployed) - Date.parse(b.info.last_deployed);
  list.sort((a, b) => (flags.bool("date") ? byDate(a, b) : compareText(a.name, b.name)));
  if (flags.bool("reverse")) list.reverse();
  const offset = flags.int("offset");
  return list.slice(offset, flags.int("max") > 0 ? offset + flags.int("max") : undefined);
}

async function runList(call: HelmCall): Promise<void> {
  const { flags } = call;
  const context = call.context(flags.bool("all-namespaces") ? "" : undefined);
  const releases = selected(call, await context.storage.list());
  if (flags.bool("short")) {
    const names = releases.map(({ name }) => name);
    call.out(printed(flags, names, () => names.map((name) => `${name}\n`).join("")));
    return;
  }
  const rows = releases.map((release) => ({
    name: release.name,
    namespace: release.namespace,
    revision: String(release.version),
    updated: fullTime(release.info.last_deployed),
    status: release.info.status,
    chart: chartLabel(release),
    app_version: appVersionOf(release),
  }));
  const header = ["NAME", "NAMESPACE", "REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION"];
  call.out(
    printed(flags, rows, () =>
      tableOf([...(flags.bool("no-headers") ? [] : [header]), ...rows.map((row) => Object.values(row))]),
    ),
  );
}

async function runHistory(call: HelmCall): Promise<void> {
  const [name = ""] = call.args;
  const releases = (await call.context().storage.history(name)).slice(-Math.max(0, call.flags.int("max")));
  const rows = releases.map((release) => ({
    revision: release.version,
    updated: release.info.last_deployed,
    status: release.info.status,
    chart: chartLabel(release),
    app_version: appVersionOf(release),
    description: release.info.description ?? "",
  }));
  const header = ["REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION", "DESCRIPTION"];
  const cells = rows.map((row) =>
    Object.values({ ...row, revision: String(row.revision), updated: ansiTime(row.updated) }),
  );
  call.out(printed(call.flags, rows, () => tableOf([header, ...cells])));
}

/** Returns the release of `--revision`, or the newest. */
async function releaseOf(call: HelmCall): Promise<Release> {
  const [name = ""] = call.args;
  const { storage } = call.context();
  const revision = call.flags.int("revision");
  return revision > 0 ? storage.get(name, revision) : storage.last(name);
}

async function runStatus(call: HelmCall): Promise<void> {
  const release = await releaseOf(call);
  call.out(
    printed(call.flags, releaseJson(release, false), () =>
      statusText(release, { showsDescription: call.flags.bool("show-desc") }),
    ),
  );
}

function computedValues(call: HelmCall, release: Release) {
  return coalesceValues(chartOfStored(release.chart), release.config, (text) => call.warn(text));
}

/** YAML of values; none at all is `null`, as Go writes a nil map. */
function valuesYaml(values: Readonly<Record<string, unknown>>): string {
  return Object.keys(values).length === 0 ? "null\n" : goYaml(plain(values));
}

async function getValues(call: HelmCall): Promise<void> {
  const release = await releaseOf(call);
  const isAll = call.flags.bool("all");
  const values = isAll ? computedValues(call, release) : release.config;
  const isNone = Object.keys(values).length === 0;
  const table = () =>
    `${isAll ? "COMPUTED" : "USER-SUPPLIED"} VALUES:\n${isAll && isNone ? "{}\n" : valuesYaml(values)}`;
  call.out(printed(call.flags, isNone && !isAll ? null : values, table));
}

async function getHooks(call: HelmCall): Promise<void> {
  const release = await releaseOf(call);
  for (const { path, manifest } of release.hooks) call.out(`---\n# Source: ${path}\n${manifest}\n`);
}

async function getNotes(call: HelmCall): Promise<void> {
  const { info } = await releaseOf(call);
  if (info.notes) call.out(`NOTES:\n${info.notes}\n`);
}

async function getAll(call: HelmCall): Promise<void> {
  const release = await releaseOf(call);
  const { name, namespace, info, version, chart, hooks, config, manifest } = release;
  const notes = (info.notes ?? "").trim();
  call.out(
    [
      `NAME: ${name}\nLAST DEPLOYED: ${ansiTime(info.last_deployed)}\nNAMESPACE: ${namespace}\nSTATUS: ${info.status}\nREVISION: ${version}\n`,
      `CHART: ${String(chart.metadata.name)}\nVERSION: ${String(chart.metadata.version)}\nAPP_VERSION: ${appVersionOf(release)}\n`,
      hooks.some(({ events }) => events.includes("test")) ? "" : "TEST SUITE: None\n",
      `USER-SUPPLIED VALUES:\n${valuesYaml(config)}\nCOMPUTED VALUES:\n${goYaml(plain(computedValues(call, release)))}\n`,
      `HOOKS:\n${hooks.map((hook) => `---\n# Source: ${hook.path}\n${hook.manifest}\n`).join("")}MANIFEST:\n${manifest}\n`,
      notes === "" ? "" : `NOTES:\n${notes}\n`,
    ].join(""),
  );
}

async function getMetadata(call: HelmCall): Promise<void> {
  const release = await releaseOf(call);
  const { name, namespace, version, info, chart } = release;
  const data = {
    name,
    chart: String(chart.metadata.name),
    version: String(chart.metadata.version),
    appVersion: appVersionOf(release),
    annotations: Object.entries(isObject(chart.metadata.annotations) ? chart.metadata.annotations : {})
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(","),
    dependencies: listAt(chart.metadata, "dependencies")
      .map((dependency) => String(dependency.name))
      .join(","),
    namespace,
    revision: version,
    status: info.status,
    deployedAt: info.last_deployed.replace(/\.\d+/, ""),
  };
  const table = () =>
    `NAME: ${name}\nCHART: ${data.chart}\nVERSION: ${data.version}\nAPP_VERSION: ${data.appVersion}\nANNOTATIONS: ${data.annotations}\nDEPENDENCIES: ${data.dependencies}\nNAMESPACE: ${namespace}\nREVISION: ${version}\nSTATUS: ${info.status}\nDEPLOYED_AT: ${data.deployedAt}\n`;
  call.out(printed(call.flags, data, table));
}

const revision = intFlag("revision", "get the named release with revision", { default: 0 });

function getCommand(
  names: readonly string[],
  short: string,
  run: HelmCommand["run"],
  flags: HelmCommand["flags"] = [],
): HelmCommand {
  return {
    names,
    usage: "RELEASE_NAME [flags]",
    short,
    count: [1, 1],
    flags: [revision, ...flags],
    ...(run ? { run } : {}),
  };
}

export const readCommands: readonly HelmCommand[] = [
  {
    names: ["list", "ls"],
    usage: "[flags]",
    short: "list releases",
    count: [0, 0],
    flags: [
      outputFlag,
      boolFlag("all-namespaces", "list releases across all namespaces", { short: "A" }),
      boolFlag("all", "show all releases without any filter applied", { short: "a" }),
      boolFlag("short", "output short (quiet) listing format", { short: "q" }),
      boolFlag("no-headers", "don't print headers"),
      boolFlag("date", "sort by release date", { short: "d" }),
      boolFlag("reverse", "reverse the sort order", { short: "r" }),
      boolFlag("deployed", "show deployed releases"),
      boolFlag("failed", "show failed releases"),
      boolFlag("pending", "show pending releases"),
      boolFlag("superseded", "show superseded releases"),
      boolFlag("uninstalled", "show uninstalled releases (if 'helm uninstall --keep-history' was used)"),
      boolFlag("uninstalling", "show releases that are currently being uninstalled"),
      stringFlag("filter", "a regular expression of names", { short: "f" }),
      intFlag("max", "maximum number of releases to fetch", { short: "m", default: 256 }),
      intFlag("offset", "next release index in the list", { default: 0 }),
    ],
    run: runList,
  },
  {
    names: ["history", "hist"],
    usage: "RELEASE_NAME [flags]",
    short: "fetch release history",
    count: [1, 1],
    flags: [outputFlag, intFlag("max", "maximum number of revision to include in history", { default: 256 })],
    run: runHistory,
  },
  {
    names: ["status"],
    usage: "RELEASE_NAME [flags]",
    short: "display the status of the named release",
    count: [1, 1],
    flags: [
      outputFlag,
      revision,
      boolFlag("show-desc", "if set, display the description message of the named release"),
    ],
    run: runStatus,
  },
  {
    names: ["get"],
    usage: "[command]",
    short: "download extended information of a named release",
    commands: [
      getCommand(["values"], "download the values file for a named release", getValues, [
        outputFlag,
        boolFlag("all", "dump all (computed) values", { short: "a" }),
      ]),
      getCommand(["manifest"], "download the manifest for a named release", async (call) =>
        call.out(`${(await releaseOf(call)).manifest}\n`),
      ),
      getCommand(["notes"], "download the notes for a named release", getNotes),
      getCommand(["hooks"], "download all hooks for a named release", getHooks),
      getCommand(["metadata"], "download the metadata of a release", getMetadata, [outputFlag]),
      getCommand(["all"], "download all information for a named release", getAll),
    ],
  },
];
