// Merges values of users with the defaults of a chart and its dependencies, as Helm's chartutil does.
import { getKey, isObject, type JsonObject, setKey } from "../../../../../shared/schema/json-values.ts";
import { deepCopy, isNil, textOf } from "../template/values.ts";
import type { Chart } from "./chart.ts";

/** Receives warnings. */
export type Warn = (text: string) => void;

const joinPath = (prefix: string, name: string) => (prefix === "" ? name : `${prefix}.${name}`);

/** Returns the values of a chart, those of its dependencies among them. With `merges`, nulls stay. */
export function coalesceValues(chart: Chart, values: JsonObject, warn: Warn, merges = false): JsonObject {
  return coalesce(chart, deepCopy(values), "", merges, warn);
}

function coalesce(chart: Chart, target: JsonObject, prefix: string, merges: boolean, warn: Warn): JsonObject {
  addDefaults(chart, target, prefix, merges, warn);
  for (const subchart of chart.dependencies) {
    const before = getKey(target, subchart.name);
    if (!Object.hasOwn(target, subchart.name)) setKey(target, subchart.name, {});
    else if (!isObject(before)) throw new Error(`type mismatch on ${subchart.name}: ${typeText(before)}`);
    const table = getKey(target, subchart.name);
    if (!isObject(table)) continue;
    const subPrefix = joinPath(prefix, chart.name);
    coalesceGlobals(table, target, subPrefix, warn);
    setKey(target, subchart.name, coalesce(subchart, table, subPrefix, merges, warn));
  }
  return target;
}

/** The words of Go's `%t` for a value that is no boolean. */
function typeText(value: unknown): string {
  if (isNil(value)) return "%!t(<nil>)";
  return typeof value === "boolean"
    ? String(value)
    : `%!t(${typeof value === "number" ? "float64" : typeof value}=${textOf(value)})`;
}

function coalesceGlobals(target: JsonObject, source: JsonObject, prefix: string, warn: Warn): void {
  const globals = getKey(target, "global") ?? {};
  const outer = getKey(source, "global") ?? {};
  if (!isObject(globals)) return warn("warning: skipping globals because destination global is not a table.");
  if (!isObject(outer)) return warn("warning: skipping globals because source global is not a table.");
  for (const [key, value] of Object.entries(outer)) {
    const before = getKey(globals, key);
    if (isObject(value)) {
      const copy = { ...value };
      if (before === undefined) setKey(globals, key, copy);
      else if (!isObject(before)) warn(`Conflict: cannot merge map onto non-map for ${JSON.stringify(key)}. Skipping.`);
      else {
        coalesceTables(copy, before, joinPath(prefix, key), true, warn);
        setKey(globals, key, copy);
      }
    } else if (isObject(before)) warn(`key ${key} is table. Skipping`);
    else setKey(globals, key, value);
  }
  target.global = globals;
}

function addDefaults(chart: Chart, target: JsonObject, prefix: string, merges: boolean, warn: Warn): void {
  const subPrefix = joinPath(prefix, chart.name);
  for (const [key, value] of Object.entries(deepCopy(chart.values))) {
    if (!Object.hasOwn(target, key)) {
      setKey(target, key, value);
      continue;
    }
    const before = getKey(target, key);
    if (isNil(before) && !merges) delete target[key];
    else if (isObject(before)) {
      if (isObject(value)) {
        const isSubchart = chart.dependencies.some(({ name }) => name === key);
        coalesceTables(before, value, joinPath(subPrefix, key), isSubchart || merges, warn);
      } else if (!isNil(value)) warn(`warning: skipped value for ${subPrefix}.${key}: Not a table.`);
    }
  }
}

/** Merges the source into the target, whose values win. */
export function coalesceTables(
  target: JsonObject,
  source: JsonObject,
  prefix: string,
  merges: boolean,
  warn: Warn,
): JsonObject {
  const defaults = new Set(Object.keys(source).filter((key) => !isNil(source[key])));
  for (const [key, value] of Object.entries(target)) if (isNil(value)) setKey(source, key, null);
  for (const [key, value] of Object.entries(source)) {
    const path = joinPath(prefix, key);
    const before = getKey(target, key);
    const isSet = Object.hasOwn(target, key);
    if (isSet && !merges && isNil(before) && defaults.has(key)) delete target[key];
    else if (!isSet) setKey(target, key, value);
    else if (isObject(value)) {
      if (isObject(before)) coalesceTables(before, value, path, merges, warn);
      else warn(`warning: cannot overwrite table with non table for ${path} (${textOf(value)})`);
    } else if (isObject(before) && !isNil(value))
      warn(`warning: destination for ${path} is a table. Ignoring non-table value (${textOf(value)})`);
  }
  return target;
}

/** Returns the table at a path of names. */
export function tableAt(values: JsonObject, path: string): JsonObject | undefined {
  let current: JsonObject = values;
  for (const name of path.split(".")) {
    const next = getKey(current, name);
    if (!isObject(next)) return undefined;
    current = next;
  }
  return current;
}
