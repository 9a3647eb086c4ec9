// What a text says it is: its apiVersion and kind, as Go's reader of them alone takes it.
import { isObject, type JsonObject } from "./json-values.ts";

const target = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
const prefix = "couldn't get version/kind; json parse error: json: cannot unmarshal";

/** Why a value does not say what it is; null says nothing, and is no problem here. */
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
