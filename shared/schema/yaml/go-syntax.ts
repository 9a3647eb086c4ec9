// A value as Go prints it with `%#v`, where its parser of YAML shows one in an error. Cut short where it is long.
import { isObject } from "../json-values.ts";

const maxCharacters = 1000;

export function goSyntax(value: unknown): string {
  const text = written(value, maxCharacters);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}...` : text;
}

/** At least the first `budget` characters of it. */
function written(value: unknown, budget: number): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${members(value, budget, (one, left) => written(one, left))}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const pair = ([key, one]: [string, unknown], left: number) => `${JSON.stringify(key)}:${written(one, left)}`;
  return `map[interface {}]interface {}{${members(Object.entries(value), budget, pair)}}`;
}

function members<T>(all: readonly T[], budget: number, write: (one: T, left: number) => string): string {
  let text = "";
  for (const one of all) {
    if (text.length > budget) break;
    text += `${text === "" ? "" : ", "}${write(one, budget - text.length)}`;
  }
  return text;
}
