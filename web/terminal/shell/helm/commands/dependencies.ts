// The dependencies of a chart in the folder `charts`: checked, and packed from `file://` repositories.
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import { sha256Hex } from "../../../../kubectl/resources/sha256.ts";
import { chartArchive } from "../chart/archive-of.ts";
import { type Chart, type Dependency, loadChart, versionIn } from "../chart/chart.ts";
import { isCompatible } from "../functions/versions.ts";
import { timestamp } from "../release/release.ts";
import type { HelmCall } from "./call.ts";
import { checkDependencies } from "./values.ts";

export const unreachable = "this terminal reaches no chart repository; use a chart in a folder or a .tgz file";

/** Throws if a dependency is missing. With `--dependency-update` it is fetched first. Returns the chart with all of them. */
export async function completeChart(call: HelmCall, name: string, chart: Chart): Promise<Chart> {
  try {
    checkDependencies(chart);
    return chart;
  } catch (error) {
    if (!call.flags.bool("dependency-update"))
      throw new Error(
        `An error occurred while checking for chart dependencies. You may need to run \`helm dependency build\` to fetch missing dependencies: ${error instanceof Error ? error.message : ""}`,
        { cause: error },
      );
  }
  const { files } = call.surroundings;
  const path = call.path(name);
  if (!files.list(path)) throw new Error(`${name}: --dependency-update needs a chart in a folder`);
  await updateDependencies(call, name, chart);
  return loadChart(files, path, name);
}

interface Locked {
  readonly name: string;
  readonly repository: string;
  readonly version: string;
}

/** Packs the dependencies of `file://` repositories into `charts`. Others must be there already. Changes no file if one fails. */
export async function updateDependencies(call: HelmCall, name: string, chart: Chart): Promise<void> {
  const { files, clock } = call.surroundings;
  const root = call.path(name);
  if (chart.requirements.length === 0) return;
  const locked: Locked[] = [];
  const archives = new Map<string, string>();
  const seconds = Math.floor(clock.nowMs() / 1000);
  for (const dependency of chart.requirements) {
    const { repository } = dependency;
    if (!repository.startsWith("file://")) {
      const present = chart.dependencies.find((item) => item.name === dependency.name);
      if (!present) throw new Error(`${dependency.name}: ${unreachable}`);
      locked.push({ name: dependency.name, repository, version: versionIn(present) });
      continue;
    }
    const source = await sourceOf(call, name, dependency);
    const version = versionIn(source);
    const archive = await chartArchive(source, seconds, { version, appVersion: "" });
    archives.set(`${source.name}-${version}.tgz`, textOfBytes(archive));
    locked.push({ name: dependency.name, repository, version });
  }
  const digest = `sha256:${sha256Hex(bytesOfText(JSON.stringify([chart.requirements.map(({ source }) => source), locked])))}`;
  const lock = goYaml({ dependencies: locked, digest, generated: timestamp(clock.nowMs()) });
  writeAll(
    call,
    root,
    new Map([...[...archives].map(([file, text]) => [`charts/${file}`, text] as const), ["Chart.lock", lock]]),
  );
  for (const { name: dependency, repository } of locked) {
    if (!repository.startsWith("file://")) continue;
    for (const entry of files.list(`${root}/charts`) ?? [])
      if (entry.startsWith(`${dependency}-`) && entry.endsWith(".tgz") && !archives.has(entry))
        files.remove(`${root}/charts/${entry}`);
  }
  call.out(`Saving ${locked.length} charts\nDeleting outdated charts\n`);
}

async function sourceOf(
  call: HelmCall,
  name: string,
  { repository, version, ...dependency }: Dependency,
): Promise<Chart> {
  const folder = repository.slice("file://".length);
  const path = call.path(folder.startsWith("/") ? folder : `${name}/${folder}`);
  const source = await loadChart(call.surroundings.files, path, folder);
  if (!isCompatible(version, versionIn(source)))
    throw new Error(`can't get a valid version for dependency ${dependency.name}`);
  return source;
}

/** Writes all files below a folder, or none: if one cannot be written, the others become what they were. */
function writeAll({ surroundings: { files } }: HelmCall, root: string, contents: ReadonlyMap<string, string>): void {
  const before = new Map([...contents.keys()].map((name) => [name, files.read(`${root}/${name}`)]));
  try {
    for (const [name, text] of contents) files.write(`${root}/${name}`, text);
  } catch (error) {
    for (const name of contents.keys()) files.remove(`${root}/${name}`);
    for (const [name, text] of before) if (text !== undefined) files.write(`${root}/${name}`, text);
    throw error;
  }
}
