// The cost of a call at run time: the part of its arguments that it has to read, as the API server counts it.
import type { Overload } from "../functions.ts";
import { listCosts } from "./list-cost.ts";
import { authorizationCheck, formatPattern, perPatternChar, selectorCost, sizeOfValue, traversal } from "./sizes.ts";
import { operators } from "../syntax/tree.ts";
import { utf8Length } from "../../base/utf8.ts";
import {
  type ListValue,
  type MapValue,
  type OpaqueValue,
  type Value,
  find,
  isFailure,
  itemsOf,
  keysOf,
  kindOf,
} from "../values.ts";

type Cost = (args: readonly Value[], result: Value) => number;

const unitCost: Cost = () => 1;
const read: Cost = ([text]) => Math.ceil(sizeOfValue(text) * traversal);
const readTwice: Cost = ([text]) => Math.ceil(sizeOfValue(text) * 2 * traversal);
const readPattern: Cost = ([text, pattern]) =>
  Math.ceil((1 + sizeOfValue(text)) * traversal) * Math.ceil(sizeOfValue(pattern) * perPatternChar);
const readSelector: Cost = ([, selector]) => selectorCost(sizeOfValue(selector));
const walkList: Cost = ([list]) => (list === undefined ? 0 : walkCost(list));

/** Costs by name, for functions whose overloads all cost the same. */
const byName: ReadonlyMap<string, Cost> = new Map([
  ["check", () => authorizationCheck],
  ...named("fieldSelector labelSelector", readSelector),
  ...named("isSorted sum max min indexOf lastIndexOf", walkList),
  ...named("url lowerAscii upperAscii substring trim jsonpatch.escapeKey", read),
  ...named("cidr isIP isCIDR quantity isQuantity semver isSemver", read),
  ...named("replace split ip.isCanonical", readTwice),
  ["join", (_args, result) => Math.ceil(sizeOfValue(result) * 2 * traversal)],
  ...named("find findAll", readPattern),
  ["ip", (args) => (kindOf(args[0] ?? null) === "opaque" ? 1 : read(args, null))],
  ["containsIP", containsIp],
  ["containsCIDR", containsCidr],
  ["validate", ([format, text]) => readPattern([text ?? "", "x".repeat(patternSize(format))], null)],
]);

/** Costs by name, for calls that the checker resolved to one overload. */
const ofOne: ReadonlyMap<string, Cost> = new Map([
  ...named("startsWith endsWith format strings.quote", read),
  ["bytes", (args, result) => (typeof args[0] === "string" ? read(args, result) : 1)],
  ["string", (args, result) => (kindOf(args[0] ?? null) === "bytes" ? read(args, result) : 1)],
  [operators.in, ([, list]) => (kindOf(list ?? null) === "list" ? sizeOfValue(list) : 1)],
  [
    "contains",
    ([text, substring]) => Math.ceil(sizeOfValue(text) * traversal) * Math.ceil(sizeOfValue(substring) * traversal),
  ],
  [operators.add, ([a, b]) => (isText(a) ? Math.ceil((sizeOfValue(a) + sizeOfValue(b)) * traversal) : 1)],
  ...[operators.less, operators.lessEquals, operators.greater, operators.greaterEquals].map((name): [string, Cost] => [
    name,
    (args) => (isText(args[0]) ? compareCost(args) : 1),
  ]),
]);

/** Returns the cost of a call. `only`: the one overload that the checker resolved the call to. */
export function costOfCall(name: string, only: Overload | undefined): Cost {
  const fixedCost = (only && listCosts.get(name)) ?? byName.get(name);
  if (fixedCost) return fixedCost;
  if (name === operators.equals) return (args) => (kindOf(args[0] ?? null) === "opaque" ? 1 : compareCost(args));
  if (name === operators.notEquals) return compareCost;
  // `matches(a, b)` costs one: only the method form has a cost.
  if (name === "matches") return only?.isMember ? readPattern : unitCost;
  return (only && ofOne.get(name)) ?? unitCost;
}

function named(names: string, cost: Cost): [string, Cost][] {
  return names.split(" ").map((name) => [name, cost]);
}

function isText(value: Value | undefined): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

function compareCost([a, b]: readonly Value[]): number {
  return Math.ceil(Math.min(sizeOfValue(a), sizeOfValue(b)) * traversal);
}

function patternSize(format: Value | undefined): number {
  return format !== undefined && kindOf(format) === "opaque" ? ((format as OpaqueValue).size ?? formatPattern) : 0;
}

function containsIp([cidr, address]: readonly Value[]): number {
  const parse = typeof address === "string" ? Math.ceil(sizeOfValue(address) * traversal) : 0;
  return Math.ceil(sizeOfValue(cidr) * 2 * traversal) + parse;
}

function containsCidr(args: readonly Value[]): number {
  return containsIp(args) + Math.ceil(sizeOfValue(args[0]) * traversal) + 1;
}

/** Returns the cost of visiting everything in a value. */
function walkCost(value: Value): number {
  if (isFailure(value)) return 1;
  switch (kindOf(value)) {
    case "string":
      return Math.floor(utf8Length(value as string) * traversal);
    case "bytes":
      return Math.floor((value as Uint8Array).length * traversal);
    case "list":
      return [...itemsOf(value as ListValue)].reduce<number>((sum, item) => sum + walkCost(item), 0);
    case "map": {
      const map = value as MapValue;
      return keysOf(map).reduce<number>((sum, key) => sum + walkCost(key) + walkCost(find(map, key) ?? null), 0);
    }
    default:
      return 1;
  }
}
