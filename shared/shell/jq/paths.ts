// Members of jq's values, and updates at paths. An update changes a value in place if nothing else refers to it, and otherwise copies it.
import { charge, hold, reserve } from "../meter.ts";
import type { At, Path, Scope } from "./scope.ts";
import { add, isObject, type Json, JqError, describe } from "./values.ts";

export const plain = (value: Json): At => ({ value, path: undefined });

/** Microseconds of copying, listing or comparing one member of an object, and one element of an array. */
export const memberWork = { object: 0.15, array: 0.01 };
const elementBytes = { object: 64, array: 16 };
const mostElements = 100_000;

/** Charges for visiting the members of a value, or for copying it, but not for their content. */
export function walk({ call }: Pick<Scope, "call">, value: Json): void {
  if (Array.isArray(value)) charge(call.process, value.length * memberWork.array);
  else if (isObject(value)) charge(call.process, countOf(value) * memberWork.object);
}

/** Returns the number of an object's members. Unlike `Object.keys`, it creates no list. */
function countOf(value: Readonly<Record<string, Json>>): number {
  return Object.keys(value).length;
}

/** Records that the value has a second reference from now on, so that an update has to copy it. */
export function release({ owned }: Scope, value: Json): void {
  if (typeof value === "object" && value !== null) owned.delete(value);
}

export function step(path: Path | undefined, key: Path[number]): Path | undefined {
  return path && [...path, key];
}

export function member({ value, path }: At, key: Json): At {
  if (typeof key === "string") {
    if (value !== null && !isObject(value))
      throw new JqError(
        `Cannot index ${Array.isArray(value) || typeof value === "string" ? `${Array.isArray(value) ? "array" : "string"} with string` : `${typeof value} with`} "${key}"`,
      );
    return { value: value !== null && Object.hasOwn(value, key) ? (value[key] ?? null) : null, path: step(path, key) };
  }
  if (typeof key === "number") {
    if (value !== null && !Array.isArray(value))
      throw new JqError(`Cannot index ${isObject(value) ? "object" : typeof value} with number`);
    const index = Math.floor(key);
    const list: readonly Json[] = value ?? [];
    return { value: list[index < 0 ? list.length + index : index] ?? null, path: step(path, index) };
  }
  if (value === null && key === null) return { value: null, path };
  throw new JqError(
    `Cannot index ${isObject(value) ? "object" : Array.isArray(value) ? "array" : value === null ? "null" : typeof value} with ${key === null ? "null" : Array.isArray(key) ? "array" : typeof key}`,
  );
}

export function* members(scope: Scope, { value, path }: At): Generator<At, void, undefined> {
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) yield { value: item as Json, path: step(path, at) };
  else if (isObject(value)) {
    walk(scope, value);
    for (const [key, item] of Object.entries(value)) yield { value: item, path: step(path, key) };
  } else throw new JqError(`Cannot iterate over ${value === null ? "null" : describe(value)}`);
}

export function read(scope: Scope, value: Json, path: Path): Json {
  let at: At = plain(value);
  for (const key of path) {
    charge(scope.call.process, 0.1);
    if (typeof key === "object") {
      walk(scope, at.value);
      at = plain(Array.isArray(at.value) ? at.value.slice(key.from ?? 0, key.to ?? undefined) : null);
    } else at = member(at, key);
  }
  return at.value;
}

/** Reads like `getpath`: below null everything is null. */
export function readOrNull(scope: Scope, value: Json, path: Path): Json {
  for (let at = 0; at < path.length; at++) {
    if (value === null) return null;
    value = read(scope, value, path.slice(at, at + 1));
  }
  return value;
}

/** Computes the new value of a member. `isOwned`: nothing else refers to the present one, so it may be changed. */
export type Change = (inside: Json, isOwned: boolean) => Json;

/** Returns the value with a change at a path. `isOwned` permits changing the value itself if nothing else refers to it. */
export function change(scope: Scope, value: Json, path: Path, make: Change, isOwned: boolean, at = 0): Json {
  const mayChange = isOwned && isOwnedBy(scope, value);
  const key = path[at];
  if (key === undefined) return make(value, mayChange);
  charge(scope.call.process, 0.5);
  if (typeof key === "object") throw new JqError("Cannot update a slice of an array");
  const inside = member(plain(value), key).value;
  if (typeof key === "string") {
    const object = mayChange ? (value as Record<string, Json>) : copyOf(scope, (value ?? {}) as Record<string, Json>);
    setMember(scope, object, key, change(scope, inside, path, make, true, at + 1));
    return object;
  }
  const list = mayChange ? (value as Json[]) : copyOf(scope, (value ?? []) as Json[]);
  const index = key < 0 ? list.length + key : key;
  if (index < 0) throw new JqError("Out of bounds negative array index");
  if (index > mostElements) throw new JqError("Array index too large");
  if (index >= list.length) hold(scope.call.process, (1 + index - list.length) * elementBytes.array);
  while (list.length < index) list.push(null);
  list[index] = change(scope, inside, path, make, true, at + 1);
  return list;
}

function isOwnedBy({ owned }: Scope, value: Json): boolean {
  return typeof value === "object" && value !== null && owned.has(value);
}

/** Returns a copy that only the caller refers to. Its members have two references from now on. */
export function copyOf<T extends Json[] | Record<string, Json>>(scope: Scope, value: T): T {
  walk(scope, value);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as T;
  for (const item of Array.isArray(copy) ? copy : Object.values(copy)) release(scope, item);
  scope.owned.add(copy);
  return copy;
}

/** Sets a member as a literal does: `__proto__` is an ordinary key. */
export function setMember(scope: Scope, object: Record<string, Json>, key: string, value: Json): void {
  if (!Object.hasOwn(object, key)) hold(scope.call.process, elementBytes.object);
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Returns the value without the member at a path. */
export function removed(scope: Scope, value: Json, path: Path, isOwned: boolean, at = 0): Json {
  const key = path[at];
  charge(scope.call.process, 0.5);
  if (key === undefined || value === null) return null;
  const mayChange = isOwned && isOwnedBy(scope, value);
  if (at + 1 < path.length && typeof key !== "object") {
    const inside = member(plain(value), key).value;
    if (inside === null) return value;
    return change(scope, value, [key], (inner) => removed(scope, inner, path, true, at + 1), mayChange);
  }
  if (Array.isArray(value)) {
    charge(scope.call.process, value.length * memberWork.array);
    const list = mayChange ? (value as Json[]) : copyOf(scope, value as Json[]);
    const [from, to] =
      typeof key === "object"
        ? [key.from ?? 0, key.to ?? list.length]
        : typeof key === "number"
          ? [key < 0 ? list.length + key : key, 1 + (key < 0 ? list.length + key : key)]
          : [0, 0];
    const begin = from < 0 ? Math.max(0, list.length + from) : from;
    const end = to < 0 ? list.length + to : to;
    if (end > begin && (typeof key === "object" || from >= 0)) list.splice(begin, end - begin);
    return list;
  }
  if (!isObject(value)) throw new JqError(`Cannot delete field at object index of ${typeof value}`);
  if (typeof key !== "string" || !Object.hasOwn(value, key)) return value;
  const object = mayChange ? value : copyOf(scope, value);
  delete object[key];
  return object;
}

/** Returns the value with a new member at a path. */
export function assigned(scope: Scope, value: Json, path: Path, operand: Json, isOwned: boolean): Json {
  release(scope, operand);
  return change(scope, value, path, () => operand, isOwned);
}

/** Computes `+`, which appends in place if nothing else refers to the first operand. */
export function extended(scope: Scope, value: Json, more: Json, isOwned: boolean): Json {
  const { process } = scope.call;
  charge(process, 0.5);
  const mayChange = isOwned && value !== more && isOwnedBy(scope, value);
  if (Array.isArray(value) && Array.isArray(more)) {
    walk(scope, more);
    const list = mayChange ? (value as Json[]) : copyOf(scope, value as Json[]);
    hold(process, more.length * elementBytes.array);
    for (const item of more as Json[]) {
      release(scope, item);
      list.push(item);
    }
    return list;
  }
  if (isObject(value) && isObject(more)) {
    walk(scope, more);
    const object = mayChange ? value : copyOf(scope, value);
    for (const [key, item] of Object.entries(more)) {
      release(scope, item);
      setMember(scope, object, key, item);
    }
    return object;
  }
  // The engine joins texts without copying the longer one; `build` refuses texts that exceed the memory.
  if (typeof value === "string" && typeof more === "string") {
    reserve(process, value.length + more.length);
    charge(process, Math.min(value.length, more.length) / 1024);
  }
  return add(value, more);
}

/** Converts a path of a filter's result: keys, indices, and `{"start", "end"}` for a slice. Throws jq's error for anything else. */
export function pathOf(value: Json): Path {
  if (!Array.isArray(value)) throw new JqError("Path must be specified as an array");
  return (value as Json[]).map((key) => {
    if (typeof key === "string" || typeof key === "number") return key;
    if (!isObject(key)) throw new JqError(`Invalid path component ${describe(key)}`);
    const [from, to] = [key.start, key.end].map((bound) => (typeof bound === "number" ? Math.floor(bound) : null));
    return { from: from ?? null, to: to ?? null };
  });
}

/** Returns the path as jq prints it. */
export function shownPath(path: Path): Json[] {
  return path.map((key) => (typeof key === "object" ? { start: key.from, end: key.to } : key));
}
