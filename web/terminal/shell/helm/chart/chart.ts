// Charts: their files by role, and their dependencies.
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { readYaml } from "../../../../../shared/schema/yaml/read.ts";
import type { Files } from "../../../../kubectl/files.ts";
import { versionOf } from "../functions/versions.ts";
import { ArchiveTooLarge, gunzip, maxArchiveBytes, readTar } from "./archive.ts";
import { ignoreRules } from "./ignore.ts";

/** A file of a chart. Bytes that are not UTF-8 are kept in the text. */
export interface ChartFile {
  readonly name: string;
  readonly text: string;
}

export interface Dependency {
  name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition: string;
  readonly tags: readonly string[];
  readonly alias: string;
  readonly importValues: readonly unknown[];
  /** The entry of Chart.yaml. */
  readonly source: JsonObject;
  enabled: boolean;
}

export interface Chart {
  /** The name, or its alias as a dependency. */
  name: string;
  readonly metadata: JsonObject;
  readonly templates: readonly ChartFile[];
  readonly files: readonly ChartFile[];
  /** All files, for `show` and `package`. */
  readonly raw: readonly ChartFile[];
  readonly schema: string | undefined;
  readonly lock: unknown;
  values: JsonObject;
  requirements: Dependency[];
  dependencies: Chart[];
  parent: Chart | undefined;
}

/** The progress of loading a chart with its dependencies. */
interface Loading {
  readonly depth: number;
  /** The bytes that the archives may still unpack to, all together. */
  readonly room: { bytes: number };
}

const deeper = ({ depth, room }: Loading): Loading => ({ depth: depth + 1, room });

/** The deepest nesting of charts, and the most files of one. */
const maxDepth = 20;
const maxFiles = 5000;

/** Loads a chart from a folder or an archive of the shell's files. Throws with Helm's words. */
export async function loadChart(files: Files, path: string, name: string): Promise<Chart> {
  const loading: Loading = { depth: 0, room: { bytes: maxArchiveBytes } };
  if (files.list(path)) return newChart(filesBelow(files, path), loading);
  const content = files.read(path);
  if (content === undefined) throw new Error(`path ${JSON.stringify(name)} not found`);
  if (!content.startsWith("\u001f")) {
    if (/\.ya?ml$/.test(path))
      throw new Error(`file '${path}' seems to be a YAML file, but expected a gzipped archive`);
    throw new Error(`file '${path}' does not appear to be a gzipped archive; got '${contentType(content)}'`);
  }
  try {
    return await loadArchive(content, loading);
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    if (message !== "gzip: invalid header") throw error;
    throw new Error(`file '${path}' does not appear to be a valid chart file (details: ${message})`, { cause: error });
  }
}

/** The bytes of a file that decide about its type. */
const sniffedLetters = 512;

function contentType(content: string): string {
  const hasControls = /[\0-\u0008\u000b\u000e-\u001a\u001c-\u001f]/.test(content.slice(0, sniffedLetters));
  return hasControls ? "application/octet-stream" : "text/plain; charset=utf-8";
}

async function loadArchive(content: string, loading: Loading): Promise<Chart> {
  const bytes = await gunzip(bytesOfText(content));
  loading.room.bytes -= bytes.length;
  if (loading.room.bytes < 0) throw new ArchiveTooLarge();
  const chartFiles = readTar(bytes).map((entry) => ({
    name: pathInChart(entry.name),
    text: withoutMark(textOfBytes(entry.bytes)),
  }));
  if (chartFiles.length === 0) throw new Error("no files in chart archive");
  return newChart(chartFiles, loading);
}

/** Returns an entry's path without the chart's folder. Throws if it leads out of the chart. */
function pathInChart(entryName: string): string {
  const [folder = "", ...rest] = entryName.split(entryName.includes("\\") ? "\\" : "/");
  const path = rest.join("/");
  if (path.startsWith("/")) throw new Error("chart illegally contains absolute paths");
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) throw new Error("chart illegally references parent directory");
  }
  const clean = segments.join("/");
  if (clean === "")
    throw new Error(`chart illegally contains content outside the base directory: ${JSON.stringify(entryName)}`);
  if (clean.startsWith("..")) throw new Error("chart illegally references parent directory");
  if (/^[a-zA-Z]:\//.test(clean)) throw new Error("chart contains illegally named files");
  if (folder === "Chart.yaml") throw new Error("chart yaml not in base directory");
  return clean;
}

function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, "");
}

function filesBelow(files: Files, root: string): ChartFile[] {
  const rules = ignoreRules(files.read(`${root}/.helmignore`) ?? "");
  const all: ChartFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of files.list(folder === "" ? root : `${root}/${folder}`) ?? []) {
      const name = folder === "" ? entry : `${folder}/${entry}`;
      const text = files.read(`${root}/${name}`);
      if (entry === "" || rules(name, text === undefined)) continue;
      if (text === undefined) visit(name);
      else all.push({ name, text: withoutMark(text) });
      if (all.length > maxFiles) throw new Error(`a chart of more than ${maxFiles} files cannot be loaded`);
    }
  };
  visit("");
  return all;
}

function parsed(file: ChartFile, context: string): JsonObject {
  let value: unknown;
  try {
    ({ value } = readYaml(file.text));
  } catch (error) {
    throw new Error(`${context}: error converting YAML to JSON: ${error instanceof Error ? error.message : ""}`);
  }
  if (value === null) return {};
  if (isObject(value)) return value;
  throw new Error(
    `${context}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into Go value of type map[string]interface {}`,
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

function dependencyOf(source: JsonObject): Dependency {
  return {
    name: text(source.name),
    version: text(source.version),
    repository: text(source.repository),
    condition: text(source.condition),
    tags: Array.isArray(source.tags) ? source.tags.map(String) : [],
    alias: text(source.alias),
    importValues: Array.isArray(source["import-values"]) ? (source["import-values"] as unknown[]) : [],
    source,
    enabled: true,
  };
}

async function newChart(all: readonly ChartFile[], loading: Loading): Promise<Chart> {
  if (loading.depth > maxDepth) throw new Error(`charts nest deeper than ${maxDepth}`);
  const named = (name: string) => all.find((file) => file.name === name);
  const definition = named("Chart.yaml");
  if (!definition) throw new Error("Chart.yaml file is missing");
  const metadata = parsed(definition, "cannot load Chart.yaml");
  if (!text(metadata.apiVersion)) metadata.apiVersion = "v1";
  const requirements = named("requirements.yaml");
  if (requirements)
    metadata.dependencies = parsed(requirements, "cannot load requirements.yaml").dependencies ?? metadata.dependencies;
  const lockFile = named("Chart.lock") ?? named("requirements.lock");
  checkMetadata(metadata);
  const valuesFile = named("values.yaml");
  const isV1 = metadata.apiVersion === "v1";
  const special = new Set(["Chart.yaml", "Chart.lock", "values.yaml", "values.schema.json"]);
  const chart: Chart = {
    name: text(metadata.name),
    metadata,
    templates: all.filter(({ name }) => name.startsWith("templates/")),
    files: all.filter(
      ({ name }) =>
        !special.has(name) &&
        !name.startsWith("templates/") &&
        (!name.startsWith("charts/") || name.endsWith(".prov")) &&
        (isV1 || !/^requirements\.(yaml|lock)$/.test(name)),
    ),
    raw: all,
    schema: named("values.schema.json")?.text,
    lock: lockFile ? parsed(lockFile, `cannot load ${lockFile.name}`) : null,
    values: valuesFile ? parsed(valuesFile, "cannot load values.yaml") : {},
    requirements: (Array.isArray(metadata.dependencies) ? metadata.dependencies : [])
      .filter(isObject)
      .map(dependencyOf),
    dependencies: [],
    parent: undefined,
  };
  await addSubcharts(chart, all, loading);
  return chart;
}

async function addSubcharts(chart: Chart, all: readonly ChartFile[], loading: Loading): Promise<void> {
  const subcharts = new Map<string, ChartFile[]>();
  for (const file of all) {
    if (!file.name.startsWith("charts/") || file.name.endsWith(".prov")) continue;
    const inner = file.name.slice("charts/".length);
    const [name = ""] = inner.split("/");
    const files = subcharts.get(name) ?? [];
    files.push({ name: inner, text: file.text });
    subcharts.set(name, files);
  }
  for (const [name, files] of [...subcharts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (/^[_.]/.test(name)) continue;
    const inner = files.flatMap((file) =>
      file.name.includes("/") ? [{ ...file, name: file.name.slice(name.length + 1) }] : [],
    );
    if (!name.endsWith(".tgz") && inner.length === 0) continue;
    try {
      const subchart = name.endsWith(".tgz")
        ? await loadArchive(files[0]?.text ?? "", deeper(loading))
        : await newChart(inner, deeper(loading));
      subchart.parent = chart;
      chart.dependencies.push(subchart);
    } catch (error) {
      throw new Error(
        `error unpacking subchart ${name} in ${chart.name}: ${error instanceof Error ? error.message : ""}`,
      );
    }
  }
}

function checkMetadata(metadata: JsonObject): void {
  const fail = (problem: string): never => {
    throw new Error(`validation: ${problem}`);
  };
  if (!text(metadata.name)) fail("chart.metadata.name is required");
  if (/[/\\]/.test(text(metadata.name))) fail(`chart.metadata.name ${JSON.stringify(metadata.name)} is invalid`);
  if (!text(metadata.version)) fail("chart.metadata.version is required");
  if (!versionOf(text(metadata.version))) fail(`chart.metadata.version ${JSON.stringify(metadata.version)} is invalid`);
  if (!["", "application", "library"].includes(text(metadata.type)))
    fail("chart.metadata.type must be application or library");
}

export function versionIn(chart: Chart): string {
  return text(chart.metadata.version);
}

export function appVersionIn(chart: Chart): string {
  const { appVersion } = chart.metadata;
  if (appVersion === undefined || appVersion === null) return "";
  return typeof appVersion === "string" ? appVersion : JSON.stringify(appVersion);
}

/** Returns the path of a chart's files in names of templates: `parent/charts/child`. */
export function pathOfChart(chart: Chart): string {
  return chart.parent ? `${pathOfChart(chart.parent)}/charts/${chart.name}` : chart.name;
}

/** Returns the files of the folder `crds`, of dependencies too, with the paths that Helm prints. */
export function crdsOf(chart: Chart): ChartFile[] {
  const crds = chart.files
    .filter(({ name }) => name.startsWith("crds/") && /\.(ya?ml|json)$/.test(name))
    .map((file) => ({ name: `${pathOfChart(chart)}/${file.name}`, text: file.text }));
  return [...crds, ...chart.dependencies.flatMap(crdsOf)];
}
