// `helm dependency`, `repo` and `version`, and the commands that need a chart repository.
import { textOfBytes, bytesOfText } from "../../../../../shared/base/byte-text.ts";
import { boolFlag } from "../../../../kubectl/flag.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import { sha256Hex } from "../../../../kubectl/resources/sha256.ts";
import { chartArchive } from "../chart/archive-of.ts";
import { type Chart, type Dependency, loadChart, versionIn } from "../chart/chart.ts";
import { helmVersion } from "../chart/objects.ts";
import { isCompatible } from "../functions/versions.ts";
import { timestamp } from "../release/release.ts";
import type { HelmCall, HelmCommand } from "./call.ts";
import { tableOf } from "./output.ts";
import { chartNamed } from "./values.ts";

const unreachable = "this terminal reaches no chart repository; use a chart in a folder or a .tgz file";

function statusOf(call: HelmCall, root: string, chart: Chart, dependency: Dependency): string {
  const present = chart.dependencies.find(({ name }) => name === dependency.name);
  if (!present) return "missing";
  if (!isCompatible(dependency.version, versionIn(present))) return "wrong version";
  const archives = (call.surroundings.files.list(`${root}/charts`) ?? []).filter(
    (name) => name.startsWith(`${dependency.name}-`) && name.endsWith(".tgz"),
  );
  return archives.length > 0 ? "ok" : "unpacked";
}

async function listDependencies(call: HelmCall): Promise<void> {
  const [name = "."] = call.args;
  const chart = await chartNamed(call, name);
  if (chart.requirements.length === 0) return call.out(`WARNING: no dependencies at ${name}/charts\n`);
  const root = call.path(name);
  const rows = chart.requirements.map((dependency) => [
    dependency.name,
    dependency.version,
    dependency.repository,
    statusOf(call, root, chart, dependency),
  ]);
  call.out(`${tableOf([["NAME", "VERSION", "REPOSITORY", "STATUS"], ...rows])}\n`);
}

/** Packs the dependencies of `file://` repositories into `charts`. Others must be there already. */
async function updateDependencies(call: HelmCall): Promise<void> {
  const [name = "."] = call.args;
  const { files, clock } = call.surroundings;
  const root = call.path(name);
  const chart = await chartNamed(call, name);
  if (chart.requirements.length === 0) return;
  const locked: { name: string; repository: string; version: string }[] = [];
  const seconds = Math.floor(clock.nowMs() / 1000);
  for (const dependency of chart.requirements) {
    const { repository, version } = dependency;
    const present = chart.dependencies.find((item) => item.name === dependency.name);
    if (!repository.startsWith("file://")) {
      if (!present) throw new Error(`${dependency.name}: ${unreachable}`);
      locked.push({ name: dependency.name, repository, version: versionIn(present) });
      continue;
    }
    const folder = repository.slice("file://".length);
    const source = await loadChart(files, call.path(folder.startsWith("/") ? folder : `${name}/${folder}`), folder);
    if (!isCompatible(version, versionIn(source)))
      throw new Error(`can't get a valid version for dependency ${dependency.name}`);
    const archive = await chartArchive(source, seconds, { version: versionIn(source), appVersion: "" });
    for (const entry of files.list(`${root}/charts`) ?? [])
      if (entry.startsWith(`${dependency.name}-`) && entry.endsWith(".tgz")) files.remove(`${root}/charts/${entry}`);
    files.write(`${root}/charts/${source.name}-${versionIn(source)}.tgz`, textOfBytes(archive));
    locked.push({ name: dependency.name, repository, version: versionIn(source) });
  }
  const digest = `sha256:${sha256Hex(bytesOfText(JSON.stringify([chart.requirements.map(({ source }) => source), locked])))}`;
  files.write(`${root}/Chart.lock`, goYaml({ dependencies: locked, digest, generated: timestamp(clock.nowMs()) }));
  call.out(`Saving ${locked.length} charts\nDeleting outdated charts\n`);
}

function version(call: HelmCall): void {
  call.out(
    call.flags.bool("short")
      ? `${helmVersion}\n`
      : `version.BuildInfo{Version:"${helmVersion}", GitCommit:"", GitTreeState:"", GoVersion:"go1.26"}\n`,
  );
}

const fail =
  (message: string): HelmCommand["run"] =>
  () => {
    throw new Error(message);
  };

function repositoryCommand(name: string, usage: string, short: string, message: string): HelmCommand {
  return { names: [name], usage, short, run: fail(message) };
}

export const repositoryCommands: readonly HelmCommand[] = [
  {
    names: ["dependency", "dep", "dependencies"],
    usage: "[command]",
    short: "manage a chart's dependencies",
    commands: [
      {
        names: ["list", "ls"],
        usage: "CHART",
        short: "list the dependencies for the given chart",
        count: [0, 1],
        run: listDependencies,
      },
      {
        names: ["update", "up"],
        usage: "CHART",
        short: "update charts/ from file:// repositories",
        count: [0, 1],
        run: updateDependencies,
      },
      {
        names: ["build"],
        usage: "CHART",
        short: "rebuild charts/ from file:// repositories",
        count: [0, 1],
        run: updateDependencies,
      },
    ],
  },
  {
    names: ["repo"],
    usage: "[command]",
    short: "chart repositories, which this terminal does not reach",
    commands: [
      repositoryCommand("add", "[NAME] [URL]", "add a chart repository", unreachable),
      repositoryCommand("list", "", "list chart repositories", "no repositories to show"),
      repositoryCommand(
        "update",
        "[REPO]",
        "update chart repositories",
        "no repositories found. You must add one before updating",
      ),
      repositoryCommand("remove", "[REPO]", "remove a chart repository", "no repositories configured"),
    ],
  },
  ...["pull", "push", "search", "registry"].map((name) =>
    repositoryCommand(name, "", "not available: no chart repository is reached", unreachable),
  ),
  {
    names: ["version"],
    usage: "[flags]",
    short: "print the version of Helm whose behaviour is simulated",
    count: [0, 0],
    flags: [boolFlag("short", "print the version number")],
    run: version,
  },
];
