// The functions of lists, sets and maps.
import { compare, equal, holds } from "../equality.ts";
import { type Library, paid } from "../functions.ts";
import type { Pay } from "../pay.ts";
import {
  type ListValue,
  type MapValue,
  type Value,
  at,
  fail,
  find,
  isFailure,
  isList,
  itemsOf,
  keysOf,
  kindOf,
  list,
  noSuchOverload,
  noneValue,
  some,
  uint,
  withEntry,
} from "../values.ts";
import { valueText } from "../value-text.ts";
import { arithmetic } from "./arithmetic.ts";

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

export const lists: Library = {
  ...each(comparable, (type) => [`.isSorted(list(${type})) bool`, sortednessOf]),
  ".sum(list(int)) int": (items: ListValue) => sum(items, "int, int) int", 0n),
  ".sum(list(uint)) uint": (items: ListValue) => sum(items, "uint, uint) uint", uint(0n)),
  ".sum(list(double)) double": (items: ListValue) => sum(items, "double, double) double", 0),
  ".sum(list(duration)) duration": (items: ListValue) =>
    sum(items, "duration, duration) duration", { kind: "duration", ns: 0n }),
  ...each(comparable, (type) => [`.max(list(${type})) ${type}`, (items: ListValue) => extreme("max", items, 1)]),
  ...each(comparable, (type) => [`.min(list(${type})) ${type}`, (items: ListValue) => extreme("min", items, -1)]),
  ".indexOf(list(A), A) int": paid(indexOf),
  ".lastIndexOf(list(A), A) int": paid(lastIndexOf),
  ".slice(list(T), int, int) list(T)": slice,
  ".flatten(list(list(T))) list(T)": paid((pay: Pay, items: ListValue) => flatten(pay, items, 1n)),
  ".flatten(list(dyn), int) list(dyn)": paid(flatten),
  ...each(comparable, (type) => [
    `.sort(list(${type})) list(${type})`,
    paid((pay: Pay, items: ListValue) => sortedBy(pay, items, items)),
  ]),
  ...each(comparable, (type) => [`.@sortByAssociatedKeys(list(T), list(${type})) list(T)`, paid(sortedBy)]),
  "lists.range(int) list(int)": paid(range),
  ".reverse(list(T)) list(T)": (items: ListValue) => list([...itemsOf(items)].reverse()),
  ".distinct(list(T)) list(T)": paid(distinct),
  ".first(list(V)) optional(V)": (items: ListValue) => (items.items.length ? some(at(items, 0)) : noneValue),
  ".last(list(V)) optional(V)": (items: ListValue) =>
    items.items.length ? some(at(items, items.items.length - 1)) : noneValue,
  "sets.contains(list(T), list(T)) bool": paid(containsAll),
  "sets.equivalent(list(T), list(T)) bool": paid(
    (pay: Pay, a: ListValue, b: ListValue) => containsAll(pay, a, b) && containsAll(pay, b, a),
  ),
  "sets.intersects(list(T), list(T)) bool": paid((pay: Pay, a: ListValue, b: ListValue) =>
    [...itemsOf(a)].some((item) => holds(b, item, pay)),
  ),
  "cel.@mapInsert(map(K, V), K, V) map(K, V)": paid(insert),
  "cel.@mapInsert(map(K, V), map(K, V)) map(K, V)": paid(insertAll),
};

function each(types: readonly string[], entry: (type: string) => [string, Library[string]]): Library {
  return Object.fromEntries(types.map(entry));
}

function sortednessOf(items: ListValue): Value {
  for (let index = 1; index < items.items.length; index++) {
    const order = compare(at(items, index - 1), at(items, index));
    if (order === 1) return false;
  }
  return true;
}

function sum(items: ListValue, types: string, zero: Value): Value {
  // The sum of two items, as the operator `+` computes it.
  const add = arithmetic[`_+_(${types}`] as ((a: Value, b: Value) => Value) | undefined;
  let total = zero;
  for (const item of itemsOf(items)) {
    if (!add || kindOf(item) !== kindOf(zero)) return noSuchOverload;
    total = add(total, item);
    if (isFailure(total)) return total;
  }
  return total;
}

function extreme(name: string, items: ListValue, order: 1 | -1): Value {
  let best: Value | undefined;
  for (const item of itemsOf(items)) {
    if (best === undefined || compare(item, best) === order) best = item;
  }
  return best ?? fail(`${name} called on empty list`);
}

function indexOf(pay: Pay, items: ListValue, value: Value): bigint {
  for (let index = 0; index < items.items.length; index++) {
    if (equal(at(items, index), value, pay)) return BigInt(index);
  }
  return -1n;
}

function lastIndexOf(pay: Pay, items: ListValue, value: Value): bigint {
  for (let index = items.items.length - 1; index >= 0; index--) {
    if (equal(at(items, index), value, pay)) return BigInt(index);
  }
  return -1n;
}

function slice(items: ListValue, from: bigint, to: bigint): Value {
  const what = `cannot slice(${from}, ${to})`;
  if (from < 0n || to < 0n) return fail(`${what}, negative indexes not supported`);
  if (from > to) return fail(`${what}, start index must be less than or equal to end index`);
  if (BigInt(items.items.length) < to) return fail(`${what}, list is length ${items.items.length}`);
  return list([...itemsOf(items)].slice(Number(from), Number(to)));
}

function flatten(pay: Pay, items: ListValue, depth: bigint): Value {
  if (depth < 0n) return fail("level must be non-negative");
  const flat: Value[] = [];
  const add = (inner: ListValue, left: bigint) => {
    for (const item of itemsOf(inner)) {
      pay(1);
      if (left > 0n && isList(item)) add(item, left - 1n);
      else flat.push(item);
    }
  };
  add(items, depth);
  return list(flat);
}

function sortedBy(pay: Pay, items: ListValue, keys: ListValue): Value {
  // The work is charged first, so that it is not done without a budget.
  pay(keys.items.length ** 2);
  const [size, count] = [items.items.length, keys.items.length];
  if (size !== count) {
    const expectation = "expected a list of the same size as the associated keys list";
    return fail(`@sortByAssociatedKeys() ${expectation}, but got ${size} and ${count} elements respectively`);
  }
  if (!size) return items;
  const all = [...itemsOf(keys)];
  const [first = null] = all;
  if (compare(first, first) === undefined && typeof first !== "number") return fail("list elements must be comparable");
  if (all.some((key) => kindOf(key) !== kindOf(first))) return fail("list elements must have the same type");
  const order = all.map((_key, index) => index);
  order.sort((a, b) => compare(all[a] ?? null, all[b] ?? null) ?? 0);
  return list(order.map((index) => at(items, index)));
}

function range(pay: Pay, count: bigint): Value {
  // The work is charged here, because the cost of the call is counted only after the list exists.
  pay(Number(count > 0n ? count : 0n));
  return list(Array.from({ length: Math.max(0, Number(count)) }, (_item, index) => BigInt(index)));
}

function distinct(pay: Pay, items: ListValue): Value {
  pay(items.items.length ** 2);
  const distinctItems: Value[] = [];
  for (const item of itemsOf(items)) {
    if (!distinctItems.some((earlier) => equal(earlier, item, pay))) distinctItems.push(item);
  }
  return list(distinctItems);
}

function containsAll(pay: Pay, a: ListValue, b: ListValue): boolean {
  pay(a.items.length * b.items.length);
  return [...itemsOf(b)].every((item) => holds(a, item, pay));
}

function insert(pay: Pay, map: MapValue, key: Value, value: Value): Value {
  return withEntry(map, key, value) ?? fail(`insert failed: key ${valueText(key, pay)} already exists`);
}

function insertAll(pay: Pay, map: MapValue, more: MapValue): Value {
  let all: Value = map;
  for (const key of keysOf(more)) {
    all = insert(pay, all as MapValue, key, find(more, key) ?? null);
    if (isFailure(all)) return all;
  }
  return all;
}
