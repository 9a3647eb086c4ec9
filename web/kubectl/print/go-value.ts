// Values as Go prints them with `%v`.
import { isObject } from "../../../shared/schema/json-values.ts";
import { goNumber } from "./yaml.ts";

export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return typeof value === "string" ? value : JSON.stringify(value);
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key])}`)
    .join(" ")}]`;
}

/** Formats a JSON value like Go's `%#v`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return JSON.stringify(value);
  return `map[string]interface {}{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`)
    .join(", ")}}`;
}
