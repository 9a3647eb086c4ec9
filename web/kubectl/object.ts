// Objects as kubectl handles them: JSON with metadata.
import { type JsonObject, isObject } from "../../shared/schema/json-values.ts";
import type { Mapping } from "./cluster/discovery.ts";

/** A target of a command, like `resource.Info` of upstream's cli-runtime: an object, or a list that a selector returned. */
export interface Info {
  mapping: Mapping;
  namespace: string;
  name: string;
  /** The file that the object was read from, or an empty string if it came from the server. */
  readonly source: string;
  object: JsonObject;
}

export function metadataOf(object: JsonObject): JsonObject {
  return isObject(object.metadata) ? object.metadata : {};
}

/** Returns the metadata for modification, and creates it if it is missing. */
export function ensureMetadata(object: JsonObject): JsonObject {
  if (!isObject(object.metadata)) object.metadata = {};
  return object.metadata as JsonObject;
}

export function nameOf(object: JsonObject): string {
  return textOf(metadataOf(object).name);
}

export function namespaceOf(object: JsonObject): string {
  return textOf(metadataOf(object).namespace);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value at a path of keys: `at(pod, "spec", "nodeName")`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current) && typeof step === "number") current = current[step];
    else current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}

export function objectAt(value: unknown, ...path: readonly (string | number)[]): JsonObject {
  const target = at(value, ...path);
  return isObject(target) ? target : {};
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): JsonObject[] {
  const target = at(value, ...path);
  return Array.isArray(target) ? target.filter(isObject) : [];
}

export function stringAt(value: unknown, ...path: readonly (string | number)[]): string {
  return textOf(at(value, ...path));
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const target = at(value, ...path);
  return typeof target === "number" ? target : undefined;
}

/** Returns a map of strings: labels, annotations or data. */
export function stringsAt(value: unknown, ...path: readonly (string | number)[]): Record<string, string> {
  return Object.fromEntries(Object.entries(objectAt(value, ...path)).map(([key, entry]) => [key, String(entry)]));
}

export function isList(object: JsonObject): boolean {
  return Array.isArray(object.items) && textOf(object.kind).endsWith("List");
}

/** Returns the object at a path of keys, and creates it if it is missing. */
export function ensure(object: JsonObject, ...path: readonly string[]): JsonObject {
  let current = object;
  for (const step of path) {
    if (!isObject(current[step])) current[step] = {};
    current = current[step] as JsonObject; // The line above ensures that it is an object.
  }
  return current;
}

/** Formats the name of an object with its resource: `deployment.apps/web`. */
export function nameText(object: JsonObject): string {
  const [, group = ""] = textOf(object.apiVersion).includes("/") ? ["", textOf(object.apiVersion).split("/")[0]] : [];
  const kind = textOf(object.kind).toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${nameOf(object) || "<unknown>"}`;
}
