// The checks of `helm lint`.
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { readYamlDocuments } from "../../../../../shared/schema/yaml/read.ts";
import type { Files } from "../../../../kubectl/files.ts";
import type { Context } from "../actions/context.ts";
import { type Chart, loadChart } from "./chart.ts";
import { coalesceValues } from "./coalesce.ts";
import { defaultCapabilities } from "./capabilities.ts";
import { processDependencies } from "./dependencies.ts";
import { renderChart } from "./render.ts";
import { schemaProblems } from "./schema.ts";
import { splitManifests } from "./manifests.ts";

export interface LintMessage {
  readonly level: "ERROR" | "WARNING" | "INFO";
  readonly path: string;
  readonly problem: string;
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const error = (path: string, problem: string): LintMessage => ({ level: "ERROR", path, problem });

export async function lintChart(
  context: Context,
  files: Files,
  path: string,
  values: JsonObject,
  { kubeVersion, skipsSchema }: { readonly kubeVersion: string; readonly skipsSchema: boolean },
): Promise<LintMessage[]> {
  let chart: Chart;
  try {
    chart = await loadChart(files, path, path);
  } catch (problem) {
    return [error("Chart.yaml", textOf(problem))];
  }
  const { metadata } = chart;
  const messages: LintMessage[] = [];
  if (!["v1", "v2"].includes(String(metadata.apiVersion)))
    messages.push(
      error(
        "Chart.yaml",
        `apiVersion '${String(metadata.apiVersion)}' is not valid. The value must be either "v1" or "v2"`,
      ),
    );
  if (!metadata.icon) messages.push({ level: "INFO", path: "Chart.yaml", problem: "icon is recommended" });
  if (!chart.raw.some(({ name }) => name === "values.yaml"))
    messages.push({ level: "INFO", path: "values.yaml", problem: "file does not exist" });
  if (chart.templates.length === 0)
    messages.push({ level: "WARNING", path: "templates/", problem: "directory does not exist" });
  return [...messages, ...(await templateProblems(context, chart, values, kubeVersion, skipsSchema))];
}

async function templateProblems(
  context: Context,
  chart: Chart,
  values: JsonObject,
  kubeVersion: string,
  skipsSchema: boolean,
): Promise<LintMessage[]> {
  let outputs: ReadonlyMap<string, string>;
  try {
    processDependencies(chart, values, () => undefined);
    const all = coalesceValues(chart, values, () => undefined);
    const problems = skipsSchema ? "" : schemaProblems(chart, all, context.warn);
    if (problems !== "")
      return [
        error(
          "templates/",
          `values don't meet the specifications of the schema(s) in the following chart(s):\n${problems}`,
        ),
      ];
    outputs = await renderChart({
      chart,
      values: all,
      release: {
        Name: "test-release",
        Namespace: context.namespace,
        IsUpgrade: false,
        IsInstall: true,
        Revision: 1n,
        Service: "Helm",
      },
      capabilities: { ...defaultCapabilities, kubeVersion },
      clock: context.surroundings.clock,
      newRandom: () => context.newRandom(),
      isLint: true,
    });
  } catch (problem) {
    return [error("templates/", textOf(problem))];
  }
  return chart.templates.flatMap(({ name }) => {
    if (!/\.(ya?ml|tpl|txt)$/.test(name))
      return [
        error(
          name,
          `file extension '${/\.[^./]*$/.exec(name)?.[0] ?? ""}' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt`,
        ),
      ];
    return name.endsWith(".yaml") ? outputProblems(name, outputs.get(`${chart.name}/${name}`) ?? "") : [];
  });
}

function outputProblems(name: string, output: string): LintMessage[] {
  const first = output.split("\n").find((line) => line.trim() !== "");
  const messages: LintMessage[] = [];
  if (first !== undefined && /^[ \t]/.test(first))
    messages.push({
      level: "WARNING",
      path: name,
      problem: `document starts with an illegal indent: ${JSON.stringify(first)}, which may cause parsing problems`,
    });
  for (const document of splitManifests(output)) {
    try {
      for (const { value } of readYamlDocuments(document)) messages.push(...objectProblems(name, value));
    } catch (problem) {
      return [...messages, error(name, `unable to parse YAML: error converting YAML to JSON: ${textOf(problem)}`)];
    }
  }
  return messages;
}

function objectProblems(name: string, value: unknown): LintMessage[] {
  if (!isObject(value)) return [];
  const spec = isObject(value.spec) ? value.spec : {};
  const messages: LintMessage[] = [];
  if (["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"].includes(String(value.kind)) && !isObject(spec.selector))
    messages.push(
      error(
        name,
        `a ${String(value.kind)} must contain matchLabels or matchExpressions, and "${String(isObject(value.metadata) ? value.metadata.name : "")}" does not`,
      ),
    );
  return messages;
}
