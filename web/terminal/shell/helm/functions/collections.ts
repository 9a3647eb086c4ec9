// Functions of sprig on lists, maps and any values.
import { getKey, type JsonObject, setKey } from "../../../../../shared/schema/json-values.ts";
import { define, type Functions } from "../template/builtins.ts";
import { CallError, TemplateLimit } from "../template/errors.ts";
import {
  checkSize,
  compareText,
  deepCopy,
  deepEqual,
  isEmpty,
  isMap,
  isNil,
  kindOf,
  sortedKeys,
  stringOf,
  textOf,
  typeOf,
} from "../template/values.ts";
import { integerOf } from "./numbers.ts";
import { textsOf } from "./text.ts";

const maxItems = 100_000;

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const kind = isNil(value) ? "invalid" : kindOf(value);
  throw new CallError(`Cannot ${name} on type ${kind}`);
}

function checkedLength<T>(list: T[]): T[] {
  if (list.length > maxItems) throw new TemplateLimit(`a list of more than ${maxItems} items cannot be held`);
  return list;
}

function dict(...values: unknown[]): JsonObject {
  const map: JsonObject = {};
  for (let at = 0; at < values.length; at += 2)
    setKey(map, stringOf(values[at]), at + 1 < values.length ? (values[at + 1] ?? null) : "");
  return map;
}

/** Merges like mergo: an empty value of the destination is replaced; with `overwrites`, every value of the source wins. */
function mergeInto(target: JsonObject, source: JsonObject, overwrites: boolean): JsonObject {
  for (const [key, value] of Object.entries(source)) {
    const before = getKey(target, key);
    if (isNil(value)) {
      if (overwrites) setKey(target, key, value);
    } else if (isMap(before) && isMap(value) && !isEmpty(before)) mergeInto(before, value, overwrites);
    else if (overwrites || isEmpty(before)) setKey(target, key, value);
  }
  return target;
}

function merge(overwrites: boolean) {
  return (target: JsonObject, ...sources: JsonObject[]) => {
    checkSize(sources);
    return sources.reduce((merged, source) => mergeInto(merged, source, overwrites), target);
  };
}

function dig(...values: unknown[]): unknown {
  const map = values.at(-1);
  const fallback = values.at(-2);
  let current: unknown = map;
  for (const key of values.slice(0, -2)) {
    if (!isMap(current) || !Object.hasOwn(current, stringOf(key))) return fallback;
    current = current[stringOf(key)];
  }
  return current;
}

function slice(value: unknown, ...indexes: unknown[]): unknown {
  const list = listOf(value, "slice");
  if (list.length === 0) return null;
  const [from = 0, to = list.length] = indexes.map((index) => Number(integerOf(index)));
  if (from < 0 || to > list.length || from > to) throw new CallError("reflect.Value.Slice: slice index out of bounds");
  return list.slice(from, to);
}

function unique(list: readonly unknown[]): unknown[] {
  checkSize(list);
  // Equal items have equal texts.
  const byText = new Map<string, unknown[]>();
  return list.filter((item) => {
    const text = textOf(item);
    const alike = byText.get(text) ?? [];
    if (alike.some((candidate) => deepEqual(candidate, item))) return false;
    byText.set(text, [...alike, item]);
    return true;
  });
}

function chunk(size: bigint, value: unknown): unknown[] {
  const list = listOf(value, "chunk");
  const count = Math.max(1, Number(size));
  return Array.from({ length: Math.ceil(list.length / count) }, (_, at) => list.slice(at * count, (at + 1) * count));
}

function has(needle: unknown, haystack: unknown): boolean {
  if (isNil(haystack)) return false;
  return listOf(haystack, "find").some((item) => deepEqual(item, needle));
}

function withoutKeys(map: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

const listFunctions: Functions = {
  append: define("aa", (list: unknown, item: unknown) => checkedLength([...listOf(list, "push"), item ?? null])),
  push: define("aa", (list: unknown, item: unknown) => checkedLength([...listOf(list, "push"), item ?? null])),
  prepend: define("aa", (list: unknown, item: unknown) => checkedLength([item ?? null, ...listOf(list, "prepend")])),
  first: define("a", (list: unknown) => listOf(list, "find first")[0] ?? null),
  last: define("a", (list: unknown) => listOf(list, "find last").at(-1) ?? null),
  rest: define("a", (value: unknown) => {
    const list = listOf(value, "find rest");
    return list.length === 0 ? null : list.slice(1);
  }),
  initial: define("a", (value: unknown) => {
    const list = listOf(value, "find initial");
    return list.length === 0 ? null : list.slice(0, -1);
  }),
  reverse: define("a", (list: unknown) => [...listOf(list, "find reverse")].reverse()),
  uniq: define("a", (list: unknown) => unique(listOf(list, "find uniq"))),
  without: define("aa*", (list: unknown, ...omitted: unknown[]) =>
    listOf(list, "find without").filter((item) => !omitted.some((candidate) => deepEqual(item, candidate))),
  ),
  has: define("aa", has),
  slice: define("aa*", slice),
  chunk: define("ia", chunk),
  compact: define("a", (list: unknown) => listOf(list, "compact").filter((item) => !isEmpty(item))),
};

const must = (functions: Functions): Functions =>
  Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]),
  );

const isType = (name: string, value: unknown, of: (value: unknown) => string) =>
  typeof value === "bigint" ? name === "int" || name === "int64" : name === of(value);

const mapFunctions: Functions = {
  dict: define("a*", dict),
  get: define("ms", (map: JsonObject, key: string) => (Object.hasOwn(map, key) ? map[key] : "")),
  set: define("msa", (map: JsonObject, key: string, value: unknown) => {
    setKey(map, key, value ?? null);
    return map;
  }),
  unset: define("ms", (map: JsonObject, key: string) => {
    delete map[key];
    return map;
  }),
  hasKey: define("ms", (map: JsonObject, key: string) => Object.hasOwn(map, key)),
  pluck: define("sm*", (key: string, ...maps: JsonObject[]) =>
    maps.filter((map) => Object.hasOwn(map, key)).map((map) => map[key]),
  ),
  keys: define("m*", (...maps: JsonObject[]) => maps.flatMap(sortedKeys)),
  values: define("m", (map: JsonObject) => sortedKeys(map).map((key) => map[key])),
  pick: define("ms*", (map: JsonObject, ...keys: string[]) =>
    Object.fromEntries(keys.filter((key) => Object.hasOwn(map, key)).map((key) => [key, map[key]])),
  ),
  omit: define("ms*", (map: JsonObject, ...keys: string[]) => withoutKeys(map, keys)),
  merge: define("mm*", merge(false)),
  mergeOverwrite: define("mm*", merge(true)),
  mustMerge: define("mm*", merge(false)),
  mustMergeOverwrite: define("mm*", merge(true)),
  dig: define("aaa*", dig),
  deepCopy: define("a", deepCopy),
  mustDeepCopy: define("a", deepCopy),
};

export const collectionFunctions: Functions = {
  ...listFunctions,
  ...must(listFunctions),
  ...mapFunctions,
  list: define("a*", (...items: unknown[]) => items.map((item) => item ?? null)),
  tuple: define("a*", (...items: unknown[]) => items.map((item) => item ?? null)),
  concat: define("a*", (...lists: unknown[]) => checkedLength(lists.flatMap((list) => listOf(list, "concat")))),
  sortAlpha: define("a", (value: unknown) => textsOf(value).sort(compareText)),
  default: define("aa*", (fallback: unknown, ...values: unknown[]) => (isEmpty(values[0]) ? fallback : values[0])),
  empty: define("a", isEmpty),
  coalesce: define("a*", (...values: unknown[]) => values.find((value) => !isEmpty(value)) ?? null),
  all: define("a*", (...values: unknown[]) => values.every((value) => !isEmpty(value))),
  any: define("a*", (...values: unknown[]) => values.some((value) => !isEmpty(value))),
  ternary: define("aab", (yes: unknown, no: unknown, condition: boolean) => (condition ? yes : no)),
  typeOf: define("a", typeOf),
  typeIs: define("sa", (name: string, value: unknown) => isType(name, value, typeOf)),
  typeIsLike: define(
    "sa",
    (name: string, value: unknown) => isType(name, value, typeOf) || `*${name}` === typeOf(value),
  ),
  kindOf: define("a", kindOf),
  kindIs: define("sa", (name: string, value: unknown) => isType(name, value, kindOf)),
  deepEqual: define("aa", deepEqual),
};
