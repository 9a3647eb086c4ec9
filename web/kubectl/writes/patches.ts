// Computes patches: JSON merge patches, and strategic merge patches of two or three sides.
import { type JsonObject, copyJson, equalJson, getKey, isObject } from "../../../shared/schema/json-values.ts";
import { type Schema, listMeta, objectMeta, rootSchema } from "../../../shared/schema/strategic/strategic-schema.ts";

/** Returns the merge patch that changes one object into the other. */
export function mergePatchOf(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [getKey(before, key), getKey(after, key)];
    if (now === undefined) patch[key] = null;
    else if (isObject(old) && isObject(now)) {
      const inner = mergePatchOf(old, now);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (!equalJson(old, now)) patch[key] = now;
  }
  return patch;
}

/** Returns a merge patch with the changes from `current` to `modified`, and deletions of fields that only `original` has. */
export function threeWayMergePatch(original: JsonObject, modified: JsonObject, current: JsonObject): JsonObject {
  const changes = nulls(mergePatchOf(current, modified), false);
  return joined(nulls(mergePatchOf(original, modified), true), changes);
}

function nulls(patch: JsonObject, keeps: boolean): JsonObject {
  const changes: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    if (isObject(value)) {
      const inner = nulls(value, keeps);
      if (Object.keys(inner).length > 0 || (!keeps && Object.keys(value).length === 0)) changes[key] = inner;
    } else if ((value === null) === keeps) changes[key] = value;
  }
  return changes;
}

/** Merges two patches. The values of `b` win. */
export function joined(a: JsonObject, b: JsonObject): JsonObject {
  const result = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? joined(before, value) : value;
  }
  return result;
}

/** Returns undefined if the type is not built in. */
export function strategicPatchOf(type: string, before: JsonObject, after: JsonObject): JsonObject | undefined {
  const schema = rootSchema(type);
  return (
    schema && differences(before, after, schema, { deletes: true, changes: true, keepsOrder: true, retains: false })
  );
}

export function threeWayStrategicPatch(
  type: string,
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
): JsonObject | undefined {
  const schema = rootSchema(type);
  if (!schema) return undefined;
  const delta = differences(current, modified, schema, {
    deletes: false,
    changes: true,
    keepsOrder: true,
    retains: false,
  });
  const deletions = differences(original, modified, schema, {
    deletes: true,
    changes: false,
    keepsOrder: true,
    retains: false,
  });
  return combined(deletions, delta, schema);
}

interface Options {
  readonly deletes: boolean;
  readonly changes: boolean;
  readonly keepsOrder: boolean;
  /** Reports whether the patch lists the fields to retain, so that the server drops all others. */
  readonly retains: boolean;
}

function differences(before: JsonObject, after: JsonObject, schema: Schema, options: Options): JsonObject {
  const patch: JsonObject = {};
  for (const [key, now] of Object.entries(after)) {
    const old = getKey(before, key);
    if (isObject(old) && isObject(now)) objectDifference(patch, key, old, now, schema, options);
    else if (Array.isArray(old) && Array.isArray(now)) listDifference(patch, key, old, now, schema, options);
    else if (options.changes && !equalJson(old, now)) patch[key] = now;
  }
  if (options.deletes) for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  if (options.retains && Object.keys(patch).length > 0) {
    patch.$retainKeys = Object.keys(after)
      .filter((key) => after[key] !== null)
      .sort();
  }
  return patch;
}

function objectDifference(
  patch: JsonObject,
  key: string,
  old: JsonObject,
  now: JsonObject,
  schema: Schema,
  options: Options,
): void {
  const meta = fieldMeta(schema, key, false);
  if (meta?.strategy === "replace" || !meta) {
    // An object without a type is merged key by key.
    const inner = meta ? undefined : differences(old, now, schema, options);
    if (inner === undefined ? options.changes && !equalJson(old, now) : Object.keys(inner).length > 0)
      patch[key] = inner ?? now;
    return;
  }
  const inner = differences(old, now, meta.schema, {
    ...options,
    retains: retainsKeys(schema, key) && options.changes,
  });
  if (Object.keys(inner).length > 0) patch[key] = inner;
}

interface Meta {
  readonly schema: Schema;
  readonly strategy: string;
  readonly mergeKey: string;
}

/** Returns undefined for a map, whose keys have no type. */
function fieldMeta(schema: Schema, key: string, isList: boolean): Meta | undefined {
  if (!("node" in schema)) return undefined;
  const field = schema.node.byJson.get(key);
  if (!field || (isList && field.shape !== "list")) return undefined;
  return isList ? listMeta(schema, key) : objectMeta(schema, key);
}

function retainsKeys(schema: Schema, key: string): boolean {
  return "node" in schema && (schema.node.byJson.get(key)?.facts.patchStrategy ?? "").split(",").includes("retainKeys");
}

function listDifference(
  patch: JsonObject,
  key: string,
  old: unknown[],
  now: unknown[],
  schema: Schema,
  options: Options,
): void {
  const meta = fieldMeta(schema, key, true);
  if (meta?.strategy !== "merge") {
    if (options.changes && !equalJson(old, now)) patch[key] = now;
    return;
  }
  if (![...old, ...now].every(isObject)) return scalarDifference(patch, key, old, now, options);
  const { mergeKey } = meta;
  // Lists with a merge key contain only objects.
  const [before, after] = [old as JsonObject[], now as JsonObject[]];
  const items: JsonObject[] = [];
  for (const item of after) {
    const match = before.find((candidate) => equalJson(candidate[mergeKey], item[mergeKey]));
    if (!match) {
      if (options.changes) items.push(item);
      continue;
    }
    const inner = differences(match, item, meta.schema, {
      ...options,
      retains: retainsKeys(schema, key) && options.changes,
    });
    if (Object.keys(inner).length > 0) items.push({ ...inner, [mergeKey]: item[mergeKey] });
  }
  if (options.deletes) {
    const gone = before.filter((candidate) => !after.some((item) => equalJson(candidate[mergeKey], item[mergeKey])));
    items.push(...gone.map((entry) => ({ $patch: "delete", [mergeKey]: entry[mergeKey] })));
  }
  const order = after.map((item) => ({ [mergeKey]: item[mergeKey] }));
  const isMoved = !equalJson(
    before.map((entry) => entry[mergeKey]),
    after.map((entry) => entry[mergeKey]),
  );
  if (items.length > 0) patch[key] = items;
  if (options.keepsOrder && (items.length > 0 || (options.changes && isMoved)))
    patch[`$setElementOrder/${key}`] = order;
}

function scalarDifference(patch: JsonObject, key: string, old: unknown[], now: unknown[], options: Options): void {
  const added = now.filter((value) => !old.includes(value));
  const gone = old.filter((value) => !now.includes(value));
  if (options.changes && added.length > 0) patch[key] = added;
  if (options.deletes && gone.length > 0) patch[`$deleteFromPrimitiveList/${key}`] = gone;
  const isChanged = (options.changes && !equalJson(old, now)) || (options.deletes && gone.length > 0);
  if (options.keepsOrder && isChanged) patch[`$setElementOrder/${key}`] = now;
}

/** Combines two patches. If both set a field, the second wins. */
function combined(first: JsonObject, second: JsonObject, schema: Schema): JsonObject {
  const result = copyJson(first);
  for (const [key, value] of Object.entries(second)) {
    const before = result[key];
    const meta = fieldMeta(schema, key, Array.isArray(value));
    if (isObject(before) && isObject(value)) result[key] = combined(before, value, meta?.schema ?? schema);
    else if (Array.isArray(before) && Array.isArray(value) && meta?.strategy === "merge" && meta.mergeKey) {
      result[key] = combinedLists(before.filter(isObject), value.filter(isObject), meta);
    } else result[key] = value;
  }
  return result;
}

function combinedLists(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  { schema, mergeKey }: Meta,
): JsonObject[] {
  const result = [...first];
  for (const item of second) {
    const at = result.findIndex((candidate) => equalJson(candidate[mergeKey], item[mergeKey]));
    const before = result[at];
    if (before) result[at] = combined(before, item, schema);
    else result.push(item);
  }
  return result;
}
