// Values as Go prints them with `%v`.
import { isObject } from "../../../shared/schema/json-values.ts";
import { goNumber } from "./yaml.ts";

export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value as string | boolean);
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key])}`)
    .join(" ")}]`;
}

/** `%q` of a string. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
