// Prints a value like Go's `%#v`, as its YAML parser does in errors. Long values are cut.
import { isObject } from "../json-values.ts";

const maxCharacters = 1000;

export function goSyntax(value: unknown): string {
  const text = written(value, maxCharacters);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}...` : text;
}

/** Returns at least the first `budget` characters. */
function written(value: unknown, budget: number): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${members(value, budget, (item, left) => written(item, left))}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const pair = ([key, member]: [string, unknown], left: number) => `${JSON.stringify(key)}:${written(member, left)}`;
  return `map[interface {}]interface {}{${members(Object.entries(value), budget, pair)}}`;
}

function members<T>(all: readonly T[], budget: number, write: (item: T, left: number) => string): string {
  let text = "";
  for (const item of all) {
    if (text.length > budget) break;
    text += `${text === "" ? "" : ", "}${write(item, budget - text.length)}`;
  }
  return text;
}
