// The strategic merge patch that makes one object of another, as a client would make it, for property tests.
import { type Field, type TypeNode, typeOf } from "../../shared/schema/graph.ts";
import { equalJson, isObject, type JsonObject } from "../../shared/schema/json-values.ts";

/** Both are in canonical form, with distinct keys in every list that is merged by one. */
export function strategicDiff(type: string, before: JsonObject, after: JsonObject): JsonObject {
  return diffObjects(typeOf(type), before, after);
}

function diffObjects(node: TypeNode | undefined, before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const field = node?.byJson.get(name);
    if (!(name in before)) patch[name] = value;
    else if (!equalJson(before[name], value)) Object.assign(patch, diffField(field, name, before[name], value));
  }
  return patch;
}

function diffField(field: Field | undefined, name: string, before: unknown, after: unknown): JsonObject {
  const strategies = (field?.facts.patchStrategy ?? "").split(",");
  if (field?.shape === "list") {
    return strategies.includes("merge") ? diffLists(field, name, before, after) : { [name]: after };
  }
  if (!isObject(before) || !isObject(after)) return { [name]: after };
  if (strategies.includes("replace")) return { [name]: after };
  if (field?.shape === "map") return { [name]: diffObjects(undefined, before, after) };
  // What has no fields of its own is replaced as a whole.
  if (field?.form !== "struct") return { [name]: { ...after, $patch: "replace" } };
  const patch = diffObjects(typeOf(field.type), before, after);
  return { [name]: strategies.includes("retainKeys") ? { ...patch, $retainKeys: Object.keys(after) } : patch };
}

function diffLists({ facts, type }: Field, name: string, before: unknown, after: unknown): JsonObject {
  const [old, next] = [before as readonly unknown[], after as readonly unknown[]];
  const key = facts.patchMergeKey;
  if (key === undefined) {
    return {
      [`$deleteFromPrimitiveList/${name}`]: old.filter((item) => !next.includes(item)),
      [`$setElementOrder/${name}`]: next,
      [name]: next.filter((item) => !old.includes(item)),
    };
  }
  const keyOf = (item: unknown) => (item as JsonObject)[key];
  const find = (list: readonly unknown[], item: unknown) => list.find((candidate) => keyOf(candidate) === keyOf(item));
  const items = next.flatMap((item) => {
    const was = find(old, item);
    if (was === undefined) return [item];
    const patch = diffObjects(typeOf(type), was as JsonObject, item as JsonObject);
    return Object.keys(patch).length === 0 ? [] : [{ ...patch, [key]: keyOf(item) }];
  });
  const gone = old.filter((item) => find(next, item) === undefined);
  return {
    [`$setElementOrder/${name}`]: next.map((item) => ({ [key]: keyOf(item) })),
    [name]: [...items, ...gone.map((item) => ({ [key]: keyOf(item), $patch: "delete" }))],
  };
}

/** The object with distinct keys in the lists that are merged by one, the same ones in every object. */
export function withDistinctKeys(type: string, object: JsonObject): JsonObject {
  const node = typeOf(type);
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, distinctIn(node?.byJson.get(name), value)]),
  );
}

function distinctIn(field: Field | undefined, value: unknown): unknown {
  if (!field || value === null) return value;
  if (Array.isArray(value)) return distinctList(field, value);
  if (field.form !== "struct" || !isObject(value)) return value;
  if (field.shape !== "map") return withDistinctKeys(field.type, value);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isObject(item) ? withDistinctKeys(field.type, item) : item]),
  );
}

function distinctList(field: Field, list: readonly unknown[]): unknown[] {
  const isMerged = (field.facts.patchStrategy ?? "").split(",").includes("merge");
  const key = field.facts.patchMergeKey;
  if (isMerged && key === undefined) return [...new Set(list.filter((item) => item !== null))];
  const form = key === undefined ? undefined : typeOf(field.type)?.byJson.get(key)?.form;
  return list.map((item, at) => {
    if (!isObject(item) || field.form !== "struct") return item;
    const inner = withDistinctKeys(field.type, item);
    if (!isMerged || key === undefined) return inner;
    return { ...inner, [key]: form === "string" ? `k${at}` : at + 1 };
  });
}
