// Merges OpenAPI v2 documents of aggregated servers into the cluster's own: the paths of each version with the definitions that they use.
// If two definitions of one name differ, the later is renamed, as upstream does.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { Schema } from "../../../shared/schema/openapi/schema.ts";
import type { V2Document, V2Operation, V2Parameter, V2PathItem } from "./v2.ts";

export interface RemoteV2 {
  readonly group: string;
  readonly version: string;
  readonly etag: string;
  /** A Swagger 2.0 object with `paths`. */
  readonly document: JsonObject;
}

const definitionPrefix = "#/definitions/";
const parameterPrefix = "#/parameters/";
const gvkKey = "x-kubernetes-group-version-kind";
const methods = ["get", "put", "post", "delete", "options", "head", "patch"];

export function mergedV2(ownDocument: V2Document, remote: readonly RemoteV2[]): V2Document {
  return remote.reduce(merged, ownDocument);
}

function merged(target: V2Document, { group, version, document }: RemoteV2): V2Document {
  const prefix = `/apis/${group}/${version}/`;
  const paths = Object.entries(objectOf(document["paths"])).filter(
    ([path]) => path.startsWith(prefix) && !Object.hasOwn(target.paths, path),
  );
  if (paths.length === 0) return target;
  const parameters = objectOf(document["parameters"]);
  const all = objectOf(document["definitions"]);
  const items = paths.map(([path, item]) => [path, withParameters(item, parameters)] as const);
  const used = usedBy(items, all);
  const names = renamed(target.definitions, all, used);
  const definitions: Record<string, Schema> = { ...target.definitions };
  for (const name of used) {
    const newName = names.get(name) ?? name;
    // The definition is published unchanged.
    const theirs = referring(all[name], names) as Schema;
    const ours = definitions[newName];
    definitions[newName] = ours ? withKinds(ours, theirs) : theirs;
  }
  const pathItems = items.map(([path, item]) => [path, pathItemOf(referring(item, names))] as const);
  return { ...target, definitions, paths: sorted({ ...target.paths, ...Object.fromEntries(pathItems) }) };
}

/** Replaces references to parameters by the parameters. */
function withParameters(value: unknown, parameters: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withParameters(item, parameters));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === "string" && $ref.startsWith(parameterPrefix))
    return parameters[$ref.slice(parameterPrefix.length)];
  return mapped(value, (fieldValue) => withParameters(fieldValue, parameters));
}

/** Returns the names of all definitions that a value refers to, directly or indirectly. */
function usedBy(from: unknown, all: JsonObject): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    const name = nameIn(value["$ref"]);
    if (name !== undefined && !used.has(name) && Object.hasOwn(all, name)) {
      used.add(name);
      visit(all[name]);
    }
    for (const fieldValue of Object.values(value)) visit(fieldValue);
  };
  visit(from);
  return used;
}

/** Returns new names for definitions that conflict with existing ones. */
function renamed(
  existing: Readonly<Record<string, Schema>>,
  all: JsonObject,
  used: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of used) {
    let newName = name;
    const differs = () => Object.hasOwn(existing, newName) && !isSame(existing[newName], all[name]);
    for (let at = 2; differs() || (newName !== name && Object.hasOwn(all, newName)); at++) newName = `${name}_v${at}`;
    if (newName !== name) names.set(name, newName);
  }
  return names;
}

/** Compares definitions without their kinds and descriptions, since releases of a library differ in these. */
function isSame(ours: unknown, theirs: unknown): boolean {
  return canonical(ours) === canonical(theirs);
}

function canonical(schema: unknown): string {
  const { [gvkKey]: _, ...rest } = objectOf(schema);
  return JSON.stringify(rest, (key, value: unknown) => {
    if (key === "description" && typeof value === "string") return undefined;
    return isObject(value) ? sorted(value) : value;
  });
}

function withKinds(ours: Schema, theirs: Schema): Schema {
  const kinds = new Map([...(ours[gvkKey] ?? []), ...(theirs[gvkKey] ?? [])].map((gvk) => [keyOf(gvk), gvk]));
  if (kinds.size === (ours[gvkKey] ?? []).length) return ours;
  return { ...ours, [gvkKey]: [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gvk]) => gvk) };
}

function keyOf({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group}/${version}.${kind}`;
}

function referring(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => referring(item, names));
  if (!isObject(value)) return value;
  const newName = names.get(nameIn(value["$ref"]) ?? "");
  const rest = mapped(value, (fieldValue) => referring(fieldValue, names));
  return newName === undefined ? rest : { ...rest, $ref: definitionPrefix + newName };
}

function pathItemOf(value: unknown): V2PathItem {
  const { parameters, ...rest } = objectOf(value);
  const operations = Object.entries(rest).filter(([method]) => methods.includes(method));
  // Published operations are not corrected.
  return {
    operations: Object.fromEntries(operations.map(([method, operation]) => [method, operationOf(operation)])),
    ...(Array.isArray(parameters) ? { parameters: parameters as V2Parameter[] } : {}),
  };
}

function operationOf(value: unknown): V2Operation {
  const bare = { consumes: [], description: "", operationId: "", produces: [], responses: {}, schemes: [], tags: [] };
  return { ...bare, ...objectOf(value) };
}

function nameIn(reference: unknown): string | undefined {
  const isDefinition = typeof reference === "string" && reference.startsWith(definitionPrefix);
  return isDefinition ? reference.slice(definitionPrefix.length) : undefined;
}

function mapped(value: JsonObject, change: (fieldValue: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, fieldValue]) => [key, change(fieldValue)]));
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
