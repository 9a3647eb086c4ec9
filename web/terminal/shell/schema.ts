// The schemas of the cluster: OpenAPI v3 documents, loaded by group and version, and traversed by path.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { ClusterConnection } from "../../kubectl/surroundings.ts";

/** A location in a kind's schema. */
export interface Place {
  readonly document: JsonObject;
  readonly schema: JsonObject;
}

export interface Field {
  readonly name: string;
  /** The type: `string`, `[]Container`, `map[string]string`. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Reports what the value contains. */
  readonly holds: "object" | "list" | "value";
}

/** A key of an object, or an item of a list. */
export type Step = string | { readonly item: true };

export interface Schemas {
  /** Returns undefined for an unknown kind, or if the cluster does not answer. */
  kind(apiVersion: string, kind: string): Promise<Place | undefined>;
}

export function schemasOf(cluster: Pick<ClusterConnection, "fetch">): Schemas {
  const documents = new Map<string, Promise<JsonObject | undefined>>();
  const load = async (apiVersion: string): Promise<JsonObject | undefined> => {
    const answer = await cluster.fetch(`/openapi/v3/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`, {
      headers: { accept: "application/json" },
    });
    if (!answer.ok) return undefined;
    const body: unknown = await answer.json();
    return isObject(body) ? body : undefined;
  };
  return {
    kind: async (apiVersion, kind) => {
      if (!/^[\w.-]+(?:\/[\w.-]+)?$/.test(apiVersion)) return undefined;
      const loading = documents.get(apiVersion) ?? load(apiVersion).catch(() => undefined);
      documents.set(apiVersion, loading);
      const document = await loading;
      const [version = "", group = ""] = apiVersion.split("/").reverse();
      const schema = Object.values(schemasIn(document)).find(
        (candidate): candidate is JsonObject => isObject(candidate) && isOf(candidate, group, version, kind),
      );
      return document && schema ? { document, schema } : undefined;
    },
  };
}

function schemasIn(document: JsonObject | undefined): JsonObject {
  const components = isObject(document?.components) ? document.components : {};
  return isObject(components.schemas) ? components.schemas : {};
}

function isOf(schema: JsonObject, group: string, version: string, kind: string): boolean {
  const kinds = schema["x-kubernetes-group-version-kind"];
  return (
    Array.isArray(kinds) &&
    kinds.some(
      (groupVersionKind) =>
        isObject(groupVersionKind) &&
        groupVersionKind.group === group &&
        groupVersionKind.version === version &&
        groupVersionKind.kind === kind,
    )
  );
}

/** Returns the reference of the field, or that of its only `allOf` schema. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  const inner: unknown = Array.isArray(allOf) ? allOf[0] : undefined;
  const reference = $ref ?? (isObject(inner) ? inner.$ref : undefined);
  return typeof reference === "string" ? reference : undefined;
}

/** Resolves references. */
function resolved({ document, schema }: Place): Place {
  let current = schema;
  // In the documents of a cluster, references nest at most once.
  for (let count = 0; count < 5; count++) {
    const reference = referenceOf(current);
    if (reference === undefined) break;
    const target = schemasIn(document)[reference.split("/").at(-1) ?? ""];
    if (!isObject(target)) break;
    current = target;
  }
  return { document, schema: current };
}

/** Returns undefined if the schema has no such path. With `skipsItems`, the path omits list items, as in `explain`. */
export function placeAt(root: Place, path: readonly Step[], skipsItems = false): Place | undefined {
  let place = resolved(root);
  for (const step of path) {
    const { properties, items, additionalProperties } = place.schema;
    const next =
      typeof step === "object"
        ? items
        : ((isObject(properties) ? properties[step] : undefined) ?? additionalProperties);
    if (!isObject(next)) return undefined;
    place = resolved({ document: place.document, schema: next });
    if (skipsItems && isObject(place.schema.items))
      place = resolved({ document: place.document, schema: place.schema.items });
  }
  return place;
}

export function fieldsOf(place: Place): Field[] {
  const { document, schema } = place;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, property]): Field[] => {
    if (!isObject(property)) return [];
    const target = resolved({ document, schema: property }).schema;
    const text = property.description ?? target.description;
    return [
      {
        name,
        type: typeOf({ document, schema: property }),
        description: typeof text === "string" ? text : "",
        isRequired: required.includes(name),
        holds:
          target.type === "array"
            ? "list"
            : isObject(target.properties) || target.type === "object"
              ? "object"
              : "value",
      },
    ];
  });
}

/** Reports whether other keys are allowed, as in labels, data, and open fields of custom kinds. */
export function isOpen({ schema }: Place): boolean {
  return (
    !isObject(schema.properties) ||
    schema.additionalProperties !== undefined ||
    schema["x-kubernetes-preserve-unknown-fields"] === true
  );
}

export function valuesOf({ schema }: Place): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((value): value is string => typeof value === "string");
  return schema.type === "boolean" ? ["true", "false"] : [];
}

function typeOf(place: Place): string {
  const { document, schema } = resolved(place);
  if (schema.type === "array" && isObject(schema.items)) return `[]${typeOf({ document, schema: schema.items })}`;
  if (isObject(schema.additionalProperties))
    return `map[string]${typeOf({ document, schema: schema.additionalProperties })}`;
  if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return "int or string";
  const reference = referenceOf(place.schema);
  if (reference !== undefined) return reference.split(".").at(-1) ?? "";
  return typeof schema.type === "string" ? schema.type : "value";
}
