// Conditions, tags, aliases and imported values of dependencies.
import { getKey, isObject, type JsonObject, setKey } from "../../../../../shared/schema/json-values.ts";
import { isCompatible } from "../functions/versions.ts";
import { deepCopy, textOf } from "../template/values.ts";
import { type Chart, type Dependency, versionIn } from "./chart.ts";
import { coalesceTables, coalesceValues, tableAt, type Warn } from "./coalesce.ts";

/** Selects the dependencies that the values enable, and imports their values. Changes the chart. */
export function processDependencies(chart: Chart, values: JsonObject, warn: Warn): void {
  selectEnabled(chart, values, "", warn);
  importValues(chart, warn);
}

function matches(chart: Chart, dependency: Dependency): boolean {
  return chart.name === dependency.name && isCompatible(dependency.version, versionIn(chart));
}

function selectEnabled(chart: Chart, values: JsonObject, path: string, warn: Warn): void {
  if (chart.requirements.length === 0) return;
  const selected = chart.dependencies.filter(
    (existing) => !chart.requirements.some((requirement) => matches(existing, requirement)),
  );
  for (const requirement of chart.requirements) {
    const existing = chart.dependencies.find((candidate) => matches(candidate, requirement));
    if (existing) selected.push(aliased(existing, requirement.alias));
    if (requirement.alias !== "") requirement.name = requirement.alias;
    requirement.enabled = true;
  }
  for (const dependency of selected) dependency.parent = chart;
  chart.dependencies = selected;
  const all = coalesceValues(chart, values, warn);
  applyTags(chart.requirements, all, warn);
  applyConditions(chart.requirements, all, path, warn);
  const disabled = new Set(chart.requirements.filter(({ enabled }) => !enabled).map(({ name }) => name));
  chart.dependencies = chart.dependencies.filter(({ name }) => !disabled.has(name));
  for (const dependency of chart.dependencies) selectEnabled(dependency, all, `${path}${dependency.name}.`, warn);
  chart.requirements = chart.requirements.filter(({ name }) => !disabled.has(name));
}

/** Returns a copy, so that one chart can be a dependency under several names. */
function aliased(chart: Chart, alias: string): Chart {
  const copy: Chart = {
    ...chart,
    name: alias || chart.name,
    requirements: chart.requirements.map((item) => ({ ...item })),
  };
  copy.dependencies = chart.dependencies.map((dependency) => ({ ...dependency, parent: copy }));
  return copy;
}

function applyTags(requirements: readonly Dependency[], values: JsonObject, warn: Warn): void {
  const tags = getKey(values, "tags");
  if (!isObject(tags)) return;
  for (const requirement of requirements) {
    const states = requirement.tags.filter((tag) => Object.hasOwn(tags, tag)).map((tag) => ({ tag, state: tags[tag] }));
    for (const { tag, state } of states)
      if (typeof state !== "boolean")
        warn(`Warning: Tag '${tag}' for chart ${requirement.name} returned non-bool value`);
    const isOn = states.some(({ state }) => state === true);
    requirement.enabled = isOn || !states.some(({ state }) => state === false);
  }
}

function applyConditions(requirements: readonly Dependency[], values: JsonObject, path: string, warn: Warn): void {
  for (const requirement of requirements)
    for (const condition of requirement.condition.trim().split(",")) {
      if (condition === "") continue;
      const names = `${path}${condition}`.split(".");
      const last = names.pop() ?? "";
      const table = names.length === 0 ? values : tableAt(values, names.join("."));
      const state = table && getKey(table, last);
      if (state === undefined || isObject(state)) continue;
      if (typeof state === "boolean") {
        requirement.enabled = state;
        break;
      }
      warn(`Warning: Condition path '${condition}' for chart ${requirement.name} returned non-bool value`);
    }
}

function importValues(chart: Chart, warn: Warn): void {
  for (const dependency of chart.dependencies) importValues(dependency, warn);
  if (chart.requirements.length === 0) return;
  const all = coalesceValues(chart, {}, warn, true);
  const imported: JsonObject = {};
  for (const requirement of chart.requirements)
    for (const entry of requirement.importValues) {
      const child = isObject(entry) ? textOf(entry.child) : `exports.${textOf(entry)}`;
      const parent = isObject(entry) ? textOf(entry.parent) : ".";
      const table = tableAt(all, `${requirement.name}.${child}`);
      if (!table)
        warn(
          `Warning: ImportValues missing table from chart ${requirement.name}: ${JSON.stringify(child)} is not a table`,
        );
      else coalesceTables(imported, atPath(parent, deepCopy(table)), "", true, warn);
    }
  chart.values = coalesceTables(deepCopy(all), imported, "", true, warn);
}

function atPath(path: string, values: JsonObject): JsonObject {
  if (path === ".") return values;
  return path.split(".").reduceRight<JsonObject>((inner, name) => {
    const outer: JsonObject = {};
    setKey(outer, name, inner);
    return outer;
  }, values);
}
