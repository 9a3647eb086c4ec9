// Objects as kubectl handles them: JSON whose metadata it reads.
import { type JsonObject, isObject } from "../../shared/schema/json-values.ts";
import type { Mapping } from "./cluster/discovery.ts";

/** One object that a command is about, or a list that a selector found. */
export interface Info {
  mapping: Mapping;
  namespace: string;
  name: string;
  /** The file that it stands in; "" where it came from the server. */
  readonly source: string;
  object: JsonObject;
}

export function metadataOf(object: JsonObject): JsonObject {
  return isObject(object.metadata) ? object.metadata : {};
}

/** For changing: made where it is missing. */
export function ownMetadata(object: JsonObject): JsonObject {
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

/** What a dotted path leads to: `at(pod, "spec", "nodeName")`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found) && typeof step === "number") found = found[step];
    else found = isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

export function objectAt(value: unknown, ...path: readonly (string | number)[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): JsonObject[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

export function stringAt(value: unknown, ...path: readonly (string | number)[]): string {
  return textOf(at(value, ...path));
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** Strings by their keys: labels, annotations, data. */
export function stringsAt(value: unknown, ...path: readonly (string | number)[]): Record<string, string> {
  return Object.fromEntries(Object.entries(objectAt(value, ...path)).map(([key, one]) => [key, String(one)]));
}

export function isList(object: JsonObject): boolean {
  return Array.isArray(object.items) && textOf(object.kind).endsWith("List");
}

/** The object that a path of keys leads to, made where it is missing. */
export function ensure(object: JsonObject, ...path: readonly string[]): JsonObject {
  let found = object;
  for (const step of path) {
    if (!isObject(found[step])) found[step] = {};
    found = found[step] as JsonObject; // just made or tested
  }
  return found;
}

/** `deployment.apps/web`. */
export function nameText(object: JsonObject): string {
  const [, group = ""] = textOf(object.apiVersion).includes("/") ? ["", textOf(object.apiVersion).split("/")[0]] : [];
  const kind = textOf(object.kind).toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${nameOf(object) || "<unknown>"}`;
}
