// The values and charts that command lines name.
import { isObject, type JsonObject, setKey, getKey } from "../../../../../shared/schema/json-values.ts";
import { readYaml } from "../../../../../shared/schema/yaml/read.ts";
import { arrayFlag, boolFlag, durationFlag, type Flag, intFlag, stringFlag } from "../../../../kubectl/flag.ts";
import type { ActionOptions } from "../actions/install.ts";
import { type Chart, loadChart } from "../chart/chart.ts";
import { applySet } from "../chart/set.ts";
import type { HelmCall } from "./call.ts";

export const valueFlags: readonly Flag[] = [
  arrayFlag("values", "specify values in a YAML file (can specify multiple)", { short: "f" }),
  arrayFlag("set", "set values on the command line (key1=val1,key2=val2)"),
  arrayFlag("set-string", "set STRING values on the command line"),
  arrayFlag("set-json", "set JSON values on the command line (key1=jsonval1)"),
  arrayFlag("set-file", "set values from files (key1=path1)"),
  arrayFlag("set-literal", "set a literal STRING value on the command line"),
];

export const actionFlags: readonly Flag[] = [
  ...valueFlags,
  boolFlag("create-namespace", "create the release namespace if not present"),
  stringFlag("dry-run", "simulate the action: none, client or server", { default: "none", bare: "client" }),
  boolFlag("wait", "wait until all Pods, PVCs, Services and minimum number of Pods are ready"),
  boolFlag("wait-for-jobs", "if --wait is set, also wait until all Jobs have completed"),
  durationFlag("timeout", "time to wait for any individual Kubernetes operation", { default: "5m0s" }),
  boolFlag("atomic", "undo the action if it fails; sets --wait"),
  boolFlag("no-hooks", "prevent hooks from running"),
  boolFlag("skip-crds", "install no CRDs"),
  boolFlag("force", "force resource updates through a replacement strategy"),
  boolFlag("take-ownership", "take over existing resources without checking their annotations"),
  boolFlag("skip-schema-validation", "disable JSON schema validation"),
  boolFlag("disable-openapi-validation", "the API server validates; this changes nothing"),
  boolFlag("render-subchart-notes", "render subchart notes along with the parent"),
  boolFlag("hide-notes", "do not show notes in the output"),
  boolFlag("hide-secret", "hide Secrets when also using --dry-run"),
  boolFlag("enable-dns", "look-ups of host names find nothing here"),
  boolFlag("dependency-update", "update dependencies from file:// repositories if they are missing"),
  boolFlag("devel", "use development versions of a chart repository, too; a local chart has one version"),
  stringFlag("description", "add a custom description"),
  stringFlag("version", "the version of a chart of a repository; a local chart has one"),
  stringFlag("repo", "the URL of a chart repository"),
  stringFlag("labels", "labels of the release's Secret, divided by comma", { short: "l" }),
];

export const nameFlags: readonly Flag[] = [
  boolFlag("generate-name", "generate the name (and omit the NAME parameter)", { short: "g" }),
  stringFlag("name-template", "specify template used to name the release"),
  boolFlag("replace", "re-use the name of a deleted release which remains in the history"),
];

export const rollbackFlags: readonly Flag[] = [
  boolFlag("dry-run", "simulate a rollback"),
  boolFlag("wait", "wait until all resources are ready"),
  boolFlag("wait-for-jobs", "if --wait is set, also wait until all Jobs have completed"),
  durationFlag("timeout", "time to wait for any individual Kubernetes operation", { default: "5m0s" }),
  boolFlag("no-hooks", "prevent hooks from running during rollback"),
  boolFlag("force", "force resource update through delete/recreate if needed"),
  boolFlag("cleanup-on-fail", "allow deletion of new resources created in this rollback when rollback fails"),
  boolFlag("recreate-pods", "performs pods restart for the resource if applicable", { hidden: true }),
  intFlag("history-max", "limit the maximum number of revisions saved per release", { default: 10 }),
];

function mergeMaps(target: JsonObject, source: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(source)) {
    const before = getKey(target, key);
    if (isObject(value) && isObject(before)) mergeMaps(before, value);
    else setKey(target, key, value);
  }
  return target;
}

async function readText(call: HelmCall, name: string): Promise<string> {
  if (name === "-") return call.input();
  if (/^[a-z]+:\/\//.test(name)) throw new Error(`${name}: this terminal reads files of the shell only`);
  const text = call.surroundings.files.read(call.path(name));
  if (text === undefined) throw new Error(`open ${name}: no such file or directory`);
  return text;
}

/** Returns the values of the flags, later ones over earlier ones. */
export async function valuesOf(call: HelmCall): Promise<JsonObject> {
  const { flags } = call;
  const values: JsonObject = {};
  for (const name of flags.list("values")) {
    const text = await readText(call, name);
    let value: unknown;
    try {
      ({ value } = readYaml(text));
    } catch (error) {
      throw new Error(
        `failed to parse ${name}: error converting YAML to JSON: ${error instanceof Error ? error.message : ""}`,
      );
    }
    if (value !== null && !isObject(value))
      throw new Error(
        `failed to parse ${name}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into Go value of type map[string]interface {}`,
      );
    mergeMaps(values, value ?? {});
  }
  const apply = (flag: string, kind: Parameters<typeof applySet>[2]) => {
    for (const text of flags.list(flag)) {
      try {
        if (kind === "json" && text.trim().startsWith("{")) mergeMaps(values, JSON.parse(text) as JsonObject);
        else applySet(text, values, kind);
      } catch (error) {
        throw new Error(`failed parsing --${flag} data: ${error instanceof Error ? error.message : ""}`);
      }
    }
  };
  apply("set-json", "json");
  apply("set", "typed");
  apply("set-string", "string");
  for (const text of flags.list("set-file")) {
    const equals = text.indexOf("=");
    if (equals < 0) throw new Error(`failed parsing --set-file data: key ${JSON.stringify(text)} has no value`);
    applySet(`${text.slice(0, equals)}=${await readText(call, text.slice(equals + 1))}`, values, "literal");
  }
  apply("set-literal", "literal");
  return values;
}

/** Loads a chart from the shell's files. Throws for charts of repositories, which a page cannot reach. */
export async function chartNamed(call: HelmCall, name: string): Promise<Chart> {
  const { files } = call.surroundings;
  const path = call.path(name);
  if (files.list(path) ?? files.read(path)) return loadChart(files, path, name);
  if (/^[./]/.test(name)) throw new Error(`path ${JSON.stringify(name)} not found`);
  if (/^[a-z]+:\/\//.test(name) || call.flags.text("repo") !== "")
    throw new Error(`${name}: this terminal reaches no chart repository; use a chart in a folder or a .tgz file`);
  const [repository = "", rest] = name.split("/");
  if (rest !== undefined) throw new Error(`repo ${repository} not found`);
  throw new Error(`non-absolute URLs should be in form of repo_name/path_to_chart, got: ${name}`);
}

export function checkDependencies(chart: Chart): void {
  const missing = chart.requirements.filter(
    ({ name }) => !chart.dependencies.some((dependency) => dependency.name === name),
  );
  if (missing.length === 0) return;
  throw new Error(
    `found in Chart.yaml, but missing in charts/ directory: ${missing.map(({ name }) => name).join(", ")}`,
  );
}

function dryRunOf(text: string): ActionOptions["dryRun"] {
  if (text === "" || text === "none" || text === "false") return "none";
  if (text === "client" || text === "true") return "client";
  if (text === "server") return "server";
  throw new Error(`Invalid dry-run flag. Flag must one of the following: false, true, none, client, server`);
}

function labelsOf(text: string): Record<string, string> {
  if (text === "") return {};
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const equals = pair.indexOf("=");
      if (equals < 0)
        throw new Error(
          `invalid argument ${JSON.stringify(text)} for "-l, --labels" flag: ${pair} must be formatted as key=value`,
        );
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

export function actionOptions({ flags }: HelmCall): ActionOptions {
  return {
    dryRun: dryRunOf(flags.text("dry-run")),
    waits: flags.bool("wait") || flags.bool("atomic"),
    waitsForJobs: flags.bool("wait-for-jobs"),
    timeoutMs: flags.durationMs("timeout"),
    isAtomic: flags.bool("atomic"),
    skipsHooks: flags.bool("no-hooks"),
    skipsCrds: flags.bool("skip-crds"),
    forces: flags.bool("force"),
    takesOwnership: flags.bool("take-ownership"),
    skipsSchema: flags.bool("skip-schema-validation"),
    withSubchartNotes: flags.bool("render-subchart-notes"),
    hidesSecrets: flags.bool("hide-secret"),
    createsNamespace: flags.bool("create-namespace"),
    replaces: flags.bool("replace"),
    description: flags.text("description"),
    labels: labelsOf(flags.text("labels")),
  };
}
