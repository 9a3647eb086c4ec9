// The functions that expressions may call: their signatures and implementations.
import {
  type CelType,
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  paramType,
  stringType,
  structType,
  timestampType,
  typeType,
  uintType,
} from "./types.ts";
import { assert } from "../base/assert.ts";
import type { Pay } from "./pay.ts";
import { type OpaqueValue, type Value, kindOf } from "./values.ts";

/** An implementation. It is only called with values of the types of its signature, so its parameters may have these types. */
export type Implementation = (...args: never[]) => Value;

/** An implementation that charges for work which its cost does not cover. */
export interface Paid {
  readonly paid: (pay: Pay, ...args: never[]) => Value;
}

export function paid(implementation: Paid["paid"]): Paid {
  return { paid: implementation };
}

/** Signatures (`.charAt(string, int) string`; a dot for a method) and their implementations. */
export type Library = Readonly<Record<string, Implementation | Paid>>;

export interface Overload {
  readonly name: string;
  readonly isMember: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly params: readonly string[];
  run(args: readonly Value[], pay: Pay): Value;
}

export type Functions = ReadonlyMap<string, readonly Overload[]>;

export const urlType = structType("kubernetes.URL");
export const quantityType = structType("kubernetes.Quantity");
export const semverType = structType("kubernetes.Semver");
export const formatType = structType("kubernetes.NamedFormat");
export const ipType = opaqueType("net.IP");
export const cidrType = opaqueType("net.CIDR");
export const authorizerType = structType("kubernetes.authorization.Authorizer");
export const pathCheckType = structType("kubernetes.authorization.PathCheck");
export const groupCheckType = structType("kubernetes.authorization.GroupCheck");
export const resourceCheckType = structType("kubernetes.authorization.ResourceCheck");
export const decisionType = structType("kubernetes.authorization.Decision");

const named: Readonly<Record<string, CelType>> = {
  any: anyType,
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
  URL: urlType,
  Quantity: quantityType,
  Semver: semverType,
  Format: formatType,
  IP: ipType,
  CIDR: cidrType,
  Authorizer: authorizerType,
  PathCheck: pathCheckType,
  GroupCheck: groupCheckType,
  ResourceCheck: resourceCheckType,
  Decision: decisionType,
};

/**
 * Indexes the functions of libraries by name. The first signature that matches decides, in their order. `types`: named types that
 * signatures may use beside those of the libraries.
 */
export function functionsOf(libraries: readonly Library[], types: Readonly<Record<string, CelType>> = {}): Functions {
  const all = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [signature, run] of Object.entries(library)) {
      const overload = overloadOf(signature, run, { ...named, ...types });
      const overloads = all.get(overload.name);
      if (overloads) overloads.push(overload);
      else all.set(overload.name, [overload]);
    }
  }
  return all;
}

/** Reports whether values have the types of a signature. Items of lists and maps are not checked. */
export function takes({ args }: Overload, values: readonly Value[]): boolean {
  if (args.length !== values.length) return false;
  for (let index = 0; index < args.length; index++) {
    if (!isOf(values[index] as Value, args[index] as CelType)) return false;
  }
  return true;
}

function isOf(value: Value, { kind: expectedKind, name }: CelType): boolean {
  const kind = kindOf(value);
  if (kind === expectedKind) return kind !== "opaque" || (value as OpaqueValue).type.name === name;
  switch (expectedKind) {
    case "dyn":
    case "any":
    case "param":
      return true;
    case "opaque":
      return kind === "optional" && name === "optional_type";
    case "struct":
      return kind === "opaque" && (value as OpaqueValue).type.name === name;
    default:
      return false;
  }
}

type Named = Readonly<Record<string, CelType>>;

function overloadOf(signature: string, run: Implementation | Paid, types: Named): Overload {
  const [open, close] = [signature.indexOf("("), signature.lastIndexOf(") ")];
  assert(open > 0 && close > open, signature);
  const dot = signature.startsWith(".") ? 1 : 0;
  const name = signature.slice(dot, open);
  const args = signature.slice(open + 1, close);
  const result = signature.slice(close + 2);
  const typed = splitTypes(args).map((typeName) => typeOf(typeName, types));
  const params = new Set([args, result].flatMap((text) => text.match(/\b[A-Z]\b/g) ?? []));
  // `takes` has checked the kinds of the values.
  const call = ("paid" in run ? run.paid : (_pay: Pay, ...values: never[]) => run(...values)) as (
    pay: Pay,
    ...values: Value[]
  ) => Value;
  return {
    name,
    isMember: dot > 0,
    args: typed,
    result: typeOf(result, types),
    params: [...params],
    run: (values, pay) => call(pay, ...values),
  };
}

function typeOf(text: string, types: Named): CelType {
  const match = /^(\w+)(?:\((.*)\))?$/.exec(text.trim());
  assert(match, text);
  const [, name = "", inner] = match;
  const [first = dynType, second = dynType] =
    inner === undefined ? [] : splitTypes(inner).map((typeName) => typeOf(typeName, types));
  switch (name) {
    case "list":
      return listType(first);
    case "map":
      return mapType(first, second);
    case "optional":
      return optionalType(first);
    case "type":
      return typeType(first);
    default:
      return types[name] ?? paramType(name);
  }
}

/** Splits at commas outside brackets. */
function splitTypes(text: string): string[] {
  const types: string[] = [];
  let depth = 0;
  let typeName = "";
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) {
      types.push(typeName);
      typeName = "";
    } else typeName += char;
  }
  return typeName.trim() ? [...types, typeName] : types;
}
