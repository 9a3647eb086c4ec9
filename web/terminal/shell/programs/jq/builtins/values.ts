// What jq's functions ask of their inputs, and what several of them do.
import type { Node } from "../syntax.ts";
import { brief, compact, compareValues, isRecord, JqError, textOf, typeOf } from "../values.ts";

/** The argument is there: functions are found by their number. */
export function node(given: Node | undefined): Node {
  return given ?? { kind: "identity" };
}

export function* take<T>(of: Iterable<T>, most: number): Generator<T> {
  if (most <= 0) return;
  let count = 0;
  for (const one of of) {
    yield one;
    if (++count >= most) return;
  }
}

export function text(value: unknown): string {
  if (typeof value !== "string") throw new JqError(`${brief(value)} cannot be used as a string`);
  return value;
}

export function num(value: unknown): number {
  if (typeof value !== "number") throw new JqError(`${brief(value)} number required`);
  return value;
}

export function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (isRecord(value)) return Object.values(value);
  throw new JqError(`Cannot iterate over ${value === null ? "null" : brief(value)}`);
}

export function number(value: unknown): number {
  if (typeof value === "number") return value;
  const found = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  if (Number.isNaN(found)) throw new JqError(`${brief(value)} cannot be parsed as a number`);
  return found;
}

export function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new JqError(`${value.slice(0, 20)} (while parsing '${value.slice(0, 20)}')`);
  }
}

export function seconds(value: unknown): number {
  const found = Date.parse(text(value));
  if (Number.isNaN(found)) throw new JqError(`date ${compact(value)} does not match format "%Y-%m-%dT%H:%M:%SZ"`);
  return Math.floor(found / 1000);
}

export function lengthOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "string") return [...value].length;
  if (typeof value === "boolean") throw new JqError(`${brief(value)} has no length`);
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}

export function keysOf(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return value.map((_, at) => at);
  if (isRecord(value)) return Object.keys(value);
  throw new JqError(`${brief(value)} has no keys`);
}

export function entryOf(entry: unknown): [string, unknown] {
  const found = isRecord(entry) ? entry : {};
  const key = found.key ?? found.k ?? found.name ?? found.Name ?? null;
  return [key === null ? "null" : textOf(key), found.value ?? found.v ?? found.Value ?? null];
}

export function unique(values: readonly unknown[], keys: readonly unknown[]): unknown[] {
  const all = values.map((value, at) => ({ value, key: keys[at] })).sort((a, b) => compareValues(a.key, b.key));
  return all.filter(({ key }, at) => at === 0 || compareValues(all[at - 1]?.key, key) !== 0).map(({ value }) => value);
}

export function transposed(rows: readonly unknown[]): unknown[][] {
  const width = Math.max(0, ...rows.map((row) => list(row).length));
  return Array.from({ length: width }, (_, at) => rows.map((row) => list(row)[at] ?? null));
}

export function has(value: unknown, key: unknown): boolean {
  if (isRecord(value) && typeof key === "string") return Object.hasOwn(value, key);
  if (Array.isArray(value) && typeof key === "number") return key >= 0 && key < value.length;
  throw new JqError(
    `Cannot check whether ${typeOf(value)} has a ${typeof key === "string" ? "string" : typeOf(key)} key`,
  );
}

export function contains(value: unknown, part: unknown): boolean {
  if (typeof value === "string" && typeof part === "string") return value.includes(part);
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((one) => value.some((other) => contains(other, one)));
  if (isRecord(value) && isRecord(part))
    return Object.entries(part).every(([key, one]) => Object.hasOwn(value, key) && contains(value[key], one));
  return compareValues(value, part) === 0;
}

export function indices(value: unknown, part: unknown): number[] {
  const found: number[] = [];
  if (typeof value === "string" && typeof part === "string" && part !== "") {
    for (let at = value.indexOf(part); at >= 0; at = value.indexOf(part, at + 1)) found.push(at);
  } else if (Array.isArray(value))
    for (const [at, one] of value.entries()) if (compareValues(one, part) === 0) found.push(at);
  return found;
}
