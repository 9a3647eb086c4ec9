// The apiVersion and kind of a text, as Go's reader of these two fields parses them.
import { isObject, type JsonObject } from "./json-values.ts";

const target = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
const prefix = "couldn't get version/kind; json parse error: json: cannot unmarshal";

/** Returns why apiVersion and kind cannot be read; undefined if they can. A null has neither, and is no problem here. */
export function typeMetaProblem(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isObject(value)) return `${prefix} ${jsonType(value)} into Go value of type ${target}`;
  const odd = fields.find((name) => isOdd(value, name));
  return odd && `${prefix} ${jsonType(value[odd])} into Go struct field .${odd} of type string`;
}

const fields = ["apiVersion", "kind"] as const;

function isOdd(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== null && typeof value[name] !== "string";
}

function jsonType(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}
