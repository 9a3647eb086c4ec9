// Decodes the configuration file of a component, with the errors of upstream's codecs (apimachinery/pkg/runtime/serializer/json).
import { ApiError } from "../../k8s/status.ts";
import { mismatch, newContext, reportUnknown, type Context } from "../decode-context.ts";
import { parseJson } from "../json.ts";
import { isObject, type JsonObject } from "../json-values.ts";
import { typeMetaProblem } from "../type-meta.ts";
import { YamlError } from "./errors.ts";
import { readYaml } from "./read.ts";

/** A Go type: `string`, `bool` or the name of a struct or of a string type. `[]` in front of it stands for a list. */
interface FieldType {
  readonly goType: string;
  /** The struct of the value or of the list's items. */
  readonly struct?: StructType;
}

export interface StructType {
  /** The name without its package, as errors print the owner of a field. */
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldType>>;
}

interface ConfigFile {
  readonly fields: JsonObject;
  /** The paths of fields that the type does not have. */
  readonly unknown: readonly string[];
}

/** Parses a file as a mapping; returns the error's text if it is none. An empty file has no fields. */
export function parseConfig(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = /^\s*\{/.test(text) ? parseJson(text).value : readYaml(text).value;
  } catch (error) {
    if (error instanceof YamlError) return error.message;
    if (error instanceof ApiError) return `couldn't get version/kind; json parse error: ${error.message}`;
    throw error;
  }
  return typeMetaProblem(value) ?? (isObject(value) ? value : {});
}

/** Checks the types of a file's fields; returns the error's text if one does not fit. */
export function checkConfig(fields: JsonObject, struct: StructType): ConfigFile | string {
  const context = newContext();
  try {
    check(fields, { goType: struct.name, struct }, context);
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  return { fields, unknown: [...context.unknown] };
}

/** The JSON types of Go's types that are no strings. */
const typesOfJson: Readonly<Record<string, string>> = { bool: "boolean", int32: "number" };

function check(value: unknown, { goType, struct }: FieldType, context: Context): void {
  if (value === null || value === undefined) return;
  if (goType.startsWith("[]")) return checkItems(value, { goType, ...(struct ? { struct } : {}) }, context);
  if (struct) return checkFields(value, goType, struct, context);
  if (typeof value !== (typesOfJson[goType] ?? "string")) throw mismatch(value, goType, context);
}

function checkItems(value: unknown, type: FieldType, context: Context): void {
  if (!Array.isArray(value)) throw mismatch(value, type.goType, context);
  const itemType = { ...type, goType: type.goType.slice(2) };
  for (const [index, item] of value.entries()) {
    context.steps.push(index);
    check(item, itemType, context);
    context.steps.pop();
  }
}

function checkFields(value: unknown, goType: string, { name, fields }: StructType, context: Context): void {
  if (!isObject(value)) throw mismatch(value, goType, context, true);
  for (const [key, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (!field) {
      reportUnknown(context, key);
      continue;
    }
    context.steps.push({ key, owner: name, inlined: "" });
    check(member, field, context);
    context.steps.pop();
  }
}

/** Returns the error of a kind that a component's scheme does not have. */
export function unregistered({ apiVersion, kind }: JsonObject, scheme: string): string {
  const [, group] = /^(.*)\/__internal$/.exec(String(apiVersion)) ?? [];
  const version =
    group === undefined
      ? `version ${JSON.stringify(apiVersion)}`
      : `the internal version of group ${JSON.stringify(group)}`;
  return `no kind ${JSON.stringify(kind)} is registered for ${version} in scheme ${JSON.stringify(scheme)}`;
}

export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item): item is string => typeof item === "string");
}
