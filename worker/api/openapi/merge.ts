// Puts the OpenAPI v2 documents of aggregated servers into the cluster's own: of each the paths of its version, with the definitions that
// these use; of two definitions of one name that differ the later is renamed, as upstream does.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { Schema } from "../../../shared/schema/openapi/schema.ts";
import type { V2Document, V2Operation, V2Parameter, V2PathItem } from "./v2.ts";

export interface RemoteV2 {
  readonly group: string;
  readonly version: string;
  readonly etag: string;
  /** An object of Swagger 2.0, with `paths`. */
  readonly document: JsonObject;
}

const definitionPrefix = "#/definitions/";
const parameterPrefix = "#/parameters/";
const gvkKey = "x-kubernetes-group-version-kind";
const methods = ["get", "put", "post", "delete", "options", "head", "patch"];

export function mergedV2(own: V2Document, remote: readonly RemoteV2[]): V2Document {
  return remote.reduce(merged, own);
}

function merged(own: V2Document, { group, version, document }: RemoteV2): V2Document {
  const prefix = `/apis/${group}/${version}/`;
  const paths = Object.entries(objectOf(document["paths"])).filter(
    ([path]) => path.startsWith(prefix) && !Object.hasOwn(own.paths, path),
  );
  if (paths.length === 0) return own;
  const parameters = objectOf(document["parameters"]);
  const all = objectOf(document["definitions"]);
  const items = paths.map(([path, item]) => [path, withParameters(item, parameters)] as const);
  const used = usedBy(items, all);
  const names = renamed(own.definitions, all, used);
  const definitions: Record<string, Schema> = { ...own.definitions };
  for (const name of used) {
    const shown = names.get(name) ?? name;
    // Whatever it is, it is shown as it was told.
    const theirs = referring(all[name], names) as Schema;
    const ours = definitions[shown];
    definitions[shown] = ours ? withKinds(ours, theirs) : theirs;
  }
  const found = items.map(([path, item]) => [path, pathItemOf(referring(item, names))] as const);
  return { ...own, definitions, paths: sorted({ ...own.paths, ...Object.fromEntries(found) }) };
}

/** In the place of each reference what it refers to. */
function withParameters(value: unknown, parameters: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withParameters(one, parameters));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === "string" && $ref.startsWith(parameterPrefix))
    return parameters[$ref.slice(parameterPrefix.length)];
  return mapped(value, (one) => withParameters(one, parameters));
}

/** The definitions that are referred to, and those that these refer to. */
function usedBy(from: unknown, all: JsonObject): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isObject(value)) return;
    const name = nameIn(value["$ref"]);
    if (name !== undefined && !used.has(name) && Object.hasOwn(all, name)) {
      used.add(name);
      visit(all[name]);
    }
    for (const one of Object.values(value)) visit(one);
  };
  visit(from);
  return used;
}

/** New names of those that are something else here. */
function renamed(
  own: Readonly<Record<string, Schema>>,
  all: JsonObject,
  used: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of used) {
    let shown = name;
    const differs = () => Object.hasOwn(own, shown) && !isSame(own[shown], all[name]);
    for (let at = 2; differs() || (shown !== name && Object.hasOwn(all, shown)); at++) shown = `${name}_v${at}`;
    if (shown !== name) names.set(name, shown);
  }
  return names;
}

/** But for the kinds that it stands for, and for what is only told of it: libraries of several releases tell the same otherwise. */
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
  const kinds = new Map([...(ours[gvkKey] ?? []), ...(theirs[gvkKey] ?? [])].map((one) => [keyOf(one), one]));
  if (kinds.size === (ours[gvkKey] ?? []).length) return ours;
  return { ...ours, [gvkKey]: [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one) };
}

function keyOf({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group}/${version}.${kind}`;
}

function referring(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => referring(one, names));
  if (!isObject(value)) return value;
  const shown = names.get(nameIn(value["$ref"]) ?? "");
  const rest = mapped(value, (one) => referring(one, names));
  return shown === undefined ? rest : { ...rest, $ref: definitionPrefix + shown };
}

function pathItemOf(value: unknown): V2PathItem {
  const { parameters, ...rest } = objectOf(value);
  const operations = Object.entries(rest).filter(([method]) => methods.includes(method));
  // What others publish is told as it is; what has another form is theirs to mend.
  return {
    operations: Object.fromEntries(operations.map(([method, one]) => [method, operationOf(one)])),
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

function mapped(value: JsonObject, change: (one: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)]));
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
