// `helm template`, `show`, `lint`, `create` and `package`.
import { textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { boolFlag, stringFlag, stringsFlag, arrayFlag } from "../../../../kubectl/flag.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import { plain } from "../template/values.ts";
import { nameProblem } from "../release/names.ts";
import { clusterCapabilities } from "../actions/context.ts";
import { InvalidOutput, render, SchemaMismatch } from "../actions/prepare.ts";
import { chartArchive } from "../chart/archive-of.ts";
import { defaultCapabilities } from "../chart/capabilities.ts";
import { type Chart, crdsOf, versionIn } from "../chart/chart.ts";
import { processDependencies } from "../chart/dependencies.ts";
import { globPattern } from "../chart/glob.ts";
import { lintChart } from "../chart/lint.ts";
import { type Hook, splitManifests } from "../chart/manifests.ts";
import { starterFiles } from "../chart/starter.ts";
import { installableChart, nameAndChart } from "./actions.ts";
import type { HelmCall, HelmCommand } from "./call.ts";
import { updateDependencies } from "./dependencies.ts";
import { actionFlags, chartNamed, checkDependencies, nameFlags, valueFlags, valuesOf } from "./values.ts";

function kubeVersionOf(text: string): string {
  if (text === "") return defaultCapabilities.kubeVersion;
  const match = /^v?(\d+)\.(\d+)(\.\d+)?([-+].*)?$/.exec(text);
  if (!match) throw new Error(`invalid kube version '${text}': invalid semantic version`);
  return `v${match[1] ?? ""}.${match[2] ?? ""}${match[3] ?? ".0"}${match[4] ?? ""}`;
}

async function runTemplate(call: HelmCall): Promise<void> {
  const { flags } = call;
  const { name, chart: chartName } = await nameAndChart(call, "release-name");
  const { chart, values } = await installableChart(call, chartName);
  const problem = nameProblem(name);
  if (problem) throw new Error(`release name ${JSON.stringify(name)}: ${problem}`);
  const context = call.context();
  processDependencies(chart, values, context.warn);
  const validates = flags.bool("validate");
  const dryRun = flags.text("dry-run");
  const capabilities = validates ? await clusterCapabilities(context) : defaultCapabilities;
  try {
    const { manifest, hooks } = await render(context, {
      chart,
      values,
      name,
      namespace: call.namespace,
      revision: 1,
      isUpgrade: flags.bool("is-upgrade"),
      capabilities: {
        kubeVersion: flags.text("kube-version") ? kubeVersionOf(flags.text("kube-version")) : capabilities.kubeVersion,
        apiVersions: new Set([...capabilities.apiVersions, ...flags.list("api-versions")]),
      },
      reachesCluster: dryRun === "server",
      includesCrds: flags.bool("include-crds"),
      skipsSchema: flags.bool("skip-schema-validation"),
      hidesSecrets: flags.bool("hide-secret"),
    });
    writeTemplates(call, `${manifest.trim()}\n`, flags.bool("no-hooks") ? [] : hooks);
  } catch (error) {
    if (error instanceof SchemaMismatch || !(error instanceof Error)) throw error;
    if (!flags.bool("debug")) throw new Error(`${error.message}\n\nUse --debug flag to render out invalid YAML`);
    if (error instanceof InvalidOutput) call.out(error.outputs);
    throw error;
  }
}

function writeTemplates(call: HelmCall, manifest: string, hooks: readonly Hook[]): void {
  const { flags } = call;
  const shownHooks = hooks.filter(({ events }) => !flags.bool("skip-tests") || !events.includes("test"));
  const text = manifest + shownHooks.map(({ path, manifest: hook }) => `---\n# Source: ${path}\n${hook}\n`).join("");
  const folder = flags.text("output-dir");
  if (folder !== "") return writeFolder(call, folder, text);
  const names = flags.list("show-only");
  if (names.length === 0) return call.out(text);
  const documents = splitManifests(text);
  for (const name of names) {
    const matches = globPattern(name);
    const visible = documents.filter((document) => matches(/# Source: [^/]+\/(.+)/.exec(document)?.[1] ?? ""));
    if (visible.length === 0) throw new Error(`could not find template ${name} in chart`);
    for (const document of visible) call.out(`---\n${document}\n`);
  }
}

function writeFolder(call: HelmCall, folder: string, text: string): void {
  const { files } = call.surroundings;
  const contents = new Map<string, string>();
  for (const document of splitManifests(text)) {
    const [, path = ""] = /# Source: (.+)/.exec(document) ?? [];
    if (path !== "") contents.set(path, `${contents.get(path) ?? ""}---\n${document}\n`);
  }
  for (const [path, content] of contents) {
    files.write(call.path(`${folder}/${path}`), content);
    call.out(`wrote ${folder}/${path}\n`);
  }
}

function chartYaml(chart: Chart): string {
  return goYaml(plain(chart.metadata));
}

function valuesText(chart: Chart): string {
  const text = chart.raw.find(({ name }) => name === "values.yaml")?.text;
  return text === undefined ? "" : `${text}\n`;
}

function readmeOf(chart: Chart): string | undefined {
  return chart.files.find(({ name }) => /^readme(\.(md|txt))?$/i.test(name))?.text;
}

async function runShow(call: HelmCall, section: string): Promise<void> {
  const chart = await chartNamed(call, call.args[0] ?? "");
  const readme = readmeOf(chart);
  const crds = crdsOf(chart).map(({ text }) => `${text}\n`);
  const isAll = section === "all";
  const separator = isAll ? "---\n" : "";
  let text = "";
  if (isAll || section === "chart") text += `${chartYaml(chart)}\n`;
  if (isAll || section === "values") text += separator + valuesText(chart);
  if ((isAll || section === "readme") && readme !== undefined) text += `${separator}${readme}\n`;
  if ((isAll || section === "crds") && crds.length > 0)
    text += (crds[0]?.startsWith("---") ? "" : separator) + crds.join("");
  call.out(text);
}

function runCreate(call: HelmCall): void {
  const [target = ""] = call.args;
  const name = target.replace(/\/$/, "").slice(target.replace(/\/$/, "").lastIndexOf("/") + 1);
  if (!/^[a-zA-Z0-9._-]+$/.test(name))
    throw new Error(`chart name must match the regular expression "^[a-zA-Z0-9._-]+$"`);
  const { files } = call.surroundings;
  const root = call.path(target);
  if (files.read(root) !== undefined) throw new Error(`file ${target} already exists and is not a directory`);
  call.out(`Creating ${target}\n`);
  for (const [path, text] of starterFiles(name)) files.write(`${root}/${path}`, text);
  files.makeFolder(`${root}/charts`);
}

async function runLint(call: HelmCall): Promise<void> {
  const { flags } = call;
  const values = await valuesOf(call);
  const paths = call.args.length > 0 ? call.args : ["."];
  let failures = 0;
  let text = "";
  for (const path of paths) {
    const messages = await lintChart(call.context(), call.surroundings.files, call.path(path), values, {
      kubeVersion: kubeVersionOf(flags.text("kube-version")),
      skipsSchema: flags.bool("skip-schema-validation"),
    });
    const fails = messages.some(({ level }) => level === "ERROR" || (flags.bool("strict") && level === "WARNING"));
    if (fails) failures++;
    const visible = messages.filter(({ level }) => !flags.bool("quiet") || level !== "INFO");
    if (flags.bool("quiet") && visible.length === 0) continue;
    text += `==> Linting ${path}\n${visible.map(({ level, path: place, problem }) => `[${level}] ${place}: ${problem}\n`).join("")}\n`;
  }
  call.out(text);
  const summary = `${paths.length} chart(s) linted, ${failures} chart(s) failed`;
  if (failures > 0) throw new Error(summary);
  if (!flags.bool("quiet") || text !== "") call.out(`${summary}\n`);
}

async function runPackage(call: HelmCall): Promise<void> {
  const { flags, surroundings } = call;
  for (const name of call.args) {
    if (flags.bool("dependency-update")) await updateDependencies(call, name, await chartNamed(call, name));
    const chart = await chartNamed(call, name);
    checkDependencies(chart);
    const version = flags.text("version") || versionIn(chart);
    const bytes = await chartArchive(chart, Math.floor(surroundings.clock.nowMs() / 1000), {
      version,
      appVersion: flags.text("app-version"),
    });
    const path = call.path(`${flags.text("destination")}/${chart.name}-${version}.tgz`);
    surroundings.files.write(path, textOfBytes(bytes));
    call.out(`Successfully packaged chart and saved it to: ${path}\n`);
  }
}

const showParts: readonly (readonly [string, string])[] = [
  ["values", "show the chart's values"],
  ["chart", "show the chart's definition"],
  ["readme", "show the chart's README"],
  ["crds", "show the chart's CRDs"],
  ["all", "show all information of the chart"],
];
const versionFlag = stringFlag("version", "the version of a chart of a repository");

export const chartCommands: readonly HelmCommand[] = [
  {
    names: ["template"],
    usage: "[NAME] [CHART] [flags]",
    short: "locally render templates",
    count: [1, Number.POSITIVE_INFINITY],
    flags: [
      ...actionFlags,
      ...nameFlags,
      boolFlag("include-crds", "include CRDs in the templated output"),
      boolFlag("skip-tests", "skip tests from templated output"),
      boolFlag("is-upgrade", "set .Release.IsUpgrade instead of .Release.IsInstall"),
      boolFlag("validate", "use the capabilities of the cluster"),
      boolFlag("release-name", "use release name in the output-dir path", { hidden: true }),
      arrayFlag("show-only", "only show manifests rendered from the given templates", { short: "s" }),
      stringFlag("output-dir", "writes the executed templates to files in output-dir instead of stdout"),
      stringFlag("kube-version", "Kubernetes version used for Capabilities.KubeVersion"),
      stringsFlag("api-versions", "Kubernetes api versions used for Capabilities.APIVersions", { short: "a" }),
    ],
    run: runTemplate,
  },
  {
    names: ["show", "inspect"],
    usage: "[command]",
    short: "show information of a chart",
    commands: showParts.map(([section, short]) => ({
      names: [section],
      usage: "[CHART] [flags]",
      short,
      count: [1, 1],
      flags: [
        versionFlag,
        stringFlag("repo", "the URL of a chart repository"),
        boolFlag("devel", "use development versions, too"),
      ],
      run: (call) => runShow(call, section),
    })),
  },
  {
    names: ["lint"],
    usage: "PATH [flags]",
    short: "examine a chart for possible issues",
    flags: [
      ...valueFlags,
      boolFlag("strict", "fail on lint warnings"),
      boolFlag("quiet", "print only warnings and errors"),
      boolFlag("skip-schema-validation", "disable JSON schema validation"),
      stringFlag("kube-version", "Kubernetes version used for capabilities"),
    ],
    run: runLint,
  },
  {
    names: ["create"],
    usage: "NAME [flags]",
    short: "create a new chart with the given name",
    count: [1, 1],
    run: runCreate,
  },
  {
    names: ["package"],
    usage: "[CHART_PATH] [...] [flags]",
    short: "package a chart directory into a chart archive",
    count: [1, Number.POSITIVE_INFINITY],
    flags: [
      stringFlag("destination", "location to write the chart", { short: "d", default: "." }),
      stringFlag("version", "set the version on the chart to this semver version"),
      boolFlag("dependency-update", 'update dependencies from "Chart.yaml" to dir "charts/" before packaging', {
        short: "u",
      }),
      stringFlag("app-version", "set the appVersion on the chart to this version"),
    ],
    run: runPackage,
  },
];
