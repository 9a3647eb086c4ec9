// Writes TOML as the library of Helm does: simple keys first, then tables.
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import { isMap, isNil, sortedKeys } from "../template/values.ts";

export function tomlOf(map: JsonObject): string {
  return tableText(map, []);
}

function isTable(value: unknown): value is JsonObject | JsonObject[] {
  return isMap(value) || (Array.isArray(value) && value.length > 0 && value.every(isMap));
}

function tableText(map: JsonObject, path: readonly string[]): string {
  const keys = sortedKeys(map).filter((key) => !isNil(map[key]));
  const indent = "  ".repeat(Math.max(0, path.length - 1)) + (path.length > 0 ? "  " : "");
  let text = keys
    .filter((key) => !isTable(map[key]))
    .map((key) => `${indent}${keyText(key)} = ${valueText(map[key])}\n`)
    .join("");
  for (const key of keys) {
    const value = map[key];
    if (!isTable(value)) continue;
    const inner = [...path, key];
    const name = inner.map(keyText).join(".");
    const outer = "  ".repeat(path.length);
    const gap = text === "" ? "" : path.length === 0 ? "\n" : "";
    if (Array.isArray(value))
      text += value.map((item) => `${gap}${outer}[[${name}]]\n${tableText(item, inner)}`).join("");
    else text += `${gap}${outer}[${name}]\n${tableText(value, inner)}`;
  }
  return text;
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (isMap(value))
    return `{${sortedKeys(value)
      .map((key) => `${keyText(key)} = ${valueText(value[key])}`)
      .join(", ")}}`;
  if (typeof value !== "number") return JSON.stringify(value);
  // Values of YAML are float64.
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
