// Strategic merge patch: lists merge by key if the type declares one, and a patch may have directives.
import { copyJson, type JsonObject, isObject, setKey } from "../json-values.ts";
import { checkElementOrder, keyOf, orderMerged } from "./strategic-order.ts";
import {
  badPatch,
  failure,
  goText,
  goTypeOf,
  kindName,
  listMeta,
  objectMeta,
  type PatchMeta,
  rootSchema,
  type Schema,
  wrongType,
} from "./strategic-schema.ts";
import { unprocessable } from "../wording.ts";

const directive = "$patch";
const retainKeys = "$retainKeys";
const deleteFromList = "$deleteFromPrimitiveList";
const setElementOrder = "$setElementOrder";

/** Returns the patched object, not yet decoded. It shares nothing with the arguments. */
export function strategicMerge(type: string, original: unknown, patch: unknown): unknown {
  const schema = rootSchema(type);
  if (!schema) throw badPatch("strategic merge patch format is not supported");
  if (patch === null || patch === undefined) return copyJson(original);
  if (!isObject(patch)) {
    const word = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
    throw badPatch(`json: cannot unmarshal ${word} into Go value of type map[string]interface {}`);
  }
  // The merge changes copies in place.
  return mergeObject(copyJson(original as JsonObject), copyJson(patch), schema);
}

function mergeObject(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  if (Object.hasOwn(patch, directive)) return followDirective(patch);
  applyRetainKeys(original, patch);
  applyElementOrder(original, patch, schema);
  for (const [patchKey, value] of Object.entries(patch)) {
    const deletesItems = patchKey.startsWith(deleteFromList);
    const key = deletesItems ? directiveKey(patchKey, deleteFromList) : patchKey;
    if (value === null) {
      delete original[key];
    } else if (deletesItems) {
      if (Object.hasOwn(original, key)) mergeDeletions(original, key, value, schema);
    } else {
      mergeValue(original, key, value, schema);
    }
  }
  return original;
}

function followDirective(patch: JsonObject): JsonObject {
  const kind = patch[directive];
  delete patch[directive];
  if (kind === "replace") return patch;
  if (kind === "delete") return {};
  throw failure(`unknown patch type: ${goText(kind)} in map: ${goText({ ...patch, [directive]: kind })}`);
}

function mergeValue(original: JsonObject, key: string, value: unknown, schema: Schema): void {
  const before = Object.hasOwn(original, key) ? original[key] : undefined;
  if (isObject(before) && isObject(value)) {
    const meta = objectMeta(schema, key);
    original[key] = meta.strategy === "replace" ? value : mergeObject(before, value, meta.schema);
  } else if (Array.isArray(before) && Array.isArray(value)) {
    const meta = listMeta(schema, key);
    original[key] = meta.strategy === "merge" ? mergeList(before, value, meta) : value;
  } else {
    setPlain(original, key, value);
  }
}

function mergeDeletions(original: JsonObject, key: string, value: unknown, schema: Schema): void {
  const before = original[key];
  if (!Array.isArray(before) || !Array.isArray(value)) return;
  const meta = listMeta(schema, key);
  if (before.length === 0 && value.length === 0) return;
  original[key] = elementKind(before, value) === "map" ? mergeList(before, value, meta) : without(before, value);
}

/** Sets the patch's value, without nulls and directives, if the original has no value or one of another type. */
function setPlain(original: JsonObject, key: string, value: unknown): void {
  discardNulls(value);
  const plainValue = withoutDirectives(value);
  if (plainValue === undefined) delete original[key];
  else setKey(original, key, plainValue);
}

function mergeList(original: unknown[], patch: unknown[], meta: PatchMeta): unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementKind(original, patch) !== "map") {
    return orderMerged([...new Set([...original, ...patch])], patch, original, "");
  }
  if (!meta.mergeKey) throw failure(`cannot merge lists without merge key for ${kindName(meta.schema)}`);
  const { keptItems, items } = applyItemDirectives(original, patch as JsonObject[], meta.mergeKey);
  const merged = [...keptItems];
  const places = new Map<unknown, number>();
  for (const [at, item] of merged.entries()) {
    const key = isObject(item) ? item[meta.mergeKey] : undefined;
    if (key !== undefined && !places.has(key)) places.set(key, at);
  }
  for (const item of items) {
    const key = keyOf(item, meta.mergeKey);
    const at = places.get(key);
    if (at === undefined) places.set(key, merged.push(item) - 1);
    // Only objects have a place in `places`.
    else merged[at] = mergeObject(merged[at] as JsonObject, item, meta.schema);
  }
  return orderMerged(merged, items, keptItems, meta.mergeKey);
}

/**
 * Applies items with `$patch`: they delete the items of the original that they name, or let the rest of the patch replace it. Returns the
 * items that are kept, and the items that are merged into them.
 */
function applyItemDirectives(original: unknown[], patch: readonly JsonObject[], mergeKey: string) {
  const items: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch) {
    const kind = item[directive];
    if (!Object.hasOwn(item, directive)) {
      items.push(item);
    } else if (kind === "delete") {
      deleted.add(keyOf(item, mergeKey));
    } else if (kind === "replace") {
      replaces = true;
    } else if (kind === "merge") {
      throw failure("merging lists cannot yet be specified in the patch");
    } else {
      throw failure(`unknown patch type: ${goText(kind)} in map: ${goText(item)}`);
    }
  }
  if (replaces) return { keptItems: items, items: [] };
  return { keptItems: original.filter((item) => !(isObject(item) && deleted.has(item[mergeKey]))), items };
}

/** Applies `$retainKeys`: removes every key of the original that it does not name. The patch may only have keys that it names. */
function applyRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const list = patch[retainKeys];
  delete patch[retainKeys];
  if (!Array.isArray(list)) throw badPatch("invalid patch format of retainKeys");
  const retained = new Set<unknown>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFromList) || key.startsWith(setElementOrder)) continue;
    if (!retained.has(key)) throw badPatch("invalid patch format of retainKeys");
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

/** Merges every list that has a `$setElementOrder` and sorts it in that order. Removes both from the patch. */
function applyElementOrder(original: JsonObject, patch: JsonObject, schema: Schema): void {
  for (const [directiveName, order] of Object.entries(patch)) {
    if (!directiveName.startsWith(setElementOrder)) continue;
    delete patch[directiveName];
    if (!Array.isArray(order)) throw wrongType("list", order);
    const key = directiveKey(directiveName, setElementOrder);
    const before = listIn(original, key);
    const change = listIn(patch, key);
    const meta = listMeta(schema, key);
    checkElementOrder(change ?? [], order, meta.mergeKey);
    const merged = mergedList(before, change, meta);
    if (!merged) continue;
    if (elementKind(before ?? [], change ?? []) === "") throw failure("no elements in any of the given slices");
    original[key] = orderMerged(merged, order, before ?? [], meta.mergeKey);
    delete patch[key];
  }
}

function mergedList(before: unknown[] | undefined, change: unknown[] | undefined, meta: PatchMeta) {
  if (!change) return before;
  if (!before) return withoutDirectives(change) as unknown[];
  return meta.strategy === "merge" ? mergeList(before, change, meta) : change;
}

function listIn(object: JsonObject, key: string): unknown[] | undefined {
  if (!Object.hasOwn(object, key)) return undefined;
  const list = object[key];
  if (!Array.isArray(list)) throw wrongType("list", list);
  return list as unknown[];
}

/** Returns the field of a directive: `containers` of `$setElementOrder/containers`. */
function directiveKey(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw badPatch(`invalid patch format of ${prefix === setElementOrder ? "setElementOrder list" : "primitive list"}`);
}

function without(list: readonly unknown[], items: readonly unknown[]): unknown[] {
  const gone = new Set(items);
  return list.filter((item) => !gone.has(item));
}

/** Returns the type of all items: `map`, `scalar`, or "" for empty lists. Throws if types are mixed. */
function elementKind(...lists: readonly unknown[][]): "map" | "scalar" | "" {
  if (lists.some((list) => list.some(Array.isArray))) throw unprocessable();
  const items = lists.flat();
  if (items.length === 0) return "";
  const first = goTypeOf(items[0]);
  if (items.some((item) => goTypeOf(item) !== first)) {
    throw failure(`list element types are not identical: ${goText(lists)}`);
  }
  return isObject(items[0]) ? "map" : "scalar";
}

function discardNulls(value: unknown): void {
  if (Array.isArray(value)) value.forEach(discardNulls);
  if (!isObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (item === null) delete value[key];
    else discardNulls(item);
  }
}

/** Removes directives from a value. Returns undefined if the value is itself a directive. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const plainItem = withoutDirectives(item);
    if (plainItem === undefined) delete value[key];
    else setKey(value, key, plainItem);
  }
  return value;
}
