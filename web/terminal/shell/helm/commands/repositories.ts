// `helm dependency`, `repo` and `version`, and the commands that need a chart repository.
import { boolFlag } from "../../../../kubectl/flag.ts";
import { type Chart, type Dependency, versionIn } from "../chart/chart.ts";
import { helmVersion } from "../chart/objects.ts";
import { isCompatible } from "../functions/versions.ts";
import type { HelmCall, HelmCommand } from "./call.ts";
import { unreachable, updateDependencies } from "./dependencies.ts";
import { tableOf } from "./output.ts";
import { chartNamed } from "./values.ts";

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

async function runUpdate(call: HelmCall): Promise<void> {
  const [name = "."] = call.args;
  await updateDependencies(call, name, await chartNamed(call, name));
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
        run: runUpdate,
      },
      {
        names: ["build"],
        usage: "CHART",
        short: "rebuild charts/ from file:// repositories",
        count: [0, 1],
        run: runUpdate,
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
